"""``pagerank``: chunks by a walk over the graph from the facts nearest to the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit, Level
from clausegraph.query.rank.pagerank import DEFAULT_WALK, Walk, walk_from
from clausegraph.query.rank.signals import Place
from clausegraph.query.retrieve.network import network_for
from clausegraph.query.retrieve.places import chunks_at
from clausegraph.query.retrieve.protocol import depth
from clausegraph.query.retrieve.question import embed


@dataclass(frozen=True, slots=True)
class PageRank:
    """For questions that need several passages; chunks that the walk does not reach are not found."""

    view: View
    embedder: Embedder
    walk: Walk = DEFAULT_WALK

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Chunks by how often the walker is there; ties by page and key."""
        scores = walked(self.view, "chunk", embed(inquiry, self.embedder), {}, self.walk)
        return within(chunks_at(self.view, best(scores, depth(limit, budget)), "walk"), budget, limit)


def walked(view: View, level: Level, vector: Vectors, near: Mapping[Place, float], walk: Walk) -> dict[Place, float]:
    """How often a walker from the facts nearest to the question, and from the places ``near``, is at each place."""
    facts = {hit.ref: hit.score for hit in view.search_facts(vector, walk.facts + 1)}
    return walk_from(network_for(view, level, facts, near, walk), facts, near, walk)


def best(scores: Mapping[Place, float], limit: int) -> dict[Place, float]:
    """The ``limit`` highest scores, descending; ties by place."""
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit])
