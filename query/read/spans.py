"""The clause that most likely answers a question which asks for no verdict and no value.

Nothing of it is asserted but in evaluations: people get the pages' own words (``quoting.py``).
"""

from __future__ import annotations

from collections.abc import Sequence

from clausegraph.core.language.normalise import overlap
from clausegraph.core.types import Alternative
from clausegraph.query.read.evidence import beside_it, introduction
from clausegraph.query.read.probability import UNFITTED
from clausegraph.query.read.question_context import QuestionContext, conditioned
from clausegraph.query.read.statements import Candidate, statements_of

_DEPTH, _MOST = 20, 5  # places that are looked at; answers at most


def spans_of(context: QuestionContext, ranked: Sequence[Candidate]) -> tuple[Alternative, ...]:
    """The clause of the search's best places that says most of the question, with the other items of its list."""
    places = [one for one in ranked[:_DEPTH] if not one.element.is_heading and one.element.text.strip(" .,;:")]
    if not places:
        return ()
    first = max(places, key=lambda one: one.score + _shared(context, one))
    beside = beside_it(first.element, context.pages(first.page))
    items = [other for depth, other in beside.items if depth == 0 and other.tag == "li"]
    found: dict[str, Alternative] = {}
    for element in (first.element, *items):
        place = Candidate(first.page, element, first.score, first.similarity)
        start, end = _clause(context, place)
        text = element.text[start:end]
        if text and text.lower() not in found and len(found) < _MOST:
            found[text.lower()] = conditioned(context, text, place, (start, end), UNFITTED)[0]
    return tuple(found.values())


def _shared(context: QuestionContext, one: Candidate) -> float:
    """Share of the question's words in an element with what introduces it."""
    return overlap(context.words, f"{introduction(one.element, context.pages(one.page))} {one.element.text}")


def _clause(context: QuestionContext, place: Candidate) -> tuple[int, int]:
    """The sentence of an element that says most of the question, without its conditions; of an item all."""
    text = place.element.text
    start, end = 0, len(text)
    if place.element.tag != "li":
        found = statements_of(place, context.pages)
        if found:
            best = max(found, key=lambda one: overlap(context.words, one.text))
            start, end = best.start, best.end
            if best.parsed.main[1] > best.parsed.main[0]:
                start, end = best.parsed.main
    kept = text[start:end]
    start += len(kept) - len(kept.lstrip(" ,;:"))
    return start, start + len(kept.strip(" .,;:"))
