"""The reader's fitted models: numbers per named feature in ``weights.json``, fitted by regression.

``value`` and ``verdict`` give the probability that a candidate is right, from the checks that it fails and from how
near the search is.
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
NONE_FAILED, NEAR = "no check failed", "search is near"
COUNTS = (NONE_FAILED, NEAR)
"""Features that are no checks."""

Features = dict[str, float]


@cache
def _models() -> Mapping[str, Mapping[str, float]]:
    models: dict[str, dict[str, float]] = json.loads(
        files("clausegraph.query.read").joinpath("weights.json").read_text(encoding="utf-8")
    )
    return models


def probability(kind: str, features: Mapping[str, float]) -> float:
    """The probability that a candidate is right.

    Args:
        kind: "verdict" or "value".
        features: one that the model does not know counts nothing.
    """
    known = _models()[kind]
    total = known["bias"] + sum(known.get(feature, 0.0) * value for feature, value in features.items())
    return 1.0 / (1.0 + math.exp(-total))


def with_counts(checks: Mapping[str, float], near: float) -> Features:
    """The checks, whether none failed, and whether the search is near the question."""
    return {**checks, NONE_FAILED: float(not any(checks.values())), NEAR: near}
