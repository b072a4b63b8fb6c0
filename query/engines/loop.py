"""``loop``: route, retrieve, validate, and comment and route again until accepted; then read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from clausegraph.core.errors import BudgetExceeded, InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import content, overlap
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Answer, AnswerStatus, Evidence, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.engines.answers import Trace, ViewRules, asks, best_hits, make_answer, reader_of, usage_detail
from clausegraph.query.engines.bank import EngineOptions, Watch
from clausegraph.query.engines.contradicted import Settling
from clausegraph.query.engines.feedback import run_rounds
from clausegraph.query.read.protocol import Reader, ReadResult
from clausegraph.query.retrieve.bank import Hit, depth, make_retriever
from clausegraph.query.retrieve.graph import Offer
from clausegraph.query.steps.model import QuestionMeter, StepModel
from clausegraph.query.steps.protocol import (
    COMMENTORS,
    ROUTERS,
    VALIDATORS,
    Acceptance,
    Commentor,
    Feedback,
    LookedUp,
    Notes,
    Route,
    Router,
    StepParts,
    Tried,
    Validator,
    make_step,
)
from clausegraph.query.steps.rules import Lookup

READING = 2  # calls kept for a reader that asks: one, and a repair
_BEST = 20  # hits that are worth another reading
_LEAST_SHARED = 0.25  # of the terms of what is missing, in a hit with its headings


@dataclass(slots=True)
class Round:
    """A route and what came of it."""

    route: Route
    found: LookedUp = field(default_factory=lambda: LookedUp(()))
    judged: Acceptance = field(default_factory=lambda: Acceptance(False, "not judged"))
    feedback: Feedback | None = None


class LoopQuestion:
    """One question on its way through the loop: its rounds, its trace, its account."""

    def __init__(self, view: View, embedder: Embedder, options: EngineOptions, inquiry: Inquiry) -> None:
        self.trace, self.rounds = Trace(), list[Round]()
        self.meter = QuestionMeter(options.question)
        self.model: StepModel | None = options.model.question(self.meter) if options.model else None
        self._view, self._options, self._inquiry = view, options, inquiry
        self._offer = Offer(view, embedder, inquiry)
        retriever = make_retriever(options.retriever, view, embedder, reranker=options.reranker)
        self._lookup = Lookup(view, embedder, retriever, options.limit)
        parts = StepParts(view, embedder, self._lookup, self.model)
        self._notes = parts.notes
        self._router: Router = make_step(ROUTERS, options.steps.get("route", "rules"), parts)
        self._validator: Validator = make_step(VALIDATORS, options.steps.get("validate", "rules"), parts)
        self._commentor: Commentor = make_step(COMMENTORS, options.steps.get("comment", "rules"), parts)
        self._reader: Reader = reader_of(embedder, options)(self.model)
        self._result: ReadResult | None = None

    def look(self) -> bool:
        """Route and retrieve; false where there is no other route."""
        with self.trace.step("route") as detail:
            tried = [Tried(one.route, one.feedback) for one in self.rounds]
            route = self._router.route(self._inquiry, self._offer, tried)
            detail.update(self._taken() | {"round": len(self.rounds) + 1})
            if route is None:
                detail["nothing left to try"] = True
                return False
            detail.update(kind=route.kind.value, module=route.module.value)
            detail.update(topics=route.names, relations=list(route.relations))
        now = Round(route)
        self.rounds.append(now)
        with self.trace.step("retrieve") as detail:
            now.found = self._lookup.find(self._inquiry, route)
            detail.update({"module": route.module.value} | best_hits(now.found.hits))
            if now.found.met is not None:
                detail.update({"entities shared": now.found.met, "paths": list(now.found.paths[:5])})
        return True

    def is_accepted(self) -> bool:
        """Whether what was found is enough."""
        now = self.rounds[-1]
        with self.trace.step("validate") as detail:
            now.judged = self._validator.validate(self._inquiry, self._offer, now.route, now.found)
            detail.update(self._taken())
            detail.update(accepted=now.judged.accepted, because=now.judged.reason)
        return now.judged.accepted

    def mend(self) -> bool:
        """Why the last round was rejected, where another one is allowed and leaves the calls that reading needs."""
        needed = self._commentor.calls + self._router.calls + self._validator.calls
        reserve = READING if asks(self._options) else 0
        if len(self.rounds) >= self._options.rounds or (needed and self.meter.calls_left - reserve < needed):
            return False
        now = self.rounds[-1]
        with self.trace.step("comment") as detail:
            now.feedback = self._commentor.comment(self._inquiry, self._offer, now.route, now.found, now.judged)
            detail.update(self._taken() | {"feedback": str(now.feedback)})
        return True

    def conclude(self) -> None:
        """Read the answer from the round that was accepted, or from the best of those that were not."""
        number = self._best()
        with self.trace.step("read") as detail:
            hits: Sequence[Hit] = self.rounds[number].found.hits
            read = self._read(hits)
            more = self._found_for(read, self.rounds[number])
            if more:
                with suppress(BudgetExceeded):
                    again = better(read, self._read(more))
                    wanted = read.missing or self._inquiry.question
                    detail.update({"looked again for": wanted, "found": again is not read})
                    read, hits = again, hits if again is read else more
            rereads = None if asks(self._options) else self._read
            settling = Settling(self._view, self._inquiry, rereads, self._options.commits)
            self._result = settling.settled(read, hits)
            detail.update({"round": number + 1} | dict(self._result.reasons))

    def answer(self) -> Answer:
        """What came of it."""
        assert self._result is not None
        used = usage_detail(self.meter)
        steps = [*self.trace.steps, *([TraceStep("model", self.meter.usage().seconds * 1000, used)] if used else [])]
        return make_answer(self._view, self._inquiry, self._result, steps)

    def _read(self, hits: Sequence[Hit]) -> ReadResult:
        return self._reader.read(self._inquiry, hits, ViewRules(self._view))

    def _found_for(self, read: ReadResult, now: Round) -> Sequence[Hit]:
        """Hits for what a reading missed, where a call is left to read them."""
        if not self.meter.calls_left:
            return ()

        def search(inquiry: Inquiry) -> Sequence[Hit]:
            return self._lookup.find(inquiry, Route(now.route.kind)).hits  # as text: no topic is known of it

        return hits_for_missing(self._inquiry, read, now.found.hits, search)

    def _taken(self) -> Notes:
        """The notes of a step, which are empty afterwards."""
        said = dict(self._notes)
        self._notes.clear()
        return said

    def _best(self) -> int:
        """The accepted round; else the last, or the one with the best score (of several the first)."""
        last = len(self.rounds) - 1
        if self._validator.last or self.rounds[-1].judged.accepted:
            return last
        return max(range(last + 1), key=lambda at: (self.rounds[at].judged.score, -at))


def hits_for_missing(
    inquiry: Inquiry, read: ReadResult, before: Sequence[Hit], search: Callable[[Inquiry], Sequence[Hit]]
) -> list[Hit]:
    """The hits for a second reading: what the first one's answer cites, and what it was not shown.

    Empty where nothing new speaks of what is missing. After a refusal whatever was not shown is new. The scores are
    equal: those of two searches cannot be compared, and the page that the first reading saw must not push out others.
    """
    wanted = content(read.missing)
    is_refused = read.status is AnswerStatus.NOT_ANSWERABLE and read.reasons.get("kind") != "greeting"
    if not read.shown or not (wanted or is_refused):
        return []
    found = search(Inquiry(f"{read.missing} {inquiry.question}".strip()))
    unseen, rest = ([hit for hit in hits if not _is_shown(hit, read)] for hits in (found, before))
    if read.status is not AnswerStatus.ANSWERED:
        new = [hit for pair in zip_longest(rest, unseen) for hit in pair if hit is not None]
    elif any(overlap(wanted, " ".join((*hit.headings, hit.text))) >= _LEAST_SHARED for hit in unseen[:_BEST]):
        new = unseen
    else:
        new = []
    cited = [_hit_of(evidence) for sentence in read.sentences for evidence in sentence.evidence]
    hits = [*new[:1], *cited, *new[1:]] if new else []  # the page of the first stands first
    return list({(hit.page, hit.key): replace(hit, score=0.0) for hit in hits}.values())


def _is_shown(hit: Hit, read: ReadResult) -> bool:
    return all((hit.page, anchor) in read.shown for anchor in hit.anchors)


def _hit_of(evidence: Evidence) -> Hit:
    anchor = evidence.span.anchor
    return Hit(evidence.page, "element", anchor, (anchor,), evidence.quote, evidence.headings, 0.0, {})


def better(first: ReadResult, second: ReadResult) -> ReadResult:
    """The second reading where it answers what the first did not, or names less as missing; else the first."""
    if second.status is not AnswerStatus.ANSWERED:
        return first
    misses_less = len(content(second.missing)) < len(content(first.missing))
    return second if first.status is not AnswerStatus.ANSWERED or misses_less else first


class Loop:
    """The engine on a view, a question at a time in each call."""

    def __init__(self, view: View, embedder: Embedder, options: EngineOptions) -> None:
        depth(options.limit, None)
        if options.rounds < 1:
            raise InputError(f"rounds is {options.rounds}; give a whole number from 1")
        LoopQuestion(view, embedder, options, Inquiry("?"))  # tells of wrong options before there is a question
        self._view, self._embedder, self._options = view, embedder, options

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        """The answer at the view's epoch, with a trace of every round."""
        inquiry.require_plain("loop")
        corpus, epoch = self._view.corpus, self._view.epoch
        with span("ask", corpus=corpus, epoch=epoch, question=inquiry.question, scenario=inquiry.scenario) as asked:
            question = LoopQuestion(self._view, self._embedder, self._options, inquiry)
            run_rounds(question, watch)
            answer = question.answer()
            asked.set(status=answer.status.value, alternatives=len(answer.alternatives), rounds=len(question.rounds))
            return answer
