"""``single-pass``: retrieve once, read once."""

from __future__ import annotations

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Answer
from clausegraph.indexes.views import View
from clausegraph.query.engines.answers import (
    ReaderOf,
    Trace,
    ViewRules,
    asks,
    best_hits,
    make_answer,
    reader_of,
    usage_detail,
)
from clausegraph.query.engines.bank import EngineOptions, Watch
from clausegraph.query.engines.contradicted import Settling
from clausegraph.query.retrieve.bank import Retriever, depth, make_retriever
from clausegraph.query.steps.model import QuestionMeter


class SinglePass:
    """Hands what one retriever finds to one reader."""

    def __init__(self, view: View, retriever: Retriever, reader: ReaderOf, options: EngineOptions) -> None:
        depth(options.limit, None)
        self._view, self._retriever, self._reader, self._options = view, retriever, reader, options

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        """The answer at the view's epoch."""
        inquiry.require_plain("single-pass")
        view, options, trace = self._view, self._options, Trace(watch)
        about = {"corpus": view.corpus, "epoch": view.epoch, "question": inquiry.question, "scenario": inquiry.scenario}
        with span("ask", **about) as asked:
            with trace.step("retrieve", limit=options.limit) as detail:
                hits = self._retriever.retrieve(inquiry, limit=options.limit)
                detail.update({"retriever": options.retriever} | best_hits(hits))
            with trace.step("read", elements=len(hits)) as detail:
                meter = QuestionMeter(options.question)
                reader = self._reader(options.model.question(meter, watch) if options.model else None)
                rules = ViewRules(view)
                again = None if asks(options) else lambda left: reader.read(inquiry, left, rules)
                settling = Settling(view, inquiry, again, options.commits)
                result = settling.settled(reader.read(inquiry, hits, rules), hits)
                detail.update(dict(result.reasons) | usage_detail(meter))
            asked.set(status=result.status.value, alternatives=len(result.alternatives))
            return make_answer(view, inquiry, result, trace.steps)


def make(view: View, embedder: Embedder, options: EngineOptions) -> SinglePass:
    """The engine on a view."""
    retriever = make_retriever(options.retriever, view, embedder, reranker=options.reranker)
    return SinglePass(view, retriever, reader_of(embedder, options), options)
