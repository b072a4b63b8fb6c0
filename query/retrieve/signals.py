"""Ask the stores of a view: what each says about a question, as plain scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.core.types import Support, leaves
from clausegraph.indexes.lexical import lexical_index
from clausegraph.indexes.views import View
from clausegraph.query.rank.score import page_priors
from clausegraph.query.rank.signals import DEFAULT_WEIGHTS, Place, Signals, Weights
from clausegraph.query.retrieve.places import nearest
from clausegraph.query.retrieve.question import embed
from clausegraph.query.retrieve.rules import rules_on

ELEMENTS = 500  # candidates of each store; four times as many rank ConditionalQA's evidence the same
CHUNKS = 150
NEAREST_FACTS = 100


def gather(view: View, embedder: Embedder, inquiry: Inquiry, weights: Weights = DEFAULT_WEIGHTS) -> Signals:
    """Every signal of the hybrid ranking; rules on the pages that :func:`page_priors` names."""
    vector = embed(inquiry, embedder)
    found = Signals(
        elements=nearest(view, "element", vector, ELEMENTS),
        chunks=nearest(view, "chunk", vector, CHUNKS),
        keywords={(hit.page, hit.ref): hit.score for hit in lexical_index(view).search(inquiry.text, CHUNKS)},
        facts=fact_signal(view, vector),
    )
    return replace(found, rules=rules_on(view, page_priors(found, weights)))


def fact_signal(view: View, vector: Vectors) -> dict[Place, float]:
    """For each element the similarity of the best fact it states or sets a condition of.

    Scaled so that the best of the nearest facts has 1 and the worst 0. Facts around the entities that the question
    names, found by their words, rank no better and cost 10 ms.
    """
    near = {hit.ref: hit.score for hit in view.search("fact", vector, NEAREST_FACTS)}
    low, high = min(near.values(), default=0.0), max(near.values(), default=0.0)
    span = high - low or 1.0
    best: dict[Place, float] = {}
    for support in view.graph.supports(sorted(near)):
        score = (near[support.fact_id] - low) / span
        for anchor in stating(support):
            place = (support.page, anchor)
            best[place] = max(score, best.get(place, 0.0))
    return best


def stating(support: Support) -> Iterable[str]:
    """Anchors of the elements that state a support or a leaf of its condition."""
    statement = support.statement
    return dict.fromkeys(
        [span.anchor for span in statement.spans] + [leaf.anchor for leaf in leaves(statement.condition)]
    )
