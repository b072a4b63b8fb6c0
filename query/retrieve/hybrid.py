"""``hybrid``: elements by vectors, BM25, page structure and facts, in one linear score."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit
from clausegraph.query.rank.score import page_priors, rank
from clausegraph.query.rank.signals import DEFAULT_WEIGHTS, Weights
from clausegraph.query.retrieve.protocol import depth
from clausegraph.query.retrieve.signals import gather


@dataclass(frozen=True, slots=True)
class Hybrid:
    """Asks every store, and ranks the elements of the best pages (:mod:`clausegraph.query.rank.score`)."""

    view: View
    embedder: Embedder
    weights: Weights = DEFAULT_WEIGHTS

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Elements, best first."""
        depth(limit, budget)
        signals = gather(self.view, self.embedder, inquiry, self.weights)
        readings = {page: self.view.reading(page) for page in page_priors(signals, self.weights)}
        return within(rank(readings, signals, self.weights), budget, limit)


def without_facts(view: View, embedder: Embedder) -> Hybrid:
    """The same without what the graph adds: what that is worth is the difference."""
    return Hybrid(view, embedder, replace(DEFAULT_WEIGHTS, fact=0.0, rule=0.0, joined=0.0))
