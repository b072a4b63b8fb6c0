"""How each preset finds what it puts into its prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.engines.presets.context import PromptContext, of_hits, of_page
from clausegraph.query.rank.hits import Hit
from clausegraph.query.rank.signals import Place
from clausegraph.query.retrieve.places import chunks_at
from clausegraph.query.retrieve.question import embed
from clausegraph.query.retrieve.vector_chunks import VectorChunks
from clausegraph.query.steps.llm.reply import MOST_ITEMS, member, object_of, object_schema
from clausegraph.query.steps.model import StepModel

VECTOR_TOP = 5  # chunks, as HybridContextQA
TRIPLES = 30
TRIPLE_CHUNKS = 10  # whose text goes with the triples: LlamaIndex's ``num_chunks_per_query``
RERANKED = 20  # chunks that a model puts in order
PAGE_CHARACTERS = 60_000  # of a page that is put into one prompt


@dataclass(frozen=True, slots=True)
class Sources:
    """What a preset looks up in, for one question."""

    view: View
    embedder: Embedder
    model: StepModel


Gather = Callable[[Sources, Inquiry], PromptContext]


def vector(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The most similar chunks."""
    return of_hits(sources.view.reading, chunks_near(sources, inquiry, VECTOR_TOP))


def graph(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The most similar triples, with the chunks of the first."""
    triples, hits = triples_near(sources, inquiry)
    return of_hits(sources.view.reading, hits, triples)


def hybrid(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The union of both."""
    triples, hits = triples_near(sources, inquiry)
    nearest = chunks_near(sources, inquiry, VECTOR_TOP)
    known = {(hit.page, hit.key) for hit in nearest}
    return of_hits(sources.view.reading, [*nearest, *(h for h in hits if (h.page, h.key) not in known)], triples)


def page(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The whole page of the most similar chunk; the published baselines are given the right page."""
    nearest = chunks_near(sources, inquiry, 1)
    if not nearest:
        return PromptContext("", ())
    whole = of_page(sources.view.reading, nearest[0].page)
    return replace(whole, text=whole.text[:PAGE_CHARACTERS])


def code(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The page, scenario and question rewritten by the model as commented pseudo-code."""
    whole = page(sources, inquiry)
    inputs: dict[str, object] = {
        "question": inquiry.question,
        "scenario": inquiry.scenario or "none",
        "context": whole.text,
    }
    if not whole.shown:
        return whole
    return replace(whole, text=sources.model.ask("code-prompt", inputs, _text, pages=whole.pages).value)


def reranked(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The most similar chunks in the order in which the model puts them."""
    nearest = chunks_near(sources, inquiry, RERANKED)
    if not nearest:
        return PromptContext("", ())
    lines = [f"{number}. {' '.join(hit.text.split())}" for number, hit in enumerate(nearest, 1)]
    inputs: dict[str, object] = {
        "question": inquiry.question,
        "scenario": inquiry.scenario or "none",
        "passages": "\n".join(lines),
    }
    parse = partial(parse_order, count=len(nearest))
    order = sources.model.ask("rerank", inputs, parse, schema=ORDER_SCHEMA).value
    return of_hits(sources.view.reading, [nearest[index] for index in order][:VECTOR_TOP])


class Correctness(StrEnum):
    """What Corrective RAG's evaluator says of what was retrieved."""

    CORRECT = "correct"
    AMBIGUOUS = "ambiguous"
    INCORRECT = "incorrect"


def corrective(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """Text first; where the model finds it incorrect the graph in its place, where ambiguous both. After Corrective RAG
    (Yan et al. 2024) as HybGRAG compares with it: the other source is the graph, not the web."""
    first = vector(sources, inquiry)
    inputs: dict[str, object] = {
        "question": inquiry.question,
        "scenario": inquiry.scenario or "none",
        "context": first.text,
    }
    said = sources.model.ask("corrective", inputs, parse_correctness, schema=CORRECT_SCHEMA, pages=first.pages).value
    if said is Correctness.CORRECT:
        return first
    return graph(sources, inquiry) if said is Correctness.INCORRECT else hybrid(sources, inquiry)


ORDER_SCHEMA = object_schema("order", order={"type": "array", "items": {"type": "integer"}})
CORRECT_SCHEMA = object_schema("verdict", verdict={"type": "string", "enum": [one.value for one in Correctness]})


def parse_order(text: str, count: int) -> list[int]:
    """Indices of the passages, best first; those that the reply leaves out keep their order behind.

    Raises:
        UnusableReply: it has no list.
    """
    order = object_of(text).get("order")
    if not isinstance(order, list):
        raise UnusableReply("the reply has no list of passages")
    named = [one - 1 for one in order[:MOST_ITEMS] if isinstance(one, int) and 1 <= one <= count]
    return list(dict.fromkeys([*named, *range(count)]))


def parse_correctness(text: str) -> Correctness:
    """The verdict of a reply.

    Raises:
        UnusableReply: it is none.
    """
    found = member(object_of(text).get("verdict"), Correctness)
    if found is None:
        raise UnusableReply("the reply has no verdict")
    return found


def _text(reply: str) -> str:
    if not reply.strip():
        raise UnusableReply("the reply is empty")
    return reply


def chunks_near(sources: Sources, inquiry: Inquiry, limit: int) -> list[Hit]:
    """The most similar chunks."""
    return VectorChunks(sources.view, sources.embedder).retrieve(inquiry, limit=limit)


def triples_near(
    sources: Sources, inquiry: Inquiry, triples: int = TRIPLES, chunks: int = TRIPLE_CHUNKS
) -> tuple[Sequence[str], list[Hit]]:
    """The nearest triples in words, and the chunks that state the first of them."""
    near = {hit.ref: hit.score for hit in sources.view.search("fact", embed(inquiry, sources.embedder), triples)}
    facts = sources.view.graph.facts(list(near))
    places: dict[Place, float] = {}
    stated = sources.view.graph.supports(list(near))
    for support in sorted(stated, key=lambda one: (-near[one.fact_id], one.page, one.chunk_key)):
        places.setdefault((support.page, support.chunk_key), near[support.fact_id])
    first = dict(list(places.items())[:chunks])
    return [f"({fact.text})" for fact in facts], chunks_at(sources.view, first, "fact")
