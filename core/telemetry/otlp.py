"""The OpenTelemetry SDK behind ``core.telemetry.spans``: imported only when telemetry is on.

The tracer provider is private to ClauseGraph. Were it the global one, instrumented libraries would write their own
spans to it, with prompts and replies in them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from contextvars import Token
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import requests
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span as OtelSpan
from opentelemetry.trace import Status, StatusCode, Tracer, set_span_in_context
from opentelemetry.util.types import AttributeValue

from clausegraph.core.errors import SettingsError
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.telemetry.redaction import error_fields, one_line, shown
from clausegraph.core.telemetry.spans import TelemetrySpan, current_span

_PATH = "/v1/traces"
_EXPORT_SECONDS = 2.0  # an attempt and its one retry; nobody waits for more than FLUSH_SECONDS at the end
_BATCH_MILLISECONDS = 1000.0
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
_STANDARD_NAMES = {  # OpenTelemetry's own names for what has one; all else is clausegraph.<name>
    "model": "gen_ai.request.model",
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "http_status": "http.response.status_code",
    "error": "error.type",
}
_STOPPED = (KeyboardInterrupt, GeneratorExit)  # and CancelledError: stopped from outside, no failure

_log = logger(__name__)


class Recorder:
    """Makes spans and sends them to one collector."""

    def __init__(self, endpoint: str, service: str, version: str | None) -> None:
        address = traces_address(endpoint)
        self._exporter = _WarnsOnce(address)
        resource = {"service.name": service} | ({"service.version": version} if version else {})
        # Resource() and not create(): detectors that the environment names would add the command line, question and all
        self._provider = TracerProvider(resource=Resource(resource), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter, schedule_delay_millis=_BATCH_MILLISECONDS))
        self._tracer = self._provider.get_tracer("clausegraph")

    def span(self, name: str, attributes: Mapping[str, object]) -> TelemetrySpan:
        """A span that is recorded once it is started."""
        return _RecordedSpan(self._tracer, name, attributes)

    def close(self, wait: float) -> None:
        """Send what is left, for ``wait`` seconds at most: the SDK itself would wait for half a minute."""
        self._exporter.closing = True
        closer = threading.Thread(target=self._provider.shutdown, name="telemetry-close", daemon=True)
        closer.start()
        closer.join(wait)
        if closer.is_alive():
            self._exporter.warn()
        else:
            self._exporter.restore()


class _RecordedSpan(TelemetrySpan):
    __slots__ = ("_attributes", "_name", "_span", "_token", "_tracer")

    def __init__(self, tracer: Tracer, name: str, attributes: Mapping[str, object]) -> None:
        self._tracer, self._name, self._attributes = tracer, name, attributes
        self._span: OtelSpan | None = None
        self._token: Token[TelemetrySpan | None] | None = None

    def set(self, **attributes: object) -> None:
        if self._span is not None:
            self._span.set_attributes(_as_attributes(attributes))

    def start(self) -> Self:
        parent = current_span.get()
        known = parent._span if isinstance(parent, _RecordedSpan) else None  # else: that of the surrounding program
        context = None if known is None else set_span_in_context(known)
        self._span = self._tracer.start_span(self._name, context, attributes=_as_attributes(self._attributes))
        return self

    def end(self, error: BaseException | None = None) -> None:
        if self._span is None:
            return
        if error is not None:
            self._fail(self._span, error)
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

    @staticmethod
    def _fail(span: OtelSpan, error: BaseException) -> None:
        if isinstance(error, _STOPPED) or type(error).__name__ == "CancelledError":
            span.set_attributes(_as_attributes({"outcome": "stopped"}))
            return
        fields = error_fields(error)
        span.set_attributes(_as_attributes(fields))
        span.set_status(Status(StatusCode.ERROR, str(fields["error"])))


class _WarnsOnce(SpanExporter):
    """The SDK's exporter; where nobody listens, one warning stands for its many."""

    def __init__(self, address: str) -> None:
        self.closing = False
        self._address = address
        self._failing = self._warned = False
        self._theirs = logging.getLogger("opentelemetry.exporter")
        self._level = self._theirs.level
        self._theirs.setLevel(logging.CRITICAL + 1)
        self._exporter = OTLPSpanExporter(address, timeout=_EXPORT_SECONDS, session=_session(address))

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if self.closing and self._failing:
            return SpanExportResult.FAILURE  # it did not answer just before: do not wait for it again
        result = self._exporter.export(spans)
        self._failing = result is not SpanExportResult.SUCCESS
        if self._failing:
            self.warn()
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return True

    def warn(self) -> None:
        """Say once that spans are lost."""
        if not self._warned:
            self._warned = True
            hint = "no collector took the spans; start one, or set CLAUSEGRAPH_TELEMETRY=off"
            _log.warning("telemetry.lost", endpoint=self._address, hint=hint)

    def restore(self) -> None:
        """Let the SDK log again."""
        self._theirs.setLevel(self._level)


def traces_address(endpoint: str) -> str:
    """The address that spans are posted to: ``/v1/traces`` of a collector, or the endpoint where it says so itself.

    Raises:
        SettingsError: it is no http or https address.
    """
    try:
        parts = urlsplit(endpoint)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https"):
        raise SettingsError(
            f"setting 'telemetry_url' is wrong: {one_line(endpoint[:80])!r} is no http(s) address of an OTLP "
            "collector, such as http://127.0.0.1:4318"
        )
    base = endpoint.rstrip("/")
    return base if base.endswith(_PATH) else base + _PATH


def _session(address: str) -> requests.Session:
    """A collector on this machine is reached directly, whatever proxy the environment names."""
    session = requests.Session()
    session.trust_env = urlsplit(address).hostname not in _LOOPBACK
    return session


def _as_attributes(fields: Mapping[str, object]) -> dict[str, AttributeValue]:
    attributes: dict[str, AttributeValue] = {}
    for name, value in shown(fields).items():
        if not isinstance(value, dict):
            attributes[_STANDARD_NAMES.get(name, f"clausegraph.{name}")] = _encodable(value)
    return attributes


def _encodable(value: str | float | list[str]) -> str | float | list[str]:
    """Half of a surrogate pair, as in a broken file name, would cost the whole batch."""
    if isinstance(value, list):
        return [_valid(each) for each in value]
    return _valid(value) if isinstance(value, str) else value


def _valid(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
