"""``crag``: open questions from pages, tables and graphs, answered shortly, or with "i don't know".

A question goes through rounds (``rounds.py``); what it is asked of (pages of its own, a corpus, a graph) is given, and
every module is behind a switch. Nothing of a question is kept.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from datetime import time as day_time

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Alternative, Answer, AnswerStatus, Evidence, Sentence, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.crag.kg.graphs import CorpusGraph
from clausegraph.query.crag.kg.plan import GraphLookup
from clausegraph.query.crag.rounds import CragRounds, TimeLeft
from clausegraph.query.crag.sure import each_once, nearest_quotes
from clausegraph.query.crag.text import CorpusText
from clausegraph.query.crag.times import now
from clausegraph.query.crag.types import CragAnswer, CragOptions, CragQuestion, ReferenceKind, TextLookup, nobody
from clausegraph.query.engines.bank import EngineOptions, Watch
from clausegraph.query.engines.feedback import run_rounds
from clausegraph.query.retrieve.bank import make_retriever
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter, StepModel

_QUOTED = 3  # sentences that are shown where nothing is asserted
_NEARBY = 5  # pages and functions that are named there


class CragEngine:
    """Answers open questions."""

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
        left = TimeLeft(self._options.switches.seconds, time.monotonic() if begun is None else begun)
        with span("ask", question=question.text) as asked, _ended(model, left):
            rounds = CragRounds(question, self._options, text, meter, model, left)
            run_rounds(rounds, watch)
            answer = rounds.answer()
            asked.set(status=answer.status.value, rounds=answer.rounds)
        return answer


@contextmanager
def _ended(model: StepModel | None, left: TimeLeft) -> Iterator[None]:
    """No call of a model goes on when the time is over."""
    if model is None or not left.seconds:
        yield
        return
    timer = threading.Timer(max(0.0, left.left), model.stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class CorpusCrag:
    """The engine on a view: an ``Engine`` like the others.

    Raises:
        InputError: no such retriever.
    """

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
    if options.graph is not nobody:
        return options

    def graph(model: StepModel | None) -> GraphLookup | None:
        return GraphLookup(lambda: nullcontext(CorpusGraph(view)), model) if model is not None else None

    return replace(options, graph=graph)


def as_answer(found: CragAnswer, inquiry: Inquiry, corpus: str, epoch: int, embedder: Embedder | None = None) -> Answer:
    """The answer in the form that every engine returns; where nothing is asserted, it quotes what was nearest."""
    evidence = tuple(each_once(quote for reference in found.used for quote in reference.evidence))
    status, answered = found.status, found.status is AnswerStatus.ANSWERED
    unknown, quotes = found.status is AnswerStatus.UNKNOWN, tuple[Evidence, ...]()
    if unknown:
        quotes = nearest_quotes(inquiry.question, found.references, embedder, _QUOTED)
        status = AnswerStatus.QUOTED if quotes else AnswerStatus.NOT_ANSWERABLE
    elif status is AnswerStatus.INVALID_PREMISE:
        quotes = evidence
    sentences = tuple[Sentence, ...]()
    if answered and evidence:
        calculations = tuple(one.text for one in found.used if one.kind is ReferenceKind.CALCULATOR)
        sentences = (Sentence(found.text, evidence, calculations=calculations),)
    trace, used = list(found.trace), found.usage
    if used.calls:
        detail: dict[str, object] = {
            "calls": used.calls,
            "prompt_tokens": used.prompt_tokens,
            "output_tokens": used.output_tokens,
            "by_step": [f"{task} {count}" for task, count in used.tasks.items()],
        }
        trace.append(TraceStep("model", used.seconds * 1000, detail))
    return Answer(
        inquiry,
        status,
        (Alternative(found.text, None, evidence, 1.0),) if answered else (),
        corpus,
        epoch,
        tuple(trace),
        quotes=quotes,
        sentences=sentences,
        missing=found.missing if unknown else "",
        nearby=found.looked_into[:_NEARBY] if unknown else (),
    )
