"""Corrective RAG, and chunks that a model puts in order: the baselines that HybGRAG is compared with."""

from __future__ import annotations

from functools import partial

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.engines.hybridcontextqa import find_both, find_graph, find_vector
from clausegraph.query.engines.preset import VECTOR_TOP, Sources, preset
from clausegraph.query.engines.prompt import PromptContext
from clausegraph.query.steps.model import inputs_of
from clausegraph.query.steps.reply import (
    CORRECT_SCHEMA,
    MOST_ITEMS,
    Correctness,
    object_of,
    object_schema,
    parse_correctness,
)

RERANKED = 20  # chunks that a model puts in order


ORDER_SCHEMA = object_schema("order", order={"type": "array", "items": {"type": "integer"}})


def parse_order(text: str, count: int) -> list[int]:
    """Indices of the passages, best first; those that the reply leaves out keep their order behind."""
    order = object_of(text).get("order")
    if not isinstance(order, list):
        raise UnusableReply("the reply has no list of passages")
    named = [one - 1 for one in order[:MOST_ITEMS] if isinstance(one, int) and 1 <= one <= count]
    return list(dict.fromkeys([*named, *range(count)]))


def _corrected(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """Text first; where the model finds it incorrect the graph in its place, where ambiguous both. After Corrective RAG
    (Yan et al. 2024) as HybGRAG compares with it: the other source is the graph, not the web."""
    first = find_vector(sources, inquiry)
    inputs = inputs_of(inquiry, context=first.text)
    said = sources.model.ask("corrective", inputs, parse_correctness, schema=CORRECT_SCHEMA, pages=first.pages).value
    if said is Correctness.CORRECT:
        return first
    return (find_graph if said is Correctness.INCORRECT else find_both)(sources, inquiry)


def _reranked(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The most similar chunks in the order in which the model puts them."""
    nearest = sources.chunks(inquiry, RERANKED)
    if not nearest:
        return PromptContext("", ())
    lines = [f"{number}. {' '.join(hit.text.split())}" for number, hit in enumerate(nearest, 1)]
    inputs = inputs_of(inquiry, passages="\n".join(lines))
    parse = partial(parse_order, count=len(nearest))
    order = sources.model.ask("rerank", inputs, parse, schema=ORDER_SCHEMA).value
    return sources.shown([nearest[index] for index in order][:VECTOR_TOP])


corrective_rag = preset("corrective-rag", _corrected)
vector_reranked = preset("vector-reranked", _reranked)
