"""What engines have in common: the trace of a question, the reader of one, and the answer made of what was read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from clausegraph.core.errors import SettingsError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Answer, Evidence, PageKey, PlacedRule, Reading, Support, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import EngineOptions, Watch
from clausegraph.query.read.protocol import READERS, Reader, ReadResult, make_reader
from clausegraph.query.retrieve.bank import Hit
from clausegraph.query.steps.model import QuestionMeter, StepModel

ReaderOf = Callable[[StepModel | None], Reader]  # a reader for one question


class Trace:
    """The steps of a question, each told to ``watch`` when it has ended."""

    def __init__(self, watch: Watch | None = None) -> None:
        self.watch: Watch = watch or (lambda _: None)
        self.steps: list[TraceStep] = []

    @contextmanager
    def step(self, name: str, prefix: str = "ask", **about: object) -> Iterator[dict[str, object]]:
        """A step; gives the detail that it fills. It is noted also where it fails. ``about`` is for its span."""
        detail: dict[str, object] = {}
        started = time.perf_counter()
        try:
            with span(f"{prefix}.{name}", **about):
                yield detail
        finally:
            step = TraceStep(name, (time.perf_counter() - started) * 1000, detail)
            self.steps.append(step)
            self.watch(step)


def best_hits(hits: Sequence[Hit]) -> dict[str, object]:
    """How many hits there are, and the first ten, for a trace."""
    best = [{"page": str(hit.page), "anchor": hit.key, "score": round(hit.score, 4)} for hit in hits[:10]]
    return {"elements": len(hits), "best": best}


def usage_detail(meter: QuestionMeter) -> dict[str, object]:
    """What a question used of the model, for its trace; nothing where it asked none."""
    used = meter.usage()
    if not used.calls:
        return {}
    return {
        "calls": used.calls,
        "prompt_tokens": used.prompt_tokens,
        "output_tokens": used.output_tokens,
        "money": round(used.money, 6),
        "saved": round(used.saved, 6),
        "model_seconds": round(used.seconds, 3),
    }


@dataclass(frozen=True, slots=True)
class ViewRules:
    """What a view states, as a reader takes it."""

    view: View

    def reading(self, page: PageKey) -> Reading:
        return self.view.reading(page)

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[Support]:
        return self.view.graph.supports_on(page, anchors)

    def rules_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[PlacedRule]:
        return self.view.rules_on(page, anchors)


def asks(options: EngineOptions) -> bool:
    """Whether the reader asks a language model."""
    return callable(options.reader) or (isinstance(options.reader, str) and READERS[options.reader].asks)


def reader_of(embedder: Embedder, options: EngineOptions) -> ReaderOf:
    """What makes the reader of a question; one that asks no model is made once."""
    reader = options.reader
    if isinstance(reader, str):
        if READERS[reader].asks and options.model is not None:
            return lambda model: make_reader(reader, embedder, model)
        made = make_reader(reader, embedder)
        return lambda _: made
    if not callable(reader):
        return lambda _: reader
    if options.model is None:
        raise SettingsError("the reader asks a language model, and none is set; set CLAUSEGRAPH_LLM")

    def make(model: StepModel | None) -> Reader:
        assert model is not None  # every question of an engine with a model has one
        return reader(embedder, model)

    return make


def make_answer(view: View, inquiry: Inquiry, result: ReadResult, trace: Sequence[TraceStep]) -> Answer:
    """The answer at the view's epoch, with who extracted what it cites."""
    cited = [evidence for one in result.alternatives for evidence in (*one.evidence, *one.sources)]
    cited += [*result.quotes, *(evidence for one in result.sentences for evidence in one.evidence)]
    return Answer(
        inquiry=inquiry,
        status=result.status,
        alternatives=result.alternatives,
        corpus=view.corpus,
        epoch=view.epoch,
        trace=tuple(trace),
        extractors=_extractors(view, cited),
        quotes=result.quotes,
        contradictions=result.contradictions,
        sentences=result.sentences,
        missing=result.missing,
        nearby=result.nearby,
    )


def _extractors(view: View, cited: Sequence[Evidence]) -> tuple[str, ...]:
    """Who states facts or conditions at these places."""
    anchors: dict[PageKey, set[str]] = {}
    for evidence in cited:
        anchors.setdefault(evidence.page, set()).add(evidence.span.anchor)
    found: set[str] = set()
    for page, wanted in anchors.items():
        found |= {support.extractor for support in view.graph.supports_on(page, sorted(wanted))}
        found |= {placed.extractor for placed in view.rules_on(page, wanted)}
    return tuple(sorted(found))
