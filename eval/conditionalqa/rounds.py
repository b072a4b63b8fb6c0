"""The rounds of the loop against gold evidence: which share of questions has it after each."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Sequence

from clausegraph.core.inquiry import Inquiry
from clausegraph.eval.conditionalqa.dataset import Question
from clausegraph.eval.conditionalqa.gold import GoldEvidence
from clausegraph.eval.records import QuestionRecord, RoundEvidence
from clausegraph.query.retrieve.graph import Offer
from clausegraph.query.steps.protocol import (
    VALIDATORS,
    Acceptance,
    LookedUp,
    Route,
    StepMaker,
    StepParts,
    Validator,
    make_step,
)


class RoundWatch:
    """Notes of each round what share of the evidence it had, whoever validates it. Questions may be open at once."""

    def __init__(self, gold: GoldEvidence) -> None:
        self._gold = gold
        self._lock = threading.Lock()
        self._rounds: defaultdict[str, list[RoundEvidence]] = defaultdict(list)

    def watched(self, validator: str | StepMaker) -> StepMaker:
        """The maker of that validator, watched."""
        return lambda parts: _Watched(self, make_step(VALIDATORS, validator, parts), parts)

    def note(self, inquiry: Inquiry, route: Route, found: LookedUp) -> None:
        """A round is over."""
        question = self._gold.question(inquiry)
        found_share, around = self._gold.recall(inquiry, found.hits), self._gold.around(inquiry, route)
        if question is not None and found_share is not None and around is not None:
            with self._lock:
                self._rounds[question.id].append(RoundEvidence(route.module.value, found_share, around))

    def take(self, question: Question) -> tuple[RoundEvidence, ...]:
        """The rounds of a question, in order; none for one without evidence."""
        with self._lock:
            return tuple(self._rounds.pop(question.id, ()))


class _Watched:
    """A validator that somebody watches."""

    def __init__(self, watch: RoundWatch, inner: Validator, parts: StepParts) -> None:
        self._watch, self._inner = watch, inner
        self.calls, self.notes, self.last = inner.calls, inner.notes, inner.last

    def validate(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp) -> Acceptance:
        """As the inner one."""
        self._watch.note(inquiry, route, found)
        return self._inner.validate(inquiry, offer, route, found)


def evidence_by_round(records: Sequence[QuestionRecord]) -> list[tuple[float, float]]:
    """For each round the share of questions with evidence that have all of it, in what was found and in the subgraph.

    A question that ended earlier keeps what its last round had; one that failed before validating is not counted.
    By rules the round that scored best is read, which need not be the last. Empty where no rounds were recorded.
    """
    told = [record.rounds for record in records if record.rounds]
    most = max(map(len, told), default=0)
    shares = []
    for number in range(most):
        now = [rounds[min(number, len(rounds) - 1)] for rounds in told]
        shares.append((_complete([one.found for one in now]), _complete([one.subgraph for one in now])))
    return shares


def _complete(values: Sequence[float]) -> float:
    return sum(value == 1.0 for value in values) / len(values)
