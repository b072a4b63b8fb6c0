"""The one form of a retrieved piece of a page, whichever retriever found it; ranked lists cut to a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import Chunk, Element, PageKey

Level = Literal["element", "chunk"]
_DIGITS = 6  # equal texts embedded in other batches differ by 1e-7: such scores are ties


@dataclass(frozen=True, slots=True)
class Hit:
    """An element or a chunk with its score and the parts that the score is made of.

    ``key`` is the element's anchor or the chunk's key; ``anchors`` are the elements it covers, in reading order.
    """

    page: PageKey
    level: Level
    key: str
    anchors: tuple[str, ...]
    text: str
    headings: tuple[str, ...]
    score: float
    parts: Mapping[str, float]

    @classmethod
    def of_element(cls, page: PageKey, element: Element, score: float, parts: Mapping[str, float]) -> Hit:
        return cls(page, "element", element.anchor, (element.anchor,), element.text, element.headings, score, parts)

    @classmethod
    def of_chunk(cls, page: PageKey, chunk: Chunk, score: float, parts: Mapping[str, float]) -> Hit:
        return cls(page, "chunk", chunk.key, chunk.anchors, chunk.text, chunk.headings, score, parts)


def in_order(hits: Iterable[Hit]) -> list[Hit]:
    """Score descending, then page and key."""
    return sorted(hits, key=lambda hit: (-round(hit.score, _DIGITS), hit.page, hit.key))


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
