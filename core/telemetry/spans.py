"""Spans: what took how long, with which figures, as OpenTelemetry traces where they are turned on.

>>> with span("ask.retrieve", corpus="policies") as found:
...     found.set(elements=60)

Off (the default), a span is one shared object that does nothing, and OpenTelemetry need not be installed. Attributes
pass through ``core.telemetry.redaction``: figures and ids leave, texts only with ``log_prompts``, secrets never.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import Protocol, Self


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


class SpanSource(Protocol):
    """Makes spans that are recorded."""

    def span(self, name: str, attributes: Mapping[str, object]) -> TelemetrySpan: ...


_OFF = TelemetrySpan()
_source: SpanSource | None = None


def take_spans_from(source: SpanSource | None) -> None:
    """Let all spans of the process come from here; from None they record nothing."""
    global _source  # noqa: PLW0603 - one process, one collector
    _source = source


def span(name: str, /, **attributes: object) -> TelemetrySpan:
    """A span as a context manager, child of the current one; an error that passes through it is recorded.

    Do not hold one open over a ``yield`` of an asynchronous generator; use ``start`` and ``end`` there.
    """
    source = _source
    return _OFF if source is None else source.span(name, attributes)
