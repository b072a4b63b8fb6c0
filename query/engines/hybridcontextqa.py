"""HybridContextQA: 5 chunks by similarity and 30 triples with theirs, united in one prompt of four; with its switch."""

from __future__ import annotations

from clausegraph.core.inquiry import Inquiry
from clausegraph.query.engines.preset import VECTOR_TOP, Sources, preset
from clausegraph.query.engines.prompt import PromptContext


def find_vector(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The most similar chunks."""
    return sources.shown(sources.chunks(inquiry, VECTOR_TOP))


def find_graph(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The most similar triples, with the chunks of the first."""
    triples, hits = sources.triples(inquiry)
    return sources.shown(hits, triples)


def find_both(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The union of both."""
    triples, hits = sources.triples(inquiry)
    nearest = sources.chunks(inquiry, VECTOR_TOP)
    known = {(hit.page, hit.key) for hit in nearest}
    return sources.shown([*nearest, *(hit for hit in hits if (hit.page, hit.key) not in known)], triples)


make = preset("hybridcontextqa", find_both)
kg_only = preset("kg-only", find_graph)
vector_only = preset("vector-only", find_vector)
