"""Spans: what took how long, with which figures, as OpenTelemetry traces where they are turned on.

>>> with span("ask.retrieve", corpus="policies") as found:
...     found.set(elements=60)

Off (the default), a span is one shared object that does nothing, and OpenTelemetry need not be installed. Attributes
pass through ``core.telemetry.redaction``: figures and ids leave, texts only with ``log_prompts``, secrets never.
"""

from __future__ import annotations

from contextvars import ContextVar
from types import TracebackType
from typing import TYPE_CHECKING, Self

from clausegraph.core.errors import SettingsError

if TYPE_CHECKING:
    from clausegraph.core.telemetry.otlp import Recorder

DEFAULT_ENDPOINT = "http://127.0.0.1:4318"
FLUSH_SECONDS = 2.0  # what a dead collector may cost a command at its end


class TelemetrySpan:
    """A span that records nothing; what :func:`span` gives while telemetry is off, and the form of those that do."""

    __slots__ = ()

    def set(self, **attributes: object) -> None:
        """Add attributes; ``None`` adds none."""

    def start(self) -> Self:
        """Start without becoming the current span: for work that outlives a block, such as a stream."""
        return self

    def end(self, error: BaseException | None = None) -> None:
        """End what ``start`` started."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


# Ours, not OpenTelemetry's own: libraries (the client of Mistral is one) send the ids of the latter's current span to
# their servers, and may write prompts into it.
current_span: ContextVar[TelemetrySpan | None] = ContextVar("current_span", default=None)

_OFF = TelemetrySpan()
_recorder: Recorder | None = None


def span(name: str, /, **attributes: object) -> TelemetrySpan:
    """A span as a context manager, child of the current one; an error that passes through it is recorded.

    Do not hold one open over a ``yield`` of an asynchronous generator; use ``start`` and ``end`` there.
    """
    recorder = _recorder
    return _OFF if recorder is None else recorder.span(name, attributes)


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
    global _recorder  # noqa: PLW0603 - one process, one collector
    if mode == "off" or _recorder is not None:
        return
    try:
        from clausegraph.core.telemetry.otlp import Recorder
    except ImportError as error:
        raise SettingsError(
            "setting 'telemetry' is otlp, but the OpenTelemetry SDK is not installed; run "
            "`pip install 'clausegraph[telemetry]'` or set CLAUSEGRAPH_TELEMETRY=off"
        ) from error
    from clausegraph.core.telemetry.llama import attach_bridge

    _recorder = Recorder(endpoint or DEFAULT_ENDPOINT, service, version)
    attach_bridge()


def stop_telemetry(wait: float = FLUSH_SECONDS) -> None:
    """Send what is left and stop recording; waits ``wait`` seconds at most, and warns where spans were lost."""
    global _recorder
    recorder, _recorder = _recorder, None
    if recorder is None:
        return
    from clausegraph.core.telemetry.llama import detach_bridge

    detach_bridge()
    recorder.close(wait)
