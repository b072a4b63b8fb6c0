"""Chunks ranked as passages: by BM25, by similarity, by the graph alone, or by all of them in one walk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.rank.pagerank import DEFAULT_WALK, Walk, walk_from
from clausegraph.query.rank.signals import Place
from clausegraph.query.retrieve.network import network_for
from clausegraph.query.retrieve.question import Inquiry
from clausegraph.query.retrieve.single import ScoredChunk, chunks_at, keyword_chunks, nearest_chunks

Ranking = Literal["bm25", "vectors", "graph", "hybrid"]
RANKINGS: tuple[Ranking, ...] = get_args(Ranking)


def rank_passages(
    view: View, embedder: Embedder, inquiry: Inquiry, limit: int, by: Ranking = "hybrid", walk: Walk = DEFAULT_WALK
) -> list[ScoredChunk]:
    """The ``limit`` best chunks, each once.

    Args:
        by: "bm25" and "vectors" are the baselines; "graph" walks from the nearest facts only; "hybrid" also from
            the nearest chunks, and puts the chunks that the walk does not reach behind, by similarity.

    Order: score descending, then page and chunk key. Nothing is asked of a model but the question's vector.
    """
    if by == "bm25":
        return keyword_chunks(view, inquiry, limit)
    if by == "vectors":
        return nearest_chunks(view, embedder, inquiry, limit)
    vector = inquiry.embed(embedder)
    facts = {hit.ref: hit.score for hit in view.search("fact", vector, walk.facts + 1)}
    near: dict[Place, float] = {}
    if by == "hybrid":
        hits = view.search("chunk", vector, max(limit, walk.places + 1))
        near = {(hit.page, hit.ref): hit.score for hit in hits if hit.page is not None}
    scores = walk_from(network_for(view, "chunk", facts, near, walk), facts, near, walk)
    return chunks_at(view, _filled(scores, near, limit))


def _filled(scores: Mapping[Place, float], near: Mapping[Place, float], limit: int) -> list[tuple[Place, float]]:
    """The best by score; if they are too few, the nearest others with score 0."""
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]
    rest = sorted((place for place in near if place not in scores), key=lambda place: (-near[place], place))
    return best + [(place, 0.0) for place in rest[: limit - len(best)]]
