"""Engines that find once, fill one prompt and read its reply: what the published systems have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clausegraph.core.errors import SettingsError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Answer
from clausegraph.indexes.views import View
from clausegraph.query.engines.answers import Trace, make_answer, usage_detail
from clausegraph.query.engines.bank import EngineOptions, Watch
from clausegraph.query.engines.prompt import PromptContext, form_by_question, of_hits, summarise
from clausegraph.query.read.protocol import ReadResult
from clausegraph.query.retrieve.bank import Hit, Place
from clausegraph.query.retrieve.nearest import VectorChunks, chunks_at, embed
from clausegraph.query.steps.model import ModelSteps, QuestionMeter, StepModel

VECTOR_TOP = 5  # chunks, as HybridContextQA
TRIPLES = 30
TRIPLE_CHUNKS = 10  # whose text goes with the triples: LlamaIndex's ``num_chunks_per_query``


@dataclass(frozen=True, slots=True)
class Sources:
    """What a preset looks up in, for one question."""

    view: View
    embedder: Embedder
    model: StepModel

    def chunks(self, inquiry: Inquiry, limit: int) -> list[Hit]:
        """The most similar chunks."""
        return VectorChunks(self.view, self.embedder).retrieve(inquiry, limit=limit)

    def triples(
        self, inquiry: Inquiry, triples: int = TRIPLES, chunks: int = TRIPLE_CHUNKS
    ) -> tuple[Sequence[str], list[Hit]]:
        """The nearest triples in words, and the chunks that state the first of them."""
        near = {hit.ref: hit.score for hit in self.view.search("fact", embed(inquiry, self.embedder), triples)}
        facts = self.view.graph.facts(list(near))
        places: dict[Place, float] = {}
        stated = self.view.graph.supports(list(near))
        for support in sorted(stated, key=lambda one: (-near[one.fact_id], one.page, one.chunk_key)):
            places.setdefault((support.page, support.chunk_key), near[support.fact_id])
        first = dict(list(places.items())[:chunks])
        return [f"({fact.text})" for fact in facts], chunks_at(self.view, first, "fact")

    def shown(self, hits: Sequence[Hit], triples: Sequence[str] = ()) -> PromptContext:
        """The hits as a prompt shows them; triples above them."""
        return of_hits(self.view.reading, hits, triples)


Find = Callable[[Sources, Inquiry], PromptContext]


class Preset:
    """Finds a context and summarises it. It commits itself, as published systems do."""

    def __init__(self, name: str, find: Find, view: View, embedder: Embedder, options: EngineOptions) -> None:
        self._name, self._find = name, find
        self._view, self._embedder, self._options = view, embedder, options
        self._steps = model_of(name, options)

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        """The answer."""
        inquiry.require_plain(self._name)
        meter, trace, view = QuestionMeter(self._options.question), Trace(watch), self._view
        sources = Sources(view, self._embedder, self._steps.question(meter))
        with span("ask", corpus=view.corpus, epoch=view.epoch, question=inquiry.question, scenario=inquiry.scenario):
            with trace.step("retrieve") as detail:
                context = self._find(sources, inquiry)
                detail.update({"preset": self._name, "elements": len(context.shown)})
            with trace.step("read") as detail:
                result = self.read(sources, inquiry, context)
                detail.update(dict(result.reasons) | usage_detail(meter))
            return make_answer(view, inquiry, result, trace.steps)

    def read(self, sources: Sources, inquiry: Inquiry, context: PromptContext) -> ReadResult:
        """The answer that the context gives."""
        form = (self._options.form or form_by_question)(inquiry)
        shots = self._options.shots.get(form if context.solved is None else form.alone, "")
        return summarise(self._view.reading, sources.model, inquiry, context, form, shots)


def model_of(name: str, options: EngineOptions) -> ModelSteps:
    """The model of a preset."""
    if options.model is None:
        raise SettingsError(f"engine {name!r} asks a language model, and none is set; set CLAUSEGRAPH_LLM")
    return options.model


def preset(name: str, find: Find) -> Callable[[View, Embedder, EngineOptions], Preset]:
    """The maker of the engine of that name."""
    return lambda view, embedder, options: Preset(name, find, view, embedder, options)
