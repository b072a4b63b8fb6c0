"""Ask the stores of a view: what each says about a question, as plain scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.core.types import PageKey, Stated
from clausegraph.indexes.lexical import lexical_index
from clausegraph.indexes.views import VectorHit, View
from clausegraph.query.rank.score import page_priors
from clausegraph.query.rank.signals import DEFAULT_WEIGHTS, Place, Signals, Weights
from clausegraph.query.retrieve.places import nearest
from clausegraph.query.retrieve.question import embed
from clausegraph.query.retrieve.statements import anchors_of, statements_on

ELEMENTS = 500  # candidates of each store; four times as many rank ConditionalQA's evidence the same
CHUNKS = 150
NEAREST_FACTS = 50


def gather(view: View, embedder: Embedder, inquiry: Inquiry, weights: Weights = DEFAULT_WEIGHTS) -> Signals:
    """Every signal of the hybrid ranking; statements on the pages that :func:`page_priors` names."""
    vector = embed(inquiry, embedder)
    found = Signals(
        elements=nearest(view, "element", vector, ELEMENTS),
        chunks=nearest(view, "chunk", vector, CHUNKS),
        keywords={(hit.page, hit.ref): hit.score for hit in lexical_index(view).search(inquiry.text, CHUNKS)},
        facts=fact_signal(view, vector),
    )
    stated = statements_on(view, page_priors(found, weights))
    return replace(
        found,
        rules=frozenset((page, anchor) for page, one in stated.items() for anchor in one.rules),
        joined={page: one.joined for page, one in stated.items()},
    )


def fact_signal(view: View, vector: Vectors) -> dict[Place, float]:
    """:func:`near_statements` of the ``NEAREST_FACTS`` nearest, so scaled that the best one has 1 and the worst 0.

    Facts around the entities that the question names, found by their words, rank no better and cost 10 ms.
    """
    near = near_statements(view, vector, NEAREST_FACTS)
    low, high = min(near.values(), default=0.0), max(near.values(), default=0.0)
    span = high - low or 1.0
    return {place: (score - low) / span for place, score in near.items()}


def near_statements(view: View, vector: Vectors, limit: int) -> dict[Place, float]:
    """For each element the similarity of the best fact or passage of which it states a part or sets a condition, of the
    ``limit`` nearest.

    A fact is as near on a page as what that page says of it, under its title, heading and condition.
    """
    hits = [*view.search("fact", vector, limit), *view.search("passage", vector, limit)]
    hits = sorted(hits, key=lambda hit: -hit.score)[:limit]
    best: dict[Place, float] = {}
    for page, stated, score in _stated(view, hits):
        for anchor in anchors_of(stated):
            best[page, anchor] = max(score, best.get((page, anchor), score))
    return best


def _stated(view: View, hits: Sequence[VectorHit]) -> Iterator[tuple[PageKey, Stated, float]]:
    """What facts and passages say on the pages that are near."""
    near = {(hit.page, hit.ref): hit.score for hit in hits if hit.kind == "fact"}
    for support in view.graph.supports(sorted({ref for _, ref in near})):
        score = near.get((support.page, support.fact_id))
        if score is not None:
            yield support.page, support.statement, score
    scores = {(hit.page, hit.ref): hit.score for hit in hits if hit.kind == "passage"}
    for page in dict.fromkeys(page for page, _ in scores if page is not None):
        for one in view.passages(page):
            if (page, one.key) in scores:
                yield page, one.passage, scores[page, one.key]
