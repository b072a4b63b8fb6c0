"""Is one system better than another on the same questions? Paired difference with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from clausegraph.core.errors import InputError

_RESAMPLES_AT_ONCE = 500  # bounds memory at 500 x questions indices


@dataclass(frozen=True)
class PairedDifference:
    """Mean of second minus first over the same questions, with a bootstrap interval.

    The interval speaks of questions like these; it does not cover other pages or a model's mood.
    """

    questions: int
    mean: float
    low: float
    high: float
    confidence: float

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out zero."""
        return self.low > 0 or self.high < 0


def paired_difference(
    first: Mapping[str, float],
    second: Mapping[str, float],
    *,
    resamples: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> PairedDifference:
    """Compare two systems by a value per question id, such as evidence recall or F1.

    Percentile bootstrap over questions (Efron and Tibshirani 1993, chapter 13): questions are drawn
    with replacement, both systems' values together. The same input and seed give the same interval,
    in whatever order the mappings are.

    Raises:
        InputError: no questions, different ids, a value that is not finite, or a bad parameter.
    """
    ids = sorted(first)
    if not ids or first.keys() != second.keys():
        odd = sorted(first.keys() ^ second.keys())
        raise InputError(
            f"cannot pair {len(first)} with {len(second)} questions (in one only: {odd[:3]}); "
            "give both systems' values for the same, at least one question"
        )
    if resamples < 1 or not 0 < confidence < 1:
        raise InputError(f"resamples={resamples}, confidence={confidence}; use at least 1, and between 0 and 1")
    differences = np.array([second[name] - first[name] for name in ids], dtype=np.float64)
    if not np.isfinite(differences).all():
        name = ids[int(np.flatnonzero(~np.isfinite(differences))[0])]
        raise InputError(f"question {name!r} has a value that is not finite; leave it out or mend it")
    rng = np.random.default_rng(seed)
    means = np.concatenate(
        [
            rng.choice(differences, size=(min(_RESAMPLES_AT_ONCE, resamples - start), len(ids))).mean(axis=1)
            for start in range(0, resamples, _RESAMPLES_AT_ONCE)
        ]
    )
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return PairedDifference(len(ids), float(differences.mean()), float(low), float(high), confidence)
