"""Corrective RAG, and chunks that a model puts in order: the baselines that HybGRAG is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.engines.hybridcontextqa import find_both, find_graph, find_vector
from clausegraph.query.engines.preset import VECTOR_TOP, Sources, preset
from clausegraph.query.engines.prompt import PromptContext
from clausegraph.query.steps.model import StepModel, inputs_of
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


def ordered(model: StepModel, inquiry: Inquiry, passages: Sequence[str]) -> list[int]:
    """The indices of passages as a model puts them, best first; those that it leaves out keep their order behind.

    Raises:
        UnusableReply, BudgetExceeded: as of ``StepModel.ask``.
    """
    lines = [f"{number}. {' '.join(text.split())}" for number, text in enumerate(passages, 1)]
    inputs = inputs_of(inquiry, passages="\n".join(lines))
    return model.ask("rerank", inputs, partial(parse_order, count=len(passages)), schema=ORDER_SCHEMA).value


def parse_order(text: str, count: int) -> list[int]:
    """Read a reply."""
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
    order = ordered(sources.model, inquiry, [hit.text for hit in nearest])
    return sources.shown([nearest[index] for index in order][:VECTOR_TOP])


corrective_rag = preset("corrective-rag", _corrected)
vector_reranked = preset("vector-reranked", _reranked)
