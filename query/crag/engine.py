"""``crag``: open questions from pages, tables and graphs, answered shortly, or with "i don't know".

A question goes through rounds (``rounds.py``); what it is asked of (pages of its own, a corpus, a graph) is given, and
every module is behind a switch. Nothing of a question is kept.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from datetime import time as day_time

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Alternative, Answer, AnswerStatus, Evidence, Sentence, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.crag.answer.model import ModelAnswerer, OwnKnowledge
from clausegraph.query.crag.answer.quotes import each_once, nearest_quotes
from clausegraph.query.crag.answer.sure import SureAnswerer
from clausegraph.query.crag.compared import CorrectiveGatherer, ReactGatherer
from clausegraph.query.crag.critic import ModelCritic, RuleCritic
from clausegraph.query.crag.kg.lookup import GraphLookup
from clausegraph.query.crag.kg.own import CorpusGraph
from clausegraph.query.crag.parts import CragOptions, nobody
from clausegraph.query.crag.rounds import OpenCragQuestion
from clausegraph.query.crag.sources import CragGatherer
from clausegraph.query.crag.text import CorpusText
from clausegraph.query.crag.time.clock import now
from clausegraph.query.crag.time_left import TimeLeft
from clausegraph.query.crag.types import CragAnswer, CragQuestion, ReferenceKind, TextLookup
from clausegraph.query.engines.protocol import EngineOptions, Watch
from clausegraph.query.engines.single_pass import unwatched
from clausegraph.query.retrieve.bank import make_retriever
from clausegraph.query.steps.meter import QuestionLimits, QuestionMeter
from clausegraph.query.steps.model import ModelSteps, StepModel

_GATHERERS: Mapping[str, Callable[[StepModel], CragGatherer]] = {
    "react": ReactGatherer,
    "corrective": CorrectiveGatherer,
}
_QUOTED = 3  # sentences that are shown where nothing is asserted
_NEARBY = 5  # pages and functions that are named there


class CragEngine:
    """Answers open questions.

    Args:
        options: modules, and makers of parts.
        model: none: rules, a graph's own answer, and what one sentence surely states.
        limits: what a question may use of the model.
    """

    def __init__(
        self, options: CragOptions, model: ModelSteps | None = None, limits: QuestionLimits = QuestionLimits()
    ) -> None:
        self._options, self._model, self._limits = options, model, limits

    def answer(
        self,
        question: CragQuestion,
        text: TextLookup | None,
        watch: Watch | None = None,
        *,
        begun: float | None = None,
    ) -> CragAnswer:
        """The answer with its trace.

        Args:
            text: pages to answer from; none: only what a graph says.
            begun: of ``time.monotonic()``, when its time began: reading its pages counts; none means now.

        Raises:
            ModelError: a model is asked, and its server gives no reply.
        """
        meter = QuestionMeter(self._limits)
        model = self._model.question(meter) if self._model else None
        started = time.monotonic() if begun is None else begun
        with span("ask", question=question.text) as asked, _ended(model, started, self._options.switches.seconds):
            answer = self._opened(question, text, meter, model, watch or unwatched, started).run()
            asked.set(status=answer.status.value, rounds=answer.rounds)
        return answer

    def _opened(
        self,
        question: CragQuestion,
        text: TextLookup | None,
        meter: QuestionMeter,
        model: StepModel | None,
        watch: Watch,
        started: float,
    ) -> OpenCragQuestion:
        switches, parts = self._options.switches, self._options.parts
        return OpenCragQuestion(
            question=question,
            switches=switches,
            meter=meter,
            watch=watch,
            answerer=ModelAnswerer(model, switches) if model else SureAnswerer(),
            critic=ModelCritic(model) if model else RuleCritic(),
            predictor=parts.predictor(model) if switches.attributes != "off" else None,
            text=text,
            graph=parts.graph(model) if switches.graph != "off" else None,
            calculator=parts.calculator(model) if switches.calculator else None,
            own=OwnKnowledge(model) if model and switches.own_knowledge else None,
            asks=model is not None,
            time=TimeLeft(self._options.switches.seconds, started),
            gatherer=_GATHERERS[switches.gather](model) if model and switches.gather != "all" else None,
        )


class CorpusCrag:
    """The engine on a view: an ``Engine`` like the others."""

    def __init__(self, view: View, embedder: Embedder, options: EngineOptions) -> None:
        self._view, self._embedder = view, embedder
        self._text = CorpusText(view, make_retriever(options.retriever, view, embedder))
        self._engine = CragEngine(_with_own_graph(options.crag or CragOptions(), view), options.model, options.question)

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        """The answer at the view's epoch; a date is the noon of that day, in UTC.

        Raises:
            QuestionError: there are assumptions.
            ModelError: a model is asked, and there is no reply.
        """
        if inquiry.assumptions:
            inquiry.require_plain("crag")
        at = now() if inquiry.as_of is None else datetime.combine(inquiry.as_of, day_time(12), UTC)
        found = self._engine.answer(CragQuestion(inquiry.text, at), self._text, watch)
        return as_answer(found, inquiry, self._view.corpus, self._view.epoch, self._embedder)


def _with_own_graph(options: CragOptions, view: View) -> CragOptions:
    """Where no other graph is set up, the corpus's own is planned over; without a model there is no plan."""
    if options.parts.graph is not nobody:
        return options

    def graph(model: StepModel | None) -> GraphLookup | None:
        return GraphLookup(lambda: nullcontext(CorpusGraph(view)), model) if model is not None else None

    return replace(options, parts=replace(options.parts, graph=graph))


def as_answer(found: CragAnswer, inquiry: Inquiry, corpus: str, epoch: int, embedder: Embedder | None = None) -> Answer:
    """The answer in the form that every engine returns; where nothing is asserted, it quotes what was nearest.

    Args:
        embedder: by which sentences of a piece are compared beside their words; none: by words alone.
    """
    evidence = tuple(each_once(quote for reference in found.used for quote in reference.evidence))
    unknown = found.status is AnswerStatus.UNKNOWN
    status, quotes = found.status, tuple[Evidence, ...]()
    if unknown:
        quotes = nearest_quotes(inquiry.question, found.references, embedder, _QUOTED)
        status = AnswerStatus.QUOTED if quotes else AnswerStatus.NOT_ANSWERABLE
    elif status is AnswerStatus.INVALID_PREMISE:
        quotes = evidence
    alternatives = (Alternative(found.text, None, evidence, 1.0),) if status is AnswerStatus.ANSWERED else ()
    return Answer(
        inquiry,
        status,
        alternatives,
        corpus,
        epoch,
        (*found.trace, *_used(found)),
        quotes=quotes,
        sentences=_sentences(found, evidence),
        missing=found.missing if unknown else "",
        nearby=found.looked_into[:_NEARBY] if unknown else (),
    )


def _sentences(found: CragAnswer, evidence: tuple[Evidence, ...]) -> tuple[Sentence, ...]:
    """The answer as a sentence with what it rests on; none where nothing is asserted, or nothing can be cited."""
    if found.status is not AnswerStatus.ANSWERED or not evidence:
        return ()
    calculations = tuple(one.text for one in found.used if one.kind is ReferenceKind.CALCULATOR)
    return (Sentence(found.text, evidence, calculations=calculations),)


def _used(found: CragAnswer) -> tuple[TraceStep, ...]:
    used = found.usage
    if not used.calls:
        return ()
    detail: dict[str, object] = {
        "calls": used.calls,
        "prompt_tokens": used.prompt_tokens,
        "output_tokens": used.output_tokens,
        "by_step": [f"{task} {count}" for task, count in used.by_step.items()],
    }
    return (TraceStep("model", used.seconds * 1000, detail),)


@contextmanager
def _ended(model: StepModel | None, started: float, seconds: float) -> Iterator[None]:
    """No call of a model goes on when the seconds are over; 0: no limit."""
    if model is None or not seconds:
        yield
        return
    timer = threading.Timer(max(0.0, started + seconds - time.monotonic()), model.stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def make(view: View, embedder: Embedder, options: EngineOptions) -> CorpusCrag:
    """The engine on a view.

    Raises:
        InputError: no such retriever.
    """
    return CorpusCrag(view, embedder, options)
