"""Turns the recording of spans on and off, for the whole process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausegraph.core.errors import SettingsError, require_extra
from clausegraph.core.telemetry.spans import take_spans_from

if TYPE_CHECKING:
    from clausegraph.core.telemetry.otlp import Recorder

DEFAULT_ENDPOINT = "http://127.0.0.1:4318"
FLUSH_SECONDS = 2.0  # what a dead collector may cost a command at its end

_recorder: Recorder | None = None


def start_telemetry(
    mode: str, endpoint: str | None = None, service: str = "clausegraph", version: str | None = None
) -> None:
    """Record spans from here on and send them to a collector; no effect with ``mode`` "off" or when already on.

    Args:
        mode: "off" or "otlp".
        endpoint: address of an OTLP/HTTP collector; None for port 4318 of this machine.

    Raises:
        SettingsError: the OpenTelemetry SDK is not installed, or the endpoint is no http(s) address.
    """
    global _recorder  # noqa: PLW0603 - as in spans
    if mode == "off" or _recorder is not None:
        return
    require_extra(
        "telemetry",
        "setting 'telemetry' is otlp, which",
        otherwise="set CLAUSEGRAPH_TELEMETRY=off",
        error=SettingsError,
    )
    from clausegraph.core.telemetry.llama import attach_bridge
    from clausegraph.core.telemetry.otlp import Recorder

    _recorder = Recorder(endpoint or DEFAULT_ENDPOINT, service, version)
    take_spans_from(_recorder)
    attach_bridge()


def stop_telemetry(wait: float = FLUSH_SECONDS) -> None:
    """Send what is left and stop recording; waits ``wait`` seconds at most, and warns where spans were lost."""
    global _recorder
    recorder, _recorder = _recorder, None
    if recorder is None:
        return
    take_spans_from(None)
    from clausegraph.core.telemetry.llama import detach_bridge

    detach_bridge()
    recorder.close(wait)
