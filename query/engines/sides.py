"""What other pages say against what an answer rests on: ``clausegraph contradictions`` around one question.

It looks at the pages that the question found, and at those that have the words of what the answer rests on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from clausegraph.core.language.quantities import Quantity, find_quantities
from clausegraph.core.types import Contradiction, Element, Evidence, Literal, PageKey, Reading, Span, leaves
from clausegraph.indexes.contradictions.assertions import Assertion
from clausegraph.indexes.contradictions.compare import THRESHOLD, Conflict, find_conflicts
from clausegraph.indexes.contradictions.conditions import other_threshold
from clausegraph.indexes.graph.links import Replacement, replacements
from clausegraph.indexes.lexical import lexical_index
from clausegraph.indexes.views import View
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.evidence import evidence_of

PAGE = "page"  # the kind where a page as a whole is replaced
_QUESTION, _WORDS = 10, 12  # pages, best first, that the question found, and that have the words of a place


def sides_of(view: View, places: Sequence[Evidence], hits: Iterable[Hit]) -> tuple[Contradiction, ...]:
    """The contradictions of which one side is among ``places``, those that still hold first, newest first."""
    own = tuple(dict.fromkeys(place.page for place in places))
    slots = {one.slot for page in own for one in view.assertions(page) if _states(one, places)}
    found = dict.fromkeys(hit.page for hit in hits)
    pages = dict.fromkeys((*own, *tuple(found)[:_QUESTION], *(_alike(view, places) if slots else ())))
    readings = {page: view.reading(page) for page in pages}
    replaced = tuple(replacements(readings))
    made = [_contradiction(one, readings) for one in _stated(view, slots, readings, replaced)]
    held = (one for one in made if any(touches(place, side) for place in places for side in (one.newer, one.older)))
    return (*held, *_by_page(places, readings, replaced))


def _alike(view: View, places: Iterable[Evidence]) -> Iterator[PageKey]:
    """The pages that have the words of a place: of what it is about, where it says something."""
    index = lexical_index(view)
    for text in dict.fromkeys(f"{place.title} {place.quote}" for place in places):
        pages = dict.fromkeys(hit.page for hit in index.search(text, 5 * _WORDS))
        yield from tuple(pages)[:_WORDS]


def touches(place: Evidence, side: Evidence) -> bool:
    """Whether both are of one element, and of words of it in common."""
    return place.page == side.page and _meet(place.span, side.span)


def _stated(
    view: View,
    slots: Collection[object],
    readings: Iterable[PageKey],
    replaced: Sequence[Replacement],
) -> Iterator[Conflict]:
    """What two pages say against each other of one slot, compared with all that they say of it."""
    pool = [one for page in readings for one in view.assertions(page) if one.slot in slots]
    return (one for one in find_conflicts(pool, replaced) if one.newer.page != one.older.page)


def _states(one: Assertion, places: Iterable[Evidence]) -> bool:
    """Whether one of the places is of its words, or of a condition's."""
    return any(place.page == one.page and _meet(place.span, span) for place in places for span in _spans(one))


def _meet(one: Span, other: Span) -> bool:
    return one.anchor == other.anchor and one.start < other.end and other.start < one.end


def _spans(one: Assertion) -> Iterator[Span]:
    statement = one.support.statement
    yield from statement.spans[:1]  # others are the rest of a list, whatever each of it says
    yield from (Span(leaf.anchor, leaf.start, leaf.end) for leaf in leaves(statement.condition))


def _contradiction(found: Conflict, readings: Mapping[PageKey, Reading]) -> Contradiction:
    newer, older = found.newer, found.older
    bounds = other_threshold(newer.conditions, older.conditions) if found.kind == THRESHOLD else None
    one, other = bounds or (None, None)
    since = newer.validity.start or newer.updated if found.superseded else None
    sides = _said(newer, readings[newer.page], one), _said(older, readings[older.page], other)
    return Contradiction(found.kind, *sides, found.superseded, since)


def _said(one: Assertion, reading: Reading, bound: Quantity | None) -> Evidence:
    """Where it is said; of another threshold the condition that has it."""
    statement = one.support.statement
    of_bound = (leaf for leaf in leaves(statement.condition) if bound and bound in tuple(find_quantities(leaf.text)))
    span = next((Span(leaf.anchor, leaf.start, leaf.end) for leaf in of_bound), statement.spans[0])
    return _evidence(one.page, reading, _cell(one, reading, span) or span)


def _cell(one: Assertion, reading: Reading, span: Span) -> Span | None:
    """The value itself where it stands in a table: its row says other things, too."""
    node = one.support.statement.object
    value = node.value if isinstance(node, Literal) else node.surface
    start = _element(reading, span.anchor).text.rfind(value) if one.in_table and one.value is not None else -1
    return Span(span.anchor, start, start + len(value)) if start >= 0 else None


def _element(reading: Reading, anchor: str) -> Element:
    found = reading.element(anchor)
    assert found is not None  # statements are of this reading
    return found


def _evidence(page: PageKey, reading: Reading, span: Span) -> Evidence:
    return evidence_of(page, reading, _element(reading, span.anchor), span.start, span.end)


def _by_page(
    places: Sequence[Evidence], readings: Mapping[PageKey, Reading], replaced: Sequence[Replacement]
) -> list[Contradiction]:
    """Of pages that another one replaces, where the sentence that says so stands."""
    found = []
    for one in replaced:
        said_on = readings[one.said_on]
        start = _element(said_on, one.anchor).text.index(one.quote)
        newer = _evidence(one.said_on, said_on, Span(one.anchor, start, start + len(one.quote)))
        since = readings[one.newer].updated
        found += [Contradiction(PAGE, newer, place, True, since) for place in places if place.page == one.older]
    return found
