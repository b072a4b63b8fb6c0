"""The reader's fitted models: numbers per named feature in ``weights.json``, fitted by regression.

``value`` and ``verdict`` give the probability that a candidate is right, from the checks that it fails and from the
probability that the pages answer the question, which ``answerable`` gives. ``order`` is of ``ranking.py``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

ASSERTED = 0.7
"""An answer is asserted from this probability of being right; below it the pages are quoted."""
UNFITTED = 0.3  # of a span, which is right less often than not
NONE_FAILED, ANSWERABLE = "no check failed", "answerable"
COUNTS = (NONE_FAILED, ANSWERABLE)
"""Features that are no checks."""

Features = dict[str, float]


@cache
def _models() -> Mapping[str, Mapping[str, float]]:
    models: dict[str, dict[str, float]] = json.loads(
        files("clausegraph.query.read").joinpath("weights.json").read_text(encoding="utf-8")
    )
    return models


def weights(model: str) -> Mapping[str, float]:
    """The weights of a fitted model by the names of its features."""
    return _models()[model]


def probability(kind: str, features: Mapping[str, float]) -> float:
    """The probability that a candidate is right, or that the pages answer.

    Args:
        kind: "verdict", "value" or "answerable".
        features: one that the model does not know counts nothing.
    """
    known = weights(kind)
    total = known["bias"] + sum(known.get(feature, 0.0) * value for feature, value in features.items())
    return 1.0 / (1.0 + math.exp(-total))


def with_counts(checks: Mapping[str, float], answerable: float) -> Features:
    """The checks, whether none failed, and the probability that the pages answer the question."""
    return {**checks, NONE_FAILED: float(not any(checks.values())), ANSWERABLE: answerable}
