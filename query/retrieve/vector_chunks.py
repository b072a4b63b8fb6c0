"""``vector-chunks``: plain dense retrieval, the baseline that the others are measured against."""

from __future__ import annotations

from dataclasses import dataclass

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit
from clausegraph.query.retrieve.places import chunks_at, nearest
from clausegraph.query.retrieve.protocol import depth
from clausegraph.query.retrieve.question import embed


@dataclass(frozen=True, slots=True)
class VectorChunks:
    """Chunks by similarity, nothing else."""

    view: View
    embedder: Embedder

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Chunks, best first."""
        found = nearest(self.view, "chunk", embed(inquiry, self.embedder), depth(limit, budget))
        return within(chunks_at(self.view, found, "chunk"), budget, limit)
