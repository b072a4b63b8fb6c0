"""One question on its way through the loop: its rounds, its trace, its account."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace

from clausegraph.core.errors import BudgetExceeded, InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Answer, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.engines.contradicted import Settling
from clausegraph.query.engines.protocol import EngineOptions
from clausegraph.query.engines.second_look import better, hits_for_missing
from clausegraph.query.engines.single_pass import ViewRules, asks, cited_by, reader_of, stated_by, usage_detail
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.protocol import Reader, ReadResult
from clausegraph.query.retrieve.bank import make_retriever
from clausegraph.query.retrieve.protocol import depth
from clausegraph.query.retrieve.topics import Offer
from clausegraph.query.steps.bank import StepParts, make_commentor, make_router, make_validator
from clausegraph.query.steps.look import Lookup
from clausegraph.query.steps.meter import QuestionMeter
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.protocol import (
    Acceptance,
    Commentor,
    Feedback,
    LookedUp,
    Route,
    Router,
    Tried,
    Validator,
)

READING = 2  # calls kept for a reader that asks: one, and a repair


@dataclass(slots=True)
class Round:
    """A route and what came of it."""

    route: Route
    found: LookedUp = field(default_factory=lambda: LookedUp(()))
    judged: Acceptance | None = None
    feedback: Feedback | None = None


@dataclass(slots=True)
class OpenQuestion:
    """A question that is being answered. Each method is one step: it does its work and tells of it in the trace."""

    inquiry: Inquiry
    view: View
    offer: Offer
    lookup: Lookup
    router: Router
    validator: Validator
    commentor: Commentor
    reader: Reader
    meter: QuestionMeter
    model: StepModel | None
    most_rounds: int
    reserve: int
    rereads: bool
    commits: bool
    rounds: list[Round] = field(default_factory=list)
    trace: list[TraceStep] = field(default_factory=list)
    result: ReadResult | None = None

    def route(self) -> bool:
        """Begin a round; false where there is no other route."""
        with self._told("route") as detail:
            tried = [Tried(one.route, one.feedback) for one in self.rounds]
            found = self.router.route(self.inquiry, self.offer, tried)
            detail.update(self.router.notes.take())
            detail.update({"round": len(self.rounds) + 1} | (found.words if found else {"nothing left to try": True}))
            if found is not None:
                self.rounds.append(Round(found))
            return found is not None

    def retrieve(self) -> bool:
        """Look up what the route says."""
        now = self.rounds[-1]
        with self._told("retrieve") as detail:
            now.found = self.lookup.find(self.inquiry, now.route)
            best = [{"page": str(h.page), "anchor": h.key, "score": round(h.score, 4)} for h in now.found.hits[:10]]
            detail.update({"module": now.route.module.value, "elements": len(now.found.hits), "best": best})
            if now.found.met is not None:
                detail.update({"entities shared": now.found.met, "paths": list(now.found.paths[:5])})
            return bool(now.found.hits)

    def validate(self) -> bool:
        """Whether what was found is enough."""
        now = self.rounds[-1]
        with self._told("validate") as detail:
            now.judged = self.validator.validate(self.inquiry, self.offer, now.route, now.found)
            detail.update(self.validator.notes.take())
            detail.update({"accepted": now.judged.accepted, "because": now.judged.reason})
            return now.judged.accepted

    @property
    def may_go_on(self) -> bool:
        """Whether another round is allowed, and leaves the calls that reading needs."""
        needed = self.commentor.calls + self.router.calls + self.validator.calls
        fits = not needed or self.meter.calls_left - self.reserve >= needed
        return len(self.rounds) < self.most_rounds and fits

    def comment(self) -> bool:
        """Why the last round was rejected."""
        now = self.rounds[-1]
        assert now.judged is not None
        with self._told("comment") as detail:
            now.feedback = self.commentor.comment(self.inquiry, self.offer, now.route, now.found, now.judged)
            detail.update(self.commentor.notes.take())
            detail.update({"feedback": str(now.feedback)})
            return True

    def read(self) -> bool:
        """Read the answer from the round that was accepted, or from the best of those that were not."""
        number = self._best()
        with self._told("read") as detail:
            hits: Sequence[Hit] = self.rounds[number].found.hits
            read = self._read(hits)
            more = self._found_for(read, number)
            if more:
                with suppress(BudgetExceeded):
                    again = better(read, self._read(more))
                    detail.update({"looked again for": read.missing, "found": again is not read})
                    read, hits = again, hits if again is read else more
            self.result = self._settled(read, hits)
            detail.update({"round": number + 1} | dict(self.result.reasons))
            return True

    def _found_for(self, read: ReadResult, number: int) -> Sequence[Hit]:
        """Hits for what a reading missed, where a call is left to read them."""
        now = self.rounds[number]
        if not read.missing or not self.meter.calls_left:
            return ()

        def search(inquiry: Inquiry) -> Sequence[Hit]:
            return self.lookup.find(inquiry, Route(now.route.kind)).hits  # as text: no topic is known of it

        return hits_for_missing(self.inquiry, read, now.found.hits, search)

    def _read(self, hits: Sequence[Hit]) -> ReadResult:
        return self.reader.read(self.inquiry, hits, ViewRules(self.view))

    def _settled(self, read: ReadResult, hits: Sequence[Hit]) -> ReadResult:
        again = self._read if self.rereads else None
        return Settling(self.view, self.inquiry, again, self.commits).settled(read, hits)

    def answer(self) -> Answer:
        """What came of it."""
        assert self.result is not None
        used = usage_detail(self.meter)
        trace = (*self.trace, *([TraceStep("model", self.meter.usage().seconds * 1000, used)] if used else []))
        return Answer(
            inquiry=self.inquiry,
            status=self.result.status,
            alternatives=self.result.alternatives,
            corpus=self.view.corpus,
            epoch=self.view.epoch,
            trace=trace,
            extractors=stated_by(self.view, self.result.alternatives, (*self.result.quotes, *cited_by(self.result))),
            quotes=self.result.quotes,
            contradictions=self.result.contradictions,
            sentences=self.result.sentences,
            missing=self.result.missing,
            nearby=self.result.nearby,
        )

    def stop(self) -> None:
        """Nobody waits any more: no further call of a model."""
        if self.model is not None:
            self.model.stop()

    def _best(self) -> int:
        """The accepted round; else the last, or the one with the best score (of several the first)."""
        last = len(self.rounds) - 1
        judged = [one.judged for one in self.rounds]
        if self.validator.last or (judged[-1] is not None and judged[-1].accepted):
            return last
        return max(range(len(judged)), key=lambda at: (_score(judged[at]), -at))

    @contextmanager
    def _told(self, name: str) -> Iterator[dict[str, object]]:
        detail: dict[str, object] = {}
        started = time.perf_counter()
        with span(f"ask.{name}"):
            yield detail
        self.trace.append(TraceStep(name, (time.perf_counter() - started) * 1000, detail))


def _score(judged: Acceptance | None) -> float:
    return judged.score if judged is not None else 0.0


def open_question(view: View, embedder: Embedder, options: EngineOptions, inquiry: Inquiry) -> OpenQuestion:
    """A question with an account and steps of its own; errors as of ``Loop``."""
    meter = QuestionMeter(options.question)
    model = options.model.question(meter) if options.model else None
    steps = replace(options.steps, **options.instead)
    retriever = make_retriever(options.retriever, view, embedder, reranker=options.reranker)
    lookup = Lookup(view, embedder, retriever, options.limit)
    parts = StepParts(view, embedder, lookup, model)
    asking = asks(options)
    return OpenQuestion(
        inquiry=inquiry,
        view=view,
        offer=Offer(view, embedder, inquiry),
        lookup=lookup,
        router=make_router(steps.route, parts),
        validator=make_validator(steps.validate, parts),
        commentor=make_commentor(steps.comment, parts),
        reader=reader_of(embedder, options)(model),
        meter=meter,
        model=model,
        most_rounds=options.rounds,
        reserve=READING if asking else 0,
        rereads=not asking,
        commits=options.commits,
    )


def check_options(view: View, embedder: Embedder, options: EngineOptions) -> None:
    """Tell of wrong options before there is a question.

    Raises:
        InputError: no such step, retriever or reader, or a limit or number of rounds below 1.
        SettingsError: a step asks a language model, and there is none.
    """
    depth(options.limit, None)
    if options.rounds < 1:
        raise InputError(f"rounds is {options.rounds}; give a whole number from 1")
    open_question(view, embedder, options, Inquiry("?"))
