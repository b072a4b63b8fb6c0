"""The reader's linear models: ``NAME_weights.json`` beside this file holds a number per named feature."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def weights(name: str) -> Mapping[str, float]:
    """The weights of a model by feature."""
    text = files("clausegraph.query.read").joinpath(f"{name}_weights.json").read_text(encoding="utf-8")
    return {str(feature): float(value) for feature, value in json.loads(text)["weights"].items()}


def weighted_sum(name: str, features: Mapping[str, float]) -> float:
    """What a model makes of features; one that it does not know counts nothing."""
    known = weights(name)
    return sum(known.get(feature, 0.0) * value for feature, value in features.items())
