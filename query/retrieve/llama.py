"""The retrievers as LlamaIndex ``BaseRetriever``s: nodes are elements (or chunks) of the view's pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import PageKey, Reading
from clausegraph.indexes.views import View
from clausegraph.query.rank.signals import DEFAULT_WEIGHTS, ScoredElement, Weights
from clausegraph.query.retrieve.elements import rank_elements
from clausegraph.query.retrieve.passages import RANKINGS, Ranking, rank_passages
from clausegraph.query.retrieve.question import Inquiry
from clausegraph.query.retrieve.single import (
    ScoredChunk,
    fact_elements,
    keyword_chunks,
    nearest_chunks,
    nearest_elements,
)

DEFAULT_BUDGET = 1300  # word pieces


@dataclass
class ScenarioBundle(QueryBundle):
    """A question with the scenario of the person who asks."""

    scenario: str = ""


class VectorRetriever(BaseRetriever):
    """By similarity: ``kind`` "chunk" or "element"."""

    def __init__(self, view: View, embedder: Embedder, kind: str = "chunk", limit: int = 10) -> None:
        if kind not in ("chunk", "element"):
            raise ValueError(f"kind {kind!r} is neither 'chunk' nor 'element'")
        self._view, self._embedder, self._kind, self._limit = view, embedder, kind, limit
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        inquiry = inquiry_of(query_bundle)
        if self._kind == "chunk":
            return chunk_nodes(self._view, nearest_chunks(self._view, self._embedder, inquiry, self._limit))
        return element_nodes(self._view, nearest_elements(self._view, self._embedder, inquiry, self._limit))


class LexicalRetriever(BaseRetriever):
    """Chunks by BM25."""

    def __init__(self, view: View, limit: int = 10) -> None:
        self._view, self._limit = view, limit
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return chunk_nodes(self._view, keyword_chunks(self._view, inquiry_of(query_bundle), self._limit))


class GraphRetriever(BaseRetriever):
    """What states the facts a question is about: ``kind`` "element", by those facts, or "chunk", by PageRank."""

    def __init__(self, view: View, embedder: Embedder, limit: int = 30, kind: str = "element") -> None:
        if kind not in ("chunk", "element"):
            raise ValueError(f"kind {kind!r} is neither 'chunk' nor 'element'")
        self._view, self._embedder, self._limit, self._kind = view, embedder, limit, kind
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        inquiry = inquiry_of(query_bundle)
        if self._kind == "chunk":
            return chunk_nodes(self._view, rank_passages(self._view, self._embedder, inquiry, self._limit, "graph"))
        return element_nodes(self._view, fact_elements(self._view, self._embedder, inquiry, self._limit))


class PassageRetriever(BaseRetriever):
    """Chunks for questions that need several passages; ``by`` as in :func:`rank_passages`."""

    def __init__(self, view: View, embedder: Embedder, limit: int = 10, by: Ranking = "hybrid") -> None:
        if by not in RANKINGS:
            raise ValueError(f"ranking {by!r} is none of {', '.join(RANKINGS)}")
        self._view, self._embedder, self._limit, self._by = view, embedder, limit, by
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        inquiry = inquiry_of(query_bundle)
        return chunk_nodes(self._view, rank_passages(self._view, self._embedder, inquiry, self._limit, self._by))


class HybridRetriever(BaseRetriever):
    """One ranked, deduplicated list of elements from all stores, under a token budget."""

    def __init__(
        self,
        view: View,
        embedder: Embedder,
        budget: int | None = DEFAULT_BUDGET,
        limit: int | None = None,
        weights: Weights = DEFAULT_WEIGHTS,
    ) -> None:
        self._view, self._embedder = view, embedder
        self._budget, self._limit, self._weights = budget, limit, weights
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        inquiry = inquiry_of(query_bundle)
        ranked = rank_elements(
            self._view,
            self._embedder,
            inquiry.question,
            inquiry.scenario,
            budget=self._budget,
            limit=self._limit,
            weights=self._weights,
        )
        return element_nodes(self._view, ranked)


def inquiry_of(bundle: QueryBundle) -> Inquiry:
    """Question and scenario of a bundle; a plain one has no scenario."""
    return Inquiry(bundle.query_str, bundle.scenario if isinstance(bundle, ScenarioBundle) else "")


def element_nodes(view: View, ranked: list[ScoredElement]) -> list[NodeWithScore]:
    """One node an element; id ``page#anchor``, text the element's text."""
    return [
        _node(
            view.reading(item.page),
            item.page,
            item.element.anchor,
            item.element.text,
            item.score,
            {
                "headings": list(item.element.headings),
                "tag": item.element.tag,
                "html": item.element.html,
                "parts": dict(item.parts),
            },
        )
        for item in ranked
    ]


def chunk_nodes(view: View, ranked: list[ScoredChunk]) -> list[NodeWithScore]:
    """One node a chunk; id ``page#key``, text what is embedded of it; ``anchors`` are its elements'."""
    return [
        _node(
            view.reading(item.page),
            item.page,
            item.chunk.key,
            item.chunk.text,
            item.score,
            {"headings": list(item.chunk.headings), "anchors": list(item.chunk.anchors)},
        )
        for item in ranked
    ]


def _node(
    reading: Reading, page: PageKey, ref: str, text: str, score: float, more: Mapping[str, object]
) -> NodeWithScore:
    metadata = {"page": str(page), "title": reading.title, "url": reading.url, "anchor": ref, **more}
    keys = list(metadata)  # metadata is for programs: no model and no embedder is to read it
    node = TextNode(
        id_=f"{page}#{ref}",
        text=text,
        metadata=metadata,
        excluded_llm_metadata_keys=keys,
        excluded_embed_metadata_keys=keys,
    )
    return NodeWithScore(node=node, score=score)
