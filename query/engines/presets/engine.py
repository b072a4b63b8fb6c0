"""Presets that find once, fill one prompt and read its reply. Names and makers are in ``engines/bank.py``."""

from __future__ import annotations

import time

from clausegraph.core.errors import SettingsError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Answer, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.engines.presets import gather
from clausegraph.query.engines.presets.chain_of_condition import chain
from clausegraph.query.engines.presets.context import PromptContext
from clausegraph.query.engines.presets.forms import form_by_question
from clausegraph.query.engines.presets.gather import Gather, Sources
from clausegraph.query.engines.presets.react import react
from clausegraph.query.engines.presets.summarise import summarise
from clausegraph.query.engines.presets.think_on_graph import think
from clausegraph.query.engines.protocol import EngineOptions, Watch
from clausegraph.query.engines.single_pass import stated_by, unwatched, usage_detail
from clausegraph.query.read.protocol import ReadResult
from clausegraph.query.steps.meter import QuestionMeter
from clausegraph.query.steps.model import ModelSteps


class ContextEngine:
    """Gathers a context and summarises it."""

    def __init__(self, name: str, find: Gather, view: View, embedder: Embedder, options: EngineOptions) -> None:
        self._name, self._find = name, find
        self._view, self._embedder, self._options = view, embedder, options
        self._steps = model_of(name, options)

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        """The answer; a preset commits itself, as the published system does.

        Raises:
            QuestionError: there is a date or an assumption.
            ModelError: there is no reply, or none that can be read.
        """
        inquiry.require_plain(self._name)
        told = watch or unwatched
        meter = QuestionMeter(self._options.question)
        sources = Sources(self._view, self._embedder, self._steps.question(meter))
        corpus, epoch = self._view.corpus, self._view.epoch
        with span("ask", corpus=corpus, epoch=epoch, question=inquiry.question, scenario=inquiry.scenario):
            started = time.perf_counter()
            context = self._find(sources, inquiry)
            found = _step("retrieve", started, {"preset": self._name, "elements": len(context.shown)})
            told(found)
            started = time.perf_counter()
            result = self.read(sources, inquiry, context)
            read = _step("read", started, dict(result.reasons) | usage_detail(meter))
            told(read)
            return Answer(
                inquiry=inquiry,
                status=result.status,
                alternatives=result.alternatives,
                corpus=corpus,
                epoch=epoch,
                trace=(found, read),
                extractors=stated_by(self._view, result.alternatives),
            )

    def read(self, sources: Sources, inquiry: Inquiry, context: PromptContext) -> ReadResult:
        """The answer that the context gives."""
        form = (self._options.form or form_by_question)(inquiry)
        shots = self._options.shots.get(form if context.solved is None else form.alone, "")
        return summarise(self._view.reading, sources.model, inquiry, context, form, shots)


def model_of(name: str, options: EngineOptions) -> ModelSteps:
    """The model of a preset.

    Raises:
        SettingsError: there is none.
    """
    if options.model is None:
        raise SettingsError(f"engine {name!r} asks a language model, and none is set; set CLAUSEGRAPH_LLM")
    return options.model


def _step(name: str, started: float, detail: dict[str, object]) -> TraceStep:
    return TraceStep(name, (time.perf_counter() - started) * 1000, detail)


def hybridcontextqa(view: View, embedder: Embedder, options: EngineOptions) -> ContextEngine:
    """HybridContextQA: 5 chunks and 30 triples with theirs, united in one prompt of four."""
    return ContextEngine("hybridcontextqa", gather.hybrid, view, embedder, options)


def kg_only(view: View, embedder: Embedder, options: EngineOptions) -> ContextEngine:
    """HybridContextQA's switch at "kg"."""
    return ContextEngine("kg-only", gather.graph, view, embedder, options)


def vector_only(view: View, embedder: Embedder, options: EngineOptions) -> ContextEngine:
    """HybridContextQA's switch at "vector"."""
    return ContextEngine("vector-only", gather.vector, view, embedder, options)


def text_prompt(view: View, embedder: Embedder, options: EngineOptions) -> ContextEngine:
    """The page, scenario and question."""
    return ContextEngine("text-prompt", gather.page, view, embedder, options)


def code_prompt(view: View, embedder: Embedder, options: EngineOptions) -> ContextEngine:
    """The same as pseudo-code, which the model writes first."""
    return ContextEngine("code-prompt", gather.code, view, embedder, options)


def chain_of_condition(view: View, embedder: Embedder, options: EngineOptions) -> ContextEngine:
    """Chain of Condition."""
    return ContextEngine("chain-of-condition", chain, view, embedder, options)


def think_on_graph(view: View, embedder: Embedder, options: EngineOptions) -> ContextEngine:
    """Think-on-Graph."""
    return ContextEngine("think-on-graph", think, view, embedder, options)


def vector_reranked(view: View, embedder: Embedder, options: EngineOptions) -> ContextEngine:
    """Chunks put in order by the model."""
    return ContextEngine("vector-reranked", gather.reranked, view, embedder, options)


def react_turns(view: View, embedder: Embedder, options: EngineOptions) -> ContextEngine:
    """ReAct."""
    return ContextEngine("react", react, view, embedder, options)


def corrective_rag(view: View, embedder: Embedder, options: EngineOptions) -> ContextEngine:
    """Corrective RAG."""
    return ContextEngine("corrective-rag", gather.corrective, view, embedder, options)
