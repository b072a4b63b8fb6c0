"""How sure an answer is: the share of answers of its kind with as many doubts that were right when they were counted.

``sureness.json`` is made by ``benchmarks/fit_sureness.py`` from questions as people type them. Below ``ASSERTED``
nothing is asserted: the pages are quoted instead.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

ASSERTED = 0.9
"""An answer is asserted from this probability of being right: where nothing is doubted."""


@cache
def _shares() -> dict[str, list[float]]:
    text = files("clausegraph.query.read").joinpath("sureness.json").read_text(encoding="utf-8")
    return {str(kind): [float(share) for share in shares] for kind, shares in json.loads(text).items()}


def probability(kind: str, doubts: int = 0) -> float:
    """How often an answer is right.

    Args:
        kind: "verdict", "value", or "guess", which has no doubts of its own.
        doubts: what remains to be doubted about it.
    """
    shares = _shares()[kind]
    return shares[min(doubts, len(shares) - 1)]
