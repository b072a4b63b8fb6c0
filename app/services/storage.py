"""What a home folder takes of its disk, and what is left."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from clausegraph.core.settings import Settings
from clausegraph.indexes.files import file_errors


def disk_use(settings: Settings) -> dict[str, Any]:
    """Bytes by what lies in the home folder, largest first, their sum, and the bytes that are free.

    Raises:
        StorageError: the folder is not there or cannot be read.
    """
    home = settings.home
    with file_errors(home):
        parts = [{"name": path.name, "bytes": _bytes(path)} for path in sorted(home.iterdir())]
        free = shutil.disk_usage(home).free
    parts.sort(key=lambda one: -int(str(one["bytes"])))
    return {"home": str(home), "parts": parts, "bytes": sum(int(str(one["bytes"])) for one in parts), "free": free}


def _bytes(path: Path) -> int:
    """Of a file, or of all files of a folder; one that goes meanwhile takes nothing."""
    found = 0
    for one in path.rglob("*") if path.is_dir() else (path,):
        try:
            found += one.stat().st_size if one.is_file() else 0
        except FileNotFoundError:
            continue
    return found
