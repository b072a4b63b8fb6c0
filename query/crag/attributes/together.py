"""Several predictors as one: what the surest says, with who agrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clausegraph.query.crag.attributes.labelled import ATTRIBUTES
from clausegraph.query.crag.types import AttributePredictor, Attributes, CragQuestion


class AttributesTogether:
    """Asks all. A label's weight is the sum of the confidences of those who say it; who is first wins a tie.

    The confidence is that weight as a share of all that was said, times the surest's own: one of two that disagree is
    less sure than one alone.
    """

    def __init__(self, predictors: Sequence[AttributePredictor]) -> None:
        self._predictors = predictors

    def predict(self, question: CragQuestion) -> Attributes:
        """The labels with the most weight."""
        said = [predictor.predict(question) for predictor in self._predictors]
        labels: dict[str, Any] = {}
        confidence: dict[str, float] = {}
        by: dict[str, str] = {}
        for name in ATTRIBUTES:
            weights: dict[Any, float] = {}
            for one in said:
                label = getattr(one, name)
                if label is not None:
                    weights[label] = weights.get(label, 0.0) + one.confidence.get(name, 0.0)
            if not weights:
                continue
            best = max(weights, key=weights.__getitem__)
            agree = [one for one in said if getattr(one, name) == best]
            surest = max(one.confidence.get(name, 0.0) for one in agree)
            labels[name], by[name] = best, "+".join(one.by.get(name, "?") for one in agree)
            confidence[name] = round(surest * weights[best] / (sum(weights.values()) or 1.0), 3)
        return Attributes(**labels, confidence=confidence, by=by)
