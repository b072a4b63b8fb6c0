"""The one list of retrievers: search, evaluation, LlamaIndex and the engines take them from here, by these names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausegraph.core.errors import InputError
from clausegraph.query.registry import Entry, Registry

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.models.reranking import Reranker
    from clausegraph.indexes.views import View
    from clausegraph.query.rank.hits import Level
    from clausegraph.query.rank.signals import Weights
    from clausegraph.query.retrieve.protocol import Retriever

DEFAULT = "hybrid"


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
        "retrieve.hybrid_pagerank:HybridPageRank",
        "chunk",
    ),
    RetrieverEntry("facts", "what states the nearest facts, with its list", "retrieve.facts:Facts", "element"),
    RetrieverEntry(
        "graph", "what states the facts around the names in the question", "retrieve.graph:EgoElements", "element"
    ),
    RetrieverEntry("pagerank", "a walk from the nearest facts alone", "retrieve.pagerank:PageRank", "chunk"),
    RetrieverEntry("vector-chunks", "similarity of chunks", "retrieve.vector_chunks:VectorChunks", "chunk"),
    RetrieverEntry("vector-elements", "similarity of elements", "retrieve.vector_elements:VectorElements", "element"),
    RetrieverEntry("bm25", "words in common, by BM25", "retrieve.bm25:Bm25", "chunk", embeds=False),
)


def make_retriever(
    name: str,
    view: View,
    embedder: Embedder,
    *,
    weights: Weights | None = None,
    reranker: Reranker | None = None,
) -> Retriever:
    """The retriever of that name on a view; with a ``reranker``, its first hits in the order of that one.

    Args:
        weights: of the ranking formula, for "hybrid" only.

    Raises:
        InputError: no such retriever, or weights that are none or that it does not have.
    """
    made = _made(name, view, embedder, weights)
    if reranker is None:
        return made
    from clausegraph.query.retrieve.reranked import Reranked

    return Reranked(made, reranker)


def _made(name: str, view: View, embedder: Embedder, weights: Weights | None) -> Retriever:
    maker = RETRIEVERS[name].load()
    if weights is None:
        made: Retriever = maker(view, embedder)
        return made
    from clausegraph.query.rank.signals import Weights
    from clausegraph.query.retrieve.hybrid import Hybrid

    if maker is not Hybrid:
        raise InputError(f"retriever {name!r} has no weights; leave them out, or take 'hybrid'")
    if not isinstance(weights, Weights):
        raise InputError(f"weights {weights!r} are no Weights; give clausegraph.Weights(fact=0.2), or leave them out")
    return Hybrid(view, embedder, weights)
