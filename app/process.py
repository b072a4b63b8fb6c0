"""This process: the installed version, the port it listens at, logs and telemetry as the settings want them."""

from __future__ import annotations

import socket
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

from clausegraph.core.errors import InputError
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


def listening_socket(host: str, port: int, backlog: int) -> socket.socket:
    """A socket that listens at a port; 0 takes a free one.

    Raises:
        InputError: the port cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only where the protocol is named; with it a reply takes 40 ms more
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise InputError(f"port {port} of {host} cannot be used ({error}); choose another, or 0 for any") from error
    bound.listen(backlog)
    return bound


def observe(settings: Settings) -> None:
    """Configure logs, make the settings' secrets known to redaction, and start telemetry where it is on.

    May be called again. Whoever calls it calls ``core.telemetry.spans.stop_telemetry`` before the process ends.

    Raises:
        SettingsError: telemetry is on, but the SDK is not installed.
    """
    for name, value in settings:
        reveal = getattr(value, "get_secret_value", None)
        if reveal is not None and name != "database":  # whoever opens that knows which part of it is secret
            register_secret(reveal())
    allow_content(settings.log_prompts)
    configure_logs(settings.log_level, settings.log_format)
    if settings.telemetry != "off":
        from clausegraph.core.telemetry.spans import start_telemetry

        start_telemetry(settings.telemetry, version=version())
