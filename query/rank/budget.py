"""Cutting a ranked list to a context budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from clausegraph.core.tokens import count_tokens
from clausegraph.query.rank.hits import Hit

_counted = lru_cache(maxsize=100_000)(count_tokens)


def within(ranked: Iterable[Hit], budget: int | None = None, limit: int | None = None) -> list[Hit]:
    """Whole hits in rank order until the next would not fit ``budget`` word pieces or ``limit`` hits."""
    return list(_taken(ranked, budget, limit))


def _taken(ranked: Iterable[Hit], budget: int | None, limit: int | None) -> Iterator[Hit]:
    used = 0
    for number, hit in enumerate(ranked):
        if limit is not None and number >= limit:
            return
        if budget is not None:
            used += _counted(hit.text)
            if used > budget:
                return
        yield hit
