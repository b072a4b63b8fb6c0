"""Retrievers: what one is and finds, and the one list by name, which search, evaluation and engines take them from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Protocol

from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import Chunk, Element, PageKey
from clausegraph.query.registry import Entry, Registry

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.models.reranking import Reranker
    from clausegraph.indexes.views import View
    from clausegraph.query.retrieve.score import Weights


Level = Literal["element", "chunk"]
Place = tuple[PageKey, str]  # a chunk key or an element's anchor on its page
DIGITS = 6  # equal texts embedded in other batches differ by 1e-7: such scores are ties
DEFAULT = "hybrid"
CANDIDATES = 100  # hits that a reranker reads, each with the question: time grows with them


@dataclass(frozen=True, slots=True)
class Hit:
    """An element or a chunk with its score and the parts of which the score is the sum.

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
    return sorted(hits, key=lambda hit: (-round(hit.score, DIGITS), hit.page.source, hit.page.uri, hit.key))


_counted = lru_cache(maxsize=100_000)(count_tokens)


def within(ranked: Iterable[Hit], budget: int | None = None, limit: int | None = None) -> list[Hit]:
    """Whole hits in rank order until the next would not fit ``budget`` word pieces or ``limit`` hits."""
    kept: list[Hit] = []
    used = 0
    for hit in ranked:
        used += _counted(hit.text) if budget is not None else 0
        if len(kept) == limit or (budget is not None and used > budget):
            break
        kept.append(hit)
    return kept


class Retriever(Protocol):
    """Finds what an inquiry is about in one view. It searches with question and scenario."""

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Hits of one level, each once, highest score first; equal views give equal lists.

        Args:
            limit: hits at most.
            budget: word pieces of text in all; whole hits until the next would not fit.

        Raises:
            InputError: neither is given, or one is below 1.
        """


def depth(limit: int | None, budget: int | None) -> int:
    """How many hits can be asked for at most: each has one word piece or more.

    Raises:
        InputError: neither is given, or one is below 1.
    """
    given = {name: value for name, value in {"limit": limit, "budget": budget}.items() if value is not None}
    if not given:
        raise InputError("neither limit nor budget is given; give limit=20 (hits) or budget=1300 (word pieces)")
    for name, value in given.items():
        if not isinstance(value, int) or value < 1:
            raise InputError(f"{name} is {value!r}; give a whole number from 1, or leave it out")
    return min(given.values())


@dataclass(frozen=True, slots=True)
class Ranker:
    """A retriever whose ranking is cut to what is asked for: a subclass has ``ranked``."""

    view: View
    embedder: Embedder

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """As of ``Retriever``."""
        return within(self.ranked(inquiry, depth(limit, budget)), budget, limit)

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Hits, best first; more than ``most`` are cut."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Reranked:
    """The first hits of ``inner``, each read with the question under its headings; the others are left out."""

    inner: Retriever
    reranker: Reranker

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Hits, best first; the score is the cross-encoder's."""
        depth(limit, budget)
        hits = self.inner.retrieve(inquiry, limit=CANDIDATES)
        texts = [" > ".join((*hit.headings, hit.text)) if hit.level == "element" else hit.text for hit in hits]
        scores = [float(score) for score in self.reranker.scores(inquiry.text, texts)]
        scored = (replace(hit, score=score, parts={"reranked": score}) for hit, score in zip(hits, scores, strict=True))
        return within(in_order(scored), budget, limit)


@dataclass(frozen=True, slots=True)
class RetrieverEntry(Entry):
    """A retriever by name; its maker takes view and embedder."""

    level: Level  # of its hits
    embeds: bool = True  # whether it asks the embedder


RETRIEVERS = Registry(
    "retriever",
    RetrieverEntry("hybrid", "vectors, BM25, page structure and facts in one sum", "retrieve.hybrid:Hybrid", "element"),
    RetrieverEntry("hybrid-without-facts", "the same without the graph", "retrieve.hybrid:without_facts", "element"),
    RetrieverEntry(
        "hybrid-pagerank",
        "a walk over the graph from the nearest facts and chunks",
        "retrieve.pagerank:HybridPageRank",
        "chunk",
    ),
    RetrieverEntry("facts", "what states the nearest facts, with its list", "retrieve.hybrid:Facts", "element"),
    RetrieverEntry(
        "graph", "what states the facts around the names in the question", "retrieve.graph:EgoElements", "element"
    ),
    RetrieverEntry("pagerank", "a walk from the nearest facts alone", "retrieve.pagerank:PageRank", "chunk"),
    RetrieverEntry("vector-chunks", "similarity of chunks", "retrieve.nearest:VectorChunks", "chunk"),
    RetrieverEntry("vector-elements", "similarity of elements", "retrieve.nearest:VectorElements", "element"),
    RetrieverEntry("bm25", "words in common, by BM25", "retrieve.nearest:Bm25", "chunk", embeds=False),
)


def make_retriever(
    name: str, view: View, embedder: Embedder, *, weights: Weights | None = None, reranker: Reranker | None = None
) -> Retriever:
    """The retriever of that name on a view; with a ``reranker``, its first hits in the order of that one.

    Raises:
        InputError: no such retriever, or weights that are none or that it does not have.
    """
    from clausegraph.query.retrieve.score import Weights

    maker = RETRIEVERS[name].load()
    if weights is not None and name != "hybrid":
        raise InputError(f"retriever {name!r} has no weights; leave them out, or take 'hybrid'")
    if weights is not None and not isinstance(weights, Weights):
        raise InputError(f"weights {weights!r} are no Weights; give clausegraph.Weights(fact=0.2), or leave them out")
    made: Retriever = maker(view, embedder) if weights is None else maker(view, embedder, weights)
    return made if reranker is None else Reranked(made, reranker)
