"""Spans: what took how long, with which figures, as OpenTelemetry traces where they are turned on.

>>> with span("ask.retrieve", corpus="policies") as found:
...     found.set(elements=60)

Off (the default), a span is one shared object that does nothing, and OpenTelemetry is not imported. Attributes pass
through ``core.telemetry.redaction``: figures and ids leave, texts only with ``log_prompts``, secrets never. Where spans
go, and in what batches, is for OpenTelemetry's own variables to say (``OTEL_EXPORTER_OTLP_ENDPOINT`` …).
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, Self

from clausegraph.core.errors import SettingsError, require_extra
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.telemetry.redaction import error_fields, shown

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer
    from opentelemetry.util.types import AttributeValue

FLUSH_SECONDS = 2.0  # what a dead collector may cost a command at its end
_EXPORT_SECONDS = 2.0  # an attempt and its retries; nobody waits for more at the end
_BATCH_MILLISECONDS = 1000.0
_STANDARD_NAMES = {  # OpenTelemetry's own names for what has one; all else is clausegraph.<name>
    "model": "gen_ai.request.model",
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "http_status": "http.response.status_code",
    "error": "error.type",
}
_STOPPED = (KeyboardInterrupt, GeneratorExit)  # and CancelledError: stopped from outside, no failure
_log = logger(__name__)
_sdk_log = logging.getLogger("opentelemetry.exporter")


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
_provider: TracerProvider | None = None
_tracer: Tracer | None = None
_warned = False


def span(name: str, /, **attributes: object) -> TelemetrySpan:
    """A span as a context manager, child of the current one; an error that passes through it is recorded.

    Do not hold one open over a ``yield`` of an asynchronous generator; use ``start`` and ``end`` there.
    """
    tracer = _tracer
    return _OFF if tracer is None else _RecordedSpan(tracer, name, attributes)


class _RecordedSpan(TelemetrySpan):
    __slots__ = ("_attributes", "_name", "_span", "_token", "_tracer")

    def __init__(self, tracer: Tracer, name: str, attributes: Mapping[str, object]) -> None:
        self._tracer, self._name, self._attributes = tracer, name, attributes
        self._span: Span | None = None
        self._token: Token[TelemetrySpan | None] | None = None

    def set(self, **attributes: object) -> None:
        if self._span is not None:
            self._span.set_attributes(_as_attributes(attributes))

    def start(self) -> Self:
        from opentelemetry.trace import set_span_in_context

        parent = current_span.get()
        known = parent._span if isinstance(parent, _RecordedSpan) else None  # else: that of the surrounding program
        context = None if known is None else set_span_in_context(known)
        self._span = self._tracer.start_span(self._name, context, attributes=_as_attributes(self._attributes))
        return self

    def end(self, error: BaseException | None = None) -> None:
        if self._span is None:
            return
        if isinstance(error, _STOPPED) or type(error).__name__ == "CancelledError":
            self.set(outcome="stopped")
        elif error is not None:
            from opentelemetry.trace import Status, StatusCode

            fields = error_fields(error)
            self.set(**fields)
            self._span.set_status(Status(StatusCode.ERROR, str(fields["error"])))
        self._span.end()

    def __enter__(self) -> Self:
        self.start()
        self._token = current_span.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._token is not None:
            with suppress(ValueError):  # closed from another context, as a generator may be: nothing to put back
                current_span.reset(self._token)
        self.end(error)


def _as_attributes(fields: Mapping[str, object]) -> dict[str, AttributeValue]:
    """Attributes in UTF-8: half of a surrogate pair, as in a broken file name, would cost the whole batch."""
    attributes: dict[str, AttributeValue] = {}
    for name, value in shown(fields).items():
        if isinstance(value, dict):
            continue
        valid: AttributeValue = [_valid(each) for each in value] if isinstance(value, list) else value
        attributes[_STANDARD_NAMES.get(name, f"clausegraph.{name}")] = (
            _valid(value) if isinstance(value, str) else valid
        )
    return attributes


def _valid(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def start_telemetry(mode: str, version: str | None = None) -> None:
    """Record spans from here on and send them to a collector; no effect with ``mode`` "off" or when already on.

    The tracer provider is private: were it the global one, instrumented libraries would write their own spans to it,
    with prompts and replies in them.

    Args:
        mode: "off" or "otlp".
    """
    global _provider, _tracer, _warned  # noqa: PLW0603 - one process, one collector
    if mode == "off" or _provider is not None:
        return
    require_extra(
        "telemetry",
        "setting 'telemetry' is otlp, which",
        otherwise="set CLAUSEGRAPH_TELEMETRY=off",
        error=SettingsError,
    )
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = {"service.name": "clausegraph"} | ({"service.version": version} if version else {})
    # Resource() and not create(): detectors that the environment names would add the command line, question and all
    _provider = TracerProvider(resource=Resource(resource), shutdown_on_exit=False)
    _provider.add_span_processor(BatchSpanProcessor(_exporter(), schedule_delay_millis=_BATCH_MILLISECONDS))
    _warned = False
    _tracer = _provider.get_tracer("clausegraph")


def _exporter() -> SpanExporter:
    """The SDK's exporter; where nobody takes the spans, one warning stands for its many."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import SpanExportResult

    class Exporter(OTLPSpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            result = super().export(spans)
            if result is not SpanExportResult.SUCCESS:
                _warn_of_loss()
            return result

    _sdk_log.setLevel(logging.CRITICAL + 1)
    return Exporter(timeout=_EXPORT_SECONDS)


def _warn_of_loss() -> None:
    global _warned  # noqa: PLW0603 - as above
    if not _warned:
        _warned = True
        hint = "no collector took the spans; start one, name it in OTEL_EXPORTER_OTLP_ENDPOINT, or turn telemetry off"
        _log.warning("telemetry.lost", hint=hint)


def stop_telemetry(wait: float = FLUSH_SECONDS) -> None:
    """Send what is left and stop recording; waits ``wait`` seconds at most: the SDK itself takes 30."""
    global _provider, _tracer
    provider, _provider, _tracer = _provider, None, None
    if provider is None:
        return
    closer = threading.Thread(target=provider.shutdown, name="telemetry-close", daemon=True)
    closer.start()
    closer.join(wait)
    if closer.is_alive():
        _warn_of_loss()
    else:
        _sdk_log.setLevel(logging.NOTSET)
