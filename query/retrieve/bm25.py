"""``bm25``: chunks by the words they share with the question."""

from __future__ import annotations

from dataclasses import dataclass

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.lexical import lexical_index
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit
from clausegraph.query.retrieve.places import chunks_at
from clausegraph.query.retrieve.protocol import depth


@dataclass(frozen=True, slots=True)
class Bm25:
    """Chunks by BM25; asks no model."""

    view: View
    embedder: Embedder

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Chunks that share a word with the question, best first."""
        found = lexical_index(self.view).search(inquiry.text, depth(limit, budget))
        scores = {(hit.page, hit.ref): hit.score for hit in found}
        return within(chunks_at(self.view, scores, "keyword"), budget, limit)
