"""``vector-elements``: elements by similarity, nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit
from clausegraph.query.retrieve.places import elements_at, nearest
from clausegraph.query.retrieve.protocol import depth
from clausegraph.query.retrieve.question import embed


@dataclass(frozen=True, slots=True)
class VectorElements:
    """Elements by similarity; equal scores by page and anchor."""

    view: View
    embedder: Embedder

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Elements, best first."""
        found = nearest(self.view, "element", embed(inquiry, self.embedder), depth(limit, budget))
        return within(elements_at(self.view, found, "element"), budget, limit)
