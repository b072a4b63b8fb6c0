"""``hybrid-pagerank``: chunks by a walk over the graph from the facts and the chunks nearest to the question."""

from __future__ import annotations

from dataclasses import dataclass

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit
from clausegraph.query.rank.pagerank import DEFAULT_WALK, Walk
from clausegraph.query.retrieve.pagerank import best, walked
from clausegraph.query.retrieve.places import chunks_at, nearest
from clausegraph.query.retrieve.protocol import depth
from clausegraph.query.retrieve.question import embed


@dataclass(frozen=True, slots=True)
class HybridPageRank:
    """For questions that need several passages; what the walk does not reach comes behind, by similarity."""

    view: View
    embedder: Embedder
    walk: Walk = DEFAULT_WALK

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Chunks by how often the walker is there, then the nearest others with score 0; ties by page and key."""
        most = depth(limit, budget)
        vector = embed(inquiry, self.embedder)
        near = nearest(self.view, "chunk", vector, max(most, self.walk.places + 1))
        scores = walked(self.view, "chunk", vector, near, self.walk)
        found = best(scores, most)
        rest = best({place: score for place, score in near.items() if place not in scores}, most - len(found))
        return within(chunks_at(self.view, found | dict.fromkeys(rest, 0.0), "walk"), budget, limit)
