"""From hits to the elements that the extractive reader weighs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from clausegraph.core.types import Element, PageKey
from clausegraph.query.read.protocol import Pages
from clausegraph.query.retrieve.bank import Hit

_TENTH, _SCALE = 10, 0.6  # chosen on ConditionalQA's training questions, by folds of pages


@dataclass(frozen=True, slots=True)
class Candidate:
    """A retrieved element. ``score`` orders candidates (higher is better, roughly 0 to 1); ``similarity``
    is the cosine of scenario with question and the element's passage, comparable across questions; None where the
    retriever compared no vectors."""

    page: PageKey
    element: Element
    score: float
    similarity: float | None


def candidates(hits: Sequence[Hit], pages: Pages) -> list[Candidate]:
    """The elements of the hits, each once: a chunk is read element by element."""
    found: dict[tuple[PageKey, str], Candidate] = {}
    for hit in hits:
        similarity = hit.parts.get("element", hit.parts.get("chunk"))
        elements = {element.anchor: element for element in pages(hit.page).elements}
        for anchor in hit.anchors:
            found.setdefault((hit.page, anchor), Candidate(hit.page, elements[anchor], hit.score, similarity))
    return list(found.values())


def nearness(ranked: Sequence[Candidate]) -> list[float]:
    """How near each candidate comes to the best, 1 to 0: by scores, since a rank tells ties apart as if they mattered.

    A score has no scale of its own, so it is measured by what lies between the best and the tenth.
    """
    scores = [candidate.score for candidate in ranked]
    scale = _SCALE * (scores[0] - scores[:_TENTH][-1]) if scores else 0.0
    return [math.exp((score - scores[0]) / scale) if scale > 0.0 else 1.0 for score in scores]
