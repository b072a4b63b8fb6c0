"""This process: the installed version, logs and telemetry as the settings want them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

from clausegraph.core.secrets import register_secret
from clausegraph.core.settings import Settings
from clausegraph.core.telemetry.logs import configure_logs
from clausegraph.core.telemetry.redaction import allow_content

UNINSTALLED = "0.0.0+source"


def version() -> str:
    """Version of the installed distribution; a fallback when run from a bare checkout."""
    try:
        return installed("clausegraph")
    except PackageNotFoundError:
        return UNINSTALLED


def observe(settings: Settings) -> None:
    """Configure logs, make the settings' secrets known to redaction, and start telemetry where it is on.

    May be called again. Whoever calls it calls ``core.telemetry.spans.stop_telemetry`` before the process ends.

    Raises:
        SettingsError: telemetry is on, but the SDK is not installed.
    """
    for _, value in settings:
        reveal = getattr(value, "get_secret_value", None)
        if reveal is not None:
            register_secret(reveal())
    allow_content(settings.log_prompts)
    configure_logs(settings.log_level, settings.log_format)
    if settings.telemetry != "off":
        from clausegraph.core.telemetry.spans import start_telemetry

        start_telemetry(settings.telemetry, version=version())
