"""From places with scores to hits."""

from __future__ import annotations

from collections.abc import Mapping

from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.views import View
from clausegraph.query.rank.hits import Hit, Level, in_order
from clausegraph.query.rank.signals import Place


def nearest(view: View, level: Level, vector: Vectors, limit: int) -> dict[Place, float]:
    """The ``limit`` most similar elements or chunks, best first."""
    return {(hit.page, hit.ref): hit.score for hit in view.search(level, vector, limit) if hit.page is not None}


def chunks_at(view: View, scores: Mapping[Place, float], part: str) -> list[Hit]:
    """The chunks of these places, in the order given; ``part`` names the score."""
    named = {(page, chunk.key): chunk for page in {p for p, _ in scores} for chunk in view.reading(page).chunks}
    return [Hit.of_chunk(place[0], named[place], score, {part: score}) for place, score in scores.items()]


def elements_at(view: View, scores: Mapping[Place, float], part: str) -> list[Hit]:
    """The elements of these places, best first; what a page no longer has is left out."""
    return in_order(
        Hit.of_element(page, element, scores[page, element.anchor], {part: scores[page, element.anchor]})
        for page in sorted({page for page, _ in scores})
        for element in view.reading(page).elements
        if (page, element.anchor) in scores
    )
