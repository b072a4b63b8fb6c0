"""Rank the elements of a view for a question: what the hybrid retriever and the reader call."""

from __future__ import annotations

from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.score import page_priors, rank
from clausegraph.query.rank.signals import DEFAULT_WEIGHTS, ScoredElement, Weights
from clausegraph.query.retrieve.question import Inquiry
from clausegraph.query.retrieve.signals import gather


def rank_elements(
    view: View,
    embedder: Embedder,
    question: str,
    scenario: str = "",
    *,
    budget: int | None = None,
    limit: int | None = None,
    weights: Weights = DEFAULT_WEIGHTS,
) -> list[ScoredElement]:
    """The elements of the view that best fit the question, best first, each once.

    Args:
        budget: word pieces of element text in all; whole elements until the next would not fit.
        limit: number of elements.

    Raises:
        QuestionError: the question is empty, or question and scenario are longer than 10,000 characters.
    """
    inquiry = Inquiry(question, scenario)
    signals = gather(view, embedder, inquiry)
    readings = {page: view.reading(page) for page in page_priors(signals, weights)}
    return within(rank(readings, signals, weights), budget, limit)
