"""Cutting a ranked list to a context budget, and putting what is left in reading order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import PageKey
from clausegraph.query.rank.signals import ScoredElement

_counted = lru_cache(maxsize=100_000)(count_tokens)


def within(ranked: Iterable[ScoredElement], budget: int | None = None, limit: int | None = None) -> list[ScoredElement]:
    """Whole elements in rank order until the next would not fit ``budget`` word pieces or ``limit`` elements."""
    return list(_taken(ranked, budget, limit))


def _taken(ranked: Iterable[ScoredElement], budget: int | None, limit: int | None) -> Iterator[ScoredElement]:
    used = 0
    for number, item in enumerate(ranked):
        if limit is not None and number >= limit:
            return
        if budget is not None:
            used += _counted(item.element.text)
            if used > budget:
                return
        yield item


def in_reading_order(ranked: Iterable[ScoredElement]) -> list[ScoredElement]:
    """Page by page in the order of their best elements, each page from top to bottom: lists stay whole."""
    listed = list(ranked)
    first: dict[PageKey, int] = {}
    for item in listed:
        first.setdefault(item.page, len(first))
    return sorted(listed, key=lambda item: (first[item.page], item.position))
