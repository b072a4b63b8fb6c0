"""``crag``: open questions from pages, tables and graphs, answered shortly, or with "i don't know".

A question goes through rounds (``rounds.py``); what it is asked of (pages of its own, a corpus, a graph) is given, and
every module is behind a switch. Nothing of a question is kept.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from datetime import time as day_time

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.normalise import tokens
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Alternative, Answer, AnswerStatus, Evidence, Sentence, TraceStep
from clausegraph.indexes.views import View
from clausegraph.indexes.words import stems
from clausegraph.query.crag.kg.graphs import CorpusGraph
from clausegraph.query.crag.kg.plan import GraphLookup
from clausegraph.query.crag.rounds import CragRounds, TimeLeft
from clausegraph.query.crag.text import CorpusText
from clausegraph.query.crag.times import now
from clausegraph.query.crag.types import (
    CragAnswer,
    CragOptions,
    CragQuestion,
    Reference,
    ReferenceKind,
    TextLookup,
    nobody,
)
from clausegraph.query.engines.bank import EngineOptions, Watch
from clausegraph.query.engines.feedback import run_rounds
from clausegraph.query.retrieve.bank import make_retriever
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter, StepModel

_QUOTED = 3  # sentences that are shown where nothing is asserted
_NEARBY = 5  # pages and functions that are named there
_LOOKED_AT = 6  # pieces whose sentences are compared
_WORD = 0.15  # what a word that is shared counts beside the similarity, -1 to 1; chosen, not fitted
_STOP = word_set(
    "a an the of in on at to for by with from as and or is are was were be been being do does did has have had it its"
    " this that these those there what which who whom whose when where why how many much long old tall far year day"
    " date time i we you he she they me my your his her their will would can could may might please tell know s"
)


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


# --- what is quoted where nothing is asserted -------------------------------------------------------


def nearest_quotes(
    question: str, references: Sequence[Reference], embedder: Embedder | None, most: int
) -> tuple[Evidence, ...]:
    """At most so many, the nearest first.

    With an embedder all sentences of the first pieces are compared, so that the one that decides is quoted whichever
    page it stands on.
    """
    cited = [one.evidence for one in references if one.evidence]
    asked = {stem for word in tokens(question) if word not in _STOP for stem in stems(word)}
    if embedder is None:
        return tuple(each_once(_by_words(asked, evidence) for evidence in cited))[:most]
    quotes = each_once(quote for evidence in cited[:_LOOKED_AT] for quote in evidence)
    if not quotes:
        return ()
    alike = embedder.embed_texts([quote.quote for quote in quotes]) @ embedder.embed_query(question)
    shared = _shared(asked, quotes)
    ranked = sorted(range(len(quotes)), key=lambda number: -(float(alike[number]) + _WORD * shared[number]))
    return tuple(quotes[number] for number in ranked[:most])


def each_once(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The evidence in its order, each quote once: pages of one search copy their sentences.

    Case and punctuation do not count. Of two quotes one of which contains the other the longer one is kept, in the
    place of the first.
    """
    kept: list[tuple[str, Evidence]] = []
    for one in evidence:
        words = f" {' '.join(tokens(one.quote))} "
        if any(words in other for other, _ in kept):
            continue
        shorter = [place for place, (other, _) in enumerate(kept) if other in words]
        place = shorter[0] if shorter else len(kept)
        kept = [pair for number, pair in enumerate(kept) if number not in shorter]
        kept.insert(place, (words, one))
    return [one for _, one in kept]


def _by_words(asked: Set[str], evidence: Sequence[Evidence]) -> Evidence:
    shared = _shared(asked, evidence)
    return evidence[max(range(len(evidence)), key=shared.__getitem__)]


def _shared(asked: Set[str], evidence: Sequence[Evidence]) -> list[int]:
    """Of each how many words of the question it has that title and headings do not say already."""
    above = {stem for one in evidence for stem in stems(" ".join((one.title or "", *one.headings)))}
    return [len((asked - above) & set(stems(one.quote))) for one in evidence]
