"""Ask the stores of a view: what each says about a question, as plain scores."""

from __future__ import annotations

from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.indexes.lexical import lexical_index
from clausegraph.indexes.views import View
from clausegraph.query.rank.signals import Place, Signals
from clausegraph.query.retrieve.facts import element_facts
from clausegraph.query.retrieve.question import Inquiry

ELEMENTS = 500  # candidates of each store; four times as many rank ConditionalQA's evidence the same
CHUNKS = 150


def gather(view: View, embedder: Embedder, inquiry: Inquiry) -> Signals:
    """Every signal of the hybrid ranking."""
    vector = inquiry.embed(embedder)
    return Signals(
        elements=_similar(view, "element", vector, ELEMENTS),
        chunks=_similar(view, "chunk", vector, CHUNKS),
        keywords={(hit.page, hit.ref): hit.score for hit in lexical_index(view).search(inquiry.text, CHUNKS)},
        facts=element_facts(view, vector),  # linking entities ranks no better here and costs 10 ms
    )


def _similar(view: View, kind: str, vector: Vectors, limit: int) -> dict[Place, float]:
    return {(hit.page, hit.ref): hit.score for hit in view.search(kind, vector, limit) if hit.page is not None}
