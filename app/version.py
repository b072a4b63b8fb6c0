"""The installed version."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

UNINSTALLED = "0.0.0+source"


def version() -> str:
    """Version of the installed distribution; a fallback when run from a bare checkout."""
    try:
        return installed("clausegraph")
    except PackageNotFoundError:
        return UNINSTALLED
