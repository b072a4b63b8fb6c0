"""``single-pass``: retrieve once, read once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clausegraph.core.errors import SettingsError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Alternative, Answer, Evidence, PageKey, PlacedPassage, Reading, Support, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.engines.contradicted import Settling
from clausegraph.query.engines.protocol import EngineOptions, ReaderMaker, Watch
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.protocol import READERS, Reader, ReadResult, make_reader
from clausegraph.query.retrieve.bank import make_retriever
from clausegraph.query.retrieve.protocol import Retriever, depth
from clausegraph.query.steps.meter import QuestionMeter
from clausegraph.query.steps.model import StepModel

NAME = "single-pass"
ReaderOf = Callable[[StepModel | None], Reader]  # a reader for one question


@dataclass(frozen=True, slots=True)
class ViewRules:
    """What a view states, as a reader takes it."""

    view: View

    def reading(self, page: PageKey) -> Reading:
        return self.view.reading(page)

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[Support]:
        return self.view.graph.supports_on(page, anchors)

    def passages_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[PlacedPassage]:
        return self.view.passages_on(page, anchors)


class SinglePass:
    """Hands what one retriever finds to one reader."""

    def __init__(self, view: View, retriever: Retriever, reader: ReaderOf, options: EngineOptions) -> None:
        depth(options.limit, None)
        self._view = view
        self._retriever = retriever
        self._reader = reader
        self._options = options

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        """The answer at the view's epoch.

        Raises:
            QuestionError: there is a date or an assumption.
            ModelError: the reader asks a language model, and there is no reply.
        """
        inquiry.require_plain(NAME)
        told = watch or unwatched
        corpus, epoch = self._view.corpus, self._view.epoch
        with span("ask", corpus=corpus, epoch=epoch, question=inquiry.question, scenario=inquiry.scenario) as asked:
            hits, retrieved = self._retrieve(inquiry)
            told(retrieved)
            result, read = self._read(inquiry, hits, watch)
            told(read)
            asked.set(status=result.status.value, alternatives=len(result.alternatives))
            return Answer(
                inquiry=inquiry,
                status=result.status,
                alternatives=result.alternatives,
                corpus=corpus,
                epoch=epoch,
                trace=(retrieved, read),
                extractors=stated_by(self._view, result.alternatives, (*result.quotes, *cited_by(result))),
                quotes=result.quotes,
                contradictions=result.contradictions,
                sentences=result.sentences,
                missing=result.missing,
                nearby=result.nearby,
            )

    def _retrieve(self, inquiry: Inquiry) -> tuple[list[Hit], TraceStep]:
        start = time.perf_counter()
        with span("ask.retrieve", limit=self._options.limit) as retrieving:
            hits = self._retriever.retrieve(inquiry, limit=self._options.limit)
            retrieving.set(elements=len(hits))
        best = [{"page": str(hit.page), "anchor": hit.key, "score": round(hit.score, 4)} for hit in hits[:10]]
        detail = {"retriever": self._options.retriever, "elements": len(hits), "best": best}
        return hits, TraceStep("retrieve", (time.perf_counter() - start) * 1000, detail)

    def _read(self, inquiry: Inquiry, hits: Sequence[Hit], watch: Watch | None) -> tuple[ReadResult, TraceStep]:
        start = time.perf_counter()
        meter = QuestionMeter(self._options.question)
        model = self._options.model.question(meter, watch) if self._options.model else None
        reader, rules = self._reader(model), ViewRules(self._view)
        again = None if asks(self._options) else lambda left: reader.read(inquiry, left, rules)
        with span("ask.read", elements=len(hits)):
            settling = Settling(self._view, inquiry, again, self._options.commits)
            result = settling.settled(reader.read(inquiry, hits, rules), hits)
        detail = dict(result.reasons) | usage_detail(meter)
        return result, TraceStep("read", (time.perf_counter() - start) * 1000, detail)


def make(view: View, embedder: Embedder, options: EngineOptions) -> SinglePass:
    """The engine on a view.

    Raises:
        InputError: no such retriever or reader, or a limit below 1.
    """
    retriever = make_retriever(options.retriever, view, embedder, reranker=options.reranker)
    return SinglePass(view, retriever, reader_of(embedder, options), options)


def asks(options: EngineOptions) -> bool:
    """Whether the reader asks a language model."""
    return callable(options.reader) or (isinstance(options.reader, str) and READERS[options.reader].asks)


def reader_of(embedder: Embedder, options: EngineOptions) -> ReaderOf:
    """What makes the reader of a question; one that asks no model is made once.

    Raises:
        InputError: no such reader.
        SettingsError: it asks a language model, and there is none.
    """
    name = options.reader
    if not isinstance(name, str):
        return _given(name, embedder, options)
    if READERS[name].asks and options.model is not None:
        return lambda model: make_reader(name, embedder, model)
    made = make_reader(name, embedder)
    return lambda _: made


def _given(reader: Reader | ReaderMaker, embedder: Embedder, options: EngineOptions) -> ReaderOf:
    if not callable(reader):
        return lambda _: reader
    if options.model is None:
        raise SettingsError("the reader asks a language model, and none is set; set CLAUSEGRAPH_LLM")

    def made(model: StepModel | None) -> Reader:
        assert model is not None  # every question of an engine with a model has one
        return reader(embedder, model)

    return made


def unwatched(_: TraceStep) -> None:
    """Nobody looks on."""


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


def cited_by(result: ReadResult) -> tuple[Evidence, ...]:
    """The places that the sentences of a result cite."""
    return tuple(evidence for one in result.sentences for evidence in one.evidence)


def stated_by(view: View, alternatives: Sequence[Alternative], quotes: Sequence[Evidence] = ()) -> tuple[str, ...]:
    """Who states facts or conditions at what is quoted, and at the evidence of alternatives and their conditions."""
    anchors: dict[PageKey, set[str]] = {}
    cited = [evidence for alternative in alternatives for evidence in (*alternative.evidence, *alternative.sources)]
    for evidence in (*cited, *quotes):
        anchors.setdefault(evidence.page, set()).add(evidence.span.anchor)
    found: set[str] = set()
    for page, wanted in anchors.items():
        found |= {support.extractor for support in view.graph.supports_on(page, sorted(wanted))}
        found |= {placed.extractor for placed in view.passages_on(page, wanted)}
    return tuple(sorted(found))
