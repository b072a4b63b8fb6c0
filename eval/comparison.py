"""How sure is a figure? Bootstrap intervals of means, and of the difference of two systems on the same questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from clausegraph.core.errors import InputError

RESAMPLES, SEED, CONFIDENCE = 10_000, 0, 0.95
_RESAMPLES_AT_ONCE = 500  # bounds memory at 500 x questions indices


@dataclass(frozen=True)
class ConfidenceInterval:
    """A mean over questions with its bootstrap interval.

    The interval speaks of questions like these; it does not cover other pages or a model's mood.
    """

    questions: int
    mean: float
    low: float
    high: float
    confidence: float

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside; of a paired difference: whether one system is better."""
        return self.low > 0 or self.high < 0


def mean_interval(
    values: Mapping[str, float], *, resamples: int = RESAMPLES, seed: int = SEED, confidence: float = CONFIDENCE
) -> ConfidenceInterval:
    """Mean of a value per question id, such as evidence recall or F1.

    Percentile bootstrap over questions (Efron and Tibshirani 1993, chapter 13): questions are drawn with
    replacement. The same input and seed give the same interval, in whatever order the mapping is.

    Raises:
        InputError: no questions, a value that is not finite, or a bad parameter.
    """
    ids = sorted(values)
    if not ids:
        raise InputError("there is no question to draw from; give the values of at least one")
    if resamples < 1 or not 0 < confidence < 1:
        raise InputError(f"resamples={resamples}, confidence={confidence}; use at least 1, and between 0 and 1")
    numbers = np.array([values[name] for name in ids], dtype=np.float64)
    if not np.isfinite(numbers).all():
        name = ids[int(np.flatnonzero(~np.isfinite(numbers))[0])]
        raise InputError(f"question {name!r} has a value that is not finite; leave it out or mend it")
    rng = np.random.default_rng(seed)
    means = np.concatenate(
        [
            rng.choice(numbers, size=(min(_RESAMPLES_AT_ONCE, resamples - start), len(ids))).mean(axis=1)
            for start in range(0, resamples, _RESAMPLES_AT_ONCE)
        ]
    )
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return ConfidenceInterval(len(ids), float(numbers.mean()), float(low), float(high), confidence)


def paired_difference(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    confidence: float = CONFIDENCE,
) -> ConfidenceInterval:
    """Mean of second minus first over the same questions, both systems' values drawn together.

    Raises:
        InputError: no questions, different ids, a value that is not finite, or a bad parameter.
    """
    if not first or first.keys() != second.keys():
        odd = sorted(first.keys() ^ second.keys())
        raise InputError(
            f"cannot pair {len(first)} with {len(second)} questions (in one only: {odd[:3]}); "
            "give both systems' values for the same, at least one question"
        )
    differences = {name: second[name] - first[name] for name in first}
    return mean_interval(differences, resamples=resamples, seed=seed, confidence=confidence)
