"""The ConditionalQA metrics: EM and F1, without and with conditions.

The definitions are those of the official scorer (evaluate.py of haitian-sun/ConditionalQA in its
last version), computed in polynomial time: it tries every order of the predictions, we solve the
assignment problem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Literal, Protocol

from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Kind
from clausegraph.eval.metrics import best_pairs, normalise_answer, token_f1

Group = Literal["total", "yesno", "extractive", "conditional", "not_answerable"]
GROUPS: tuple[Group, ...] = ("total", "yesno", "extractive", "conditional", "not_answerable")


@dataclass(frozen=True)
class Scores:
    """The four metrics, each from 0 to 1: of one question, or the mean over several."""

    em: float
    f1: float
    em_with_conditions: float
    f1_with_conditions: float


ZERO = Scores(0.0, 0.0, 0.0, 0.0)


class Scored(Protocol):
    """What :func:`aggregate` needs to know of a question."""

    @property
    def kind(self) -> Kind: ...
    @property
    def conditional(self) -> bool: ...
    @property
    def has_prediction(self) -> bool: ...
    @property
    def scores(self) -> Scores: ...


@dataclass(frozen=True)
class GroupScores:
    """Means over one group of questions; ``None`` where there is nothing to average.

    ``official`` is what the official scorer prints: it leaves out questions without a
    prediction. ``ours`` keeps them in the denominator, with zero.
    """

    questions: int
    predictions: int
    official: Scores | None
    ours: Scores | None


def score_answers(predicted: Sequence[ConditionalAnswer], gold: Sequence[ConditionalAnswer]) -> Scores:
    """Score the answers to one question.

    Without gold answers (not answerable), everything is 1 if nothing was predicted and 0
    otherwise. Else, for each metric on its own, predictions and gold answers are paired so that
    the sum is greatest; the sum is divided by the number of gold answers and, where more was
    predicted, multiplied by exp(1 - predicted / gold). Missing predictions count as empty ones.
    """
    if not gold:
        return ZERO if predicted else Scores(1.0, 1.0, 1.0, 1.0)
    # An empty answer matches a gold text of articles only, so padding is not the same as zero.
    padding = [ConditionalAnswer("")] * (len(gold) - len(predicted))
    padded = [*predicted, *padding]
    discount = math.exp(1.0 - len(padded) / len(gold))

    def best(value: Callable[[ConditionalAnswer, ConditionalAnswer], float]) -> float:
        values = [[value(p, g) for g in gold] for p in padded]
        return discount * sum(values[p][g] for p, g in best_pairs(values)) / len(gold)

    return Scores(
        em=best(_exact),
        f1=best(_overlap),
        em_with_conditions=best(lambda p, g: _exact(p, g) * conditions_f1(p, g)),
        f1_with_conditions=best(lambda p, g: _overlap(p, g) * conditions_f1(p, g)),
    )


def conditions_f1(predicted: ConditionalAnswer, gold: ConditionalAnswer) -> float:
    """Return the F1 of the two sets of conditions by exact string; 1 if both are empty."""
    ours, theirs = set(predicted.conditions), set(gold.conditions)
    if not ours and not theirs:
        return 1.0
    return 2.0 * len(ours & theirs) / (len(ours) + len(theirs))


def aggregate(scored: Iterable[Scored]) -> dict[Group, GroupScores]:
    """Average over all questions and by group, in the order of ``GROUPS``.

    "total" holds every question; "conditional" those where a gold answer has a condition,
    whatever their kind; the other groups are the kinds.
    """
    rows = tuple(scored)
    return {group: _group(row for row in rows if in_group(row, group)) for group in GROUPS}


def in_group(row: Scored, group: str) -> bool:
    """Whether a question counts in a group; see ``aggregate``."""
    if group == "total":
        return True
    return row.conditional if group == "conditional" else row.kind == group


def _group(rows: Iterable[Scored]) -> GroupScores:
    everything = tuple(rows)
    predicted = [row.scores for row in everything if row.has_prediction]
    return GroupScores(
        questions=len(everything),
        predictions=len(predicted),
        official=_mean(predicted, len(predicted)),
        ours=_mean(predicted, len(everything)),
    )


def _mean(scores: Sequence[Scores], count: int) -> Scores | None:
    if count == 0:
        return None
    columns = zip(*(astuple(score) for score in [ZERO, *scores]), strict=True)
    return Scores(*(math.fsum(column) / count for column in columns))


def _exact(predicted: ConditionalAnswer, gold: ConditionalAnswer) -> float:
    return float(normalise_answer(predicted.text) == normalise_answer(gold.text))


def _overlap(predicted: ConditionalAnswer, gold: ConditionalAnswer) -> float:
    return token_f1(predicted.text, gold.text)
