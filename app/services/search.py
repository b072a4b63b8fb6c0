"""Retrieval for ``search``: one list of hits whatever the retriever."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clausegraph.core.models.embedding import Embedder
from clausegraph.core.tokens import count_tokens
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.signals import ScoredElement
from clausegraph.query.retrieve.elements import rank_elements
from clausegraph.query.retrieve.question import Inquiry
from clausegraph.query.retrieve.single import ScoredChunk, fact_elements, keyword_chunks, nearest_chunks

_GRAPH_DEPTH = 300  # elements ranked before the budget cuts


def find(
    view: View, embedder: Embedder, inquiry: Inquiry, *, retriever: str, budget: int, limit: int
) -> list[dict[str, Any]]:
    """Hits as JSON values, best first: elements for hybrid and graph, chunks for vector and bm25.

    Args:
        budget: word pieces of text in all; whole hits until the next would not fit.
    """
    if retriever == "hybrid":
        best = rank_elements(view, embedder, inquiry.question, inquiry.scenario, budget=budget, limit=limit)
        return _elements(view, best)
    if retriever == "graph":
        ranked = fact_elements(view, embedder, inquiry, max(limit, _GRAPH_DEPTH))
        return _elements(view, within(ranked, budget, limit))
    chunks = (
        keyword_chunks(view, inquiry, limit) if retriever == "bm25" else nearest_chunks(view, embedder, inquiry, limit)
    )
    return _chunks(view, chunks, budget)


def _elements(view: View, ranked: Sequence[ScoredElement]) -> list[dict[str, Any]]:
    return [
        {
            "page": str(item.page),
            "title": view.reading(item.page).title,
            "url": view.reading(item.page).url,
            "headings": list(item.element.headings),
            "anchor": item.element.anchor,
            "text": item.element.text,
            "score": round(item.score, 6),
            "parts": {name: round(part, 6) for name, part in item.parts.items()},
        }
        for item in ranked
    ]


def _chunks(view: View, ranked: Sequence[ScoredChunk], budget: int) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = []
    used = 0
    for item in ranked:
        used += count_tokens(item.chunk.text)
        if used > budget:
            break
        reading = view.reading(item.page)
        hits.append(
            {
                "page": str(item.page),
                "title": reading.title,
                "url": reading.url,
                "headings": list(item.chunk.headings),
                "chunk": item.chunk.key,
                "anchors": list(item.chunk.anchors),
                "text": item.chunk.text,
                "score": round(item.score, 6),
            }
        )
    return hits
