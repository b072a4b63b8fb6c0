"""STaRK's figures of a ranking: Hit@1, Hit@5, Recall@20 and the mean reciprocal rank."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from clausegraph.eval.stark.run import StarkRecord

DEPTH = 20  # ranks that are kept and looked at


@dataclass(frozen=True, slots=True)
class StarkFigures:
    """Means over all questions; one that failed counts as nothing found."""

    questions: int
    hit_1: float
    hit_5: float
    recall_20: float
    mrr: float
    failed: int
    calls: float
    prompt_tokens: float
    seconds: float


def hit(ranked: Sequence[str], answers: Collection[str], depth: int) -> float:
    """1 where one of the first is an answer."""
    return float(any(key in answers for key in ranked[:depth]))


def recall(ranked: Sequence[str], answers: Collection[str], depth: int = DEPTH) -> float:
    """Share of the answers among the first."""
    return len(set(ranked[:depth]) & set(answers)) / len(answers)


def reciprocal_rank(ranked: Sequence[str], answers: Collection[str]) -> float:
    """One over the rank of the first answer; 0 where none is ranked."""
    return next((1 / rank for rank, key in enumerate(ranked, 1) if key in answers), 0.0)


def stark_figures(records: Sequence[StarkRecord]) -> StarkFigures:
    """The figures of a method."""
    count = len(records) or 1

    def mean(values: list[float]) -> float:
        return sum(values) / count

    return StarkFigures(
        len(records),
        mean([hit(one.ranked, one.answers, 1) for one in records]),
        mean([hit(one.ranked, one.answers, 5) for one in records]),
        mean([recall(one.ranked, one.answers) for one in records]),
        mean([reciprocal_rank(one.ranked, one.answers) for one in records]),
        sum(bool(one.failed) for one in records),
        mean([one.calls for one in records]),
        mean([one.prompt_tokens for one in records]),
        mean([one.seconds for one in records]),
    )
