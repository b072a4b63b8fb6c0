"""Rankings by one store alone: the baselines the hybrid is measured against, and cheaper retrievers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import Chunk, PageKey
from clausegraph.indexes.lexical import lexical_index
from clausegraph.indexes.views import View
from clausegraph.query.rank.pagerank import DEFAULT_WALK, walk_from
from clausegraph.query.rank.score import in_order
from clausegraph.query.rank.signals import Place, ScoredElement
from clausegraph.query.retrieve.facts import NEAREST
from clausegraph.query.retrieve.network import network_for
from clausegraph.query.retrieve.question import Inquiry

_WALK = replace(DEFAULT_WALK, facts=NEAREST)
SIBLINGS = 0.5  # share of a stating element's score that the other items of its list get


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A chunk and its similarity or BM25 score."""

    page: PageKey
    chunk: Chunk
    score: float


def nearest_chunks(view: View, embedder: Embedder, inquiry: Inquiry, limit: int) -> list[ScoredChunk]:
    """Chunks by similarity: plain dense retrieval."""
    hits = view.search("chunk", inquiry.embed(embedder), limit)
    return chunks_at(view, [((hit.page, hit.ref), hit.score) for hit in hits if hit.page is not None])


def keyword_chunks(view: View, inquiry: Inquiry, limit: int) -> list[ScoredChunk]:
    """Chunks by BM25."""
    hits = lexical_index(view).search(inquiry.text, limit)
    return chunks_at(view, [((hit.page, hit.ref), hit.score) for hit in hits])


def nearest_elements(view: View, embedder: Embedder, inquiry: Inquiry, limit: int) -> list[ScoredElement]:
    """Elements by similarity, nothing else."""
    hits = view.search("element", inquiry.embed(embedder), limit)
    return _elements(view, {(hit.page, hit.ref): hit.score for hit in hits if hit.page is not None}, "element")


def fact_elements(view: View, embedder: Embedder, inquiry: Inquiry, limit: int) -> list[ScoredElement]:
    """Elements that state the facts a question is about, with their lead-ins and the items beside them.

    Scores are those of a walk from the ends of the nearest facts (``query.rank.pagerank``), the best one 1. Every
    second ConditionalQA development question, evidence recall at 650, 1,300 and 2,600 tokens: 0.665, 0.809, 0.896;
    by the similarity of the facts alone 0.657, 0.773, 0.838. As the fact signal of the hybrid ranking it does
    harm (0.916 instead of 0.936 at 650), so that one keeps to similarity.
    """
    hits = view.search("fact", inquiry.embed(embedder), _WALK.facts + 1)
    facts = {hit.ref: hit.score for hit in hits}
    found = walk_from(network_for(view, "element", facts, {}, _WALK), facts, walk=_WALK)
    top = max(found.values(), default=1.0)
    scores = {place: score / top for place, score in found.items()}
    for (page, anchor), score in sorted(scores.items()):
        for place, share in _list_around(view, page, anchor):
            scores[place] = max(share * score, scores.get(place, 0.0))
    return _elements(view, scores, "fact")[:limit]


def _list_around(view: View, page: PageKey, anchor: str) -> list[tuple[Place, float]]:
    """The lead-in of an item (whole score) and the other items of its list (a share)."""
    elements = view.reading(page).elements
    above = next((element.lead_in for element in elements if element.anchor == anchor), None)
    if above is None:
        return []
    beside = [((page, element.anchor), SIBLINGS) for element in elements if element.lead_in == above]
    return [((page, above), 1.0), *(place for place in beside if place[0][1] != anchor)]


def chunks_at(view: View, found: list[tuple[Place, float]]) -> list[ScoredChunk]:
    """The chunks of these places, in the order given."""
    named = {(page, chunk.key): chunk for page in {p for (p, _), _ in found} for chunk in view.reading(page).chunks}
    return [ScoredChunk(place[0], named[place], score) for place, score in found]


def _elements(view: View, scores: dict[Place, float], part: str) -> list[ScoredElement]:
    made: list[ScoredElement] = []
    for page in sorted({page for page, _ in scores}):
        for position, element in enumerate(view.reading(page).elements):
            score = scores.get((page, element.anchor))
            if score is not None:
                made.append(ScoredElement(page, element, score, {part: score}, position))
    return in_order(made)
