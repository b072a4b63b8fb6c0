"""Logs and telemetry as the settings want them; each way in calls this once."""

from __future__ import annotations

from clausegraph.core.secrets import register_secret
from clausegraph.core.settings import Settings
from clausegraph.core.telemetry.logs import configure_logs
from clausegraph.core.telemetry.redaction import allow_content


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
        from clausegraph.app.version import version
        from clausegraph.core.telemetry.spans import start_telemetry

        start_telemetry(settings.telemetry, version=version())
