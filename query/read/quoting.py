"""What the pages say, where nothing is asserted: the place that most probably decides, and those not far below it.

Each is a paragraph, a list with what introduces it, or a table. Of a long list only what stands around the item that
was found is quoted. The order is that of ``ranking.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import overlap
from clausegraph.core.types import Element, Evidence, PageKey, Reading
from clausegraph.query.read.evidence import beside_it, evidence_of, is_header, items_below, table_of
from clausegraph.query.read.places import is_band_of_user, is_user_row
from clausegraph.query.read.probability import is_called
from clausegraph.query.read.question_context import QuestionContext
from clausegraph.query.read.statements import Candidate, RankedPlace

_MOST = 3
_NEAR = 0.15  # share of the best place's probability from which another place is quoted beside it
_SHORT = 320  # characters of a paragraph that is quoted whole
_WORDS = 50  # of a list with what introduces it

Place = tuple[PageKey, str | None]


def quotes(
    context: QuestionContext, ranked: Sequence[RankedPlace], replaced: Mapping[PageKey, Candidate]
) -> tuple[Evidence, ...]:
    """The best places, none of which another one shows already.

    An item brings its list, a row its table.

    Args:
        replaced: pages that others replace, and the places that say so: they are quoted only where a question names
            one, behind that place.
    """
    quoted = _Quotes(context)
    places = list(_in_force(context, ranked, replaced))
    least = 0.0
    for one in places:
        if len(quoted.found) == _MOST or one.probability < least:
            break
        quoted.add(_item_of(one.candidate, places, context))
        least = least or _NEAR * one.probability
    return tuple(quoted.found)


@dataclass(slots=True)
class _Quotes:
    """What is quoted so far, and the elements that it shows."""

    context: QuestionContext
    found: list[Evidence] = field(default_factory=list)
    shown: set[Place] = field(default_factory=set)

    def add(self, candidate: Candidate) -> None:
        """Quote a place, of a long one the part with most words of the question, unless a quote shows it already."""
        element, page = candidate.element, candidate.page
        if (
            element.is_heading
            or not element.text.strip()
            or {(page, element.anchor), (page, element.lead_in)} & self.shown
        ):
            return
        reading = self.context.pages(page)
        if is_header(element, reading) and any(
            (page, row.anchor) in self.shown for row in items_below(element, reading)
        ):
            return
        element = _user_row(self.context, element, reading) or element
        quoted = evidence_of(page, reading, element, *_best_part(self.context.words, element))
        lead = reading.element(element.lead_in) if element.tag == "li" else None
        if lead is not None and len(lead.text) <= _SHORT:  # a sentence before the one that opens the list may decide
            quoted = replace(quoted, lead_in=lead.text)
        beside = beside_it(element, reading)
        whole = beside.added_to(quoted)
        self.found.append(whole if element.tag == "tr" else _shortened(whole))
        others = [*(items_below(element, reading) if quoted.items else []), *(item for _, item in beside.items)]
        anchors = (candidate.element.anchor, element.anchor, element.lead_in, element.parent)
        self.shown |= {(page, anchor) for anchor in (*anchors, *(other.anchor for other in others)) if anchor}


def _in_force(
    context: QuestionContext, ordered: Sequence[RankedPlace], replaced: Mapping[PageKey, Candidate]
) -> Iterator[RankedPlace]:
    """The places without those of replaced pages; of one that the question names, behind what says that it is."""
    for one in ordered:
        page = one.candidate.page
        if page not in replaced:
            yield one
        elif is_called(context.pages(page), context.user_text):
            yield replace(one, candidate=replaced[page])
            yield one


def _item_of(candidate: Candidate, places: Sequence[RankedPlace], context: QuestionContext) -> Candidate:
    """Of what introduces a long list the most probable of its items, which is then shown with it.

    Of an item that is nested in another one that one, below which it is shown.
    """
    element, page = candidate.element, candidate.page
    outer = context.pages(page).element(element.lead_in)
    if outer is not None and outer.tag == "li":
        return replace(candidate, element=outer)
    below = items_below(element, context.pages(page)) if element.text.rstrip().endswith(":") else []
    if element.tag == "li" or _words([(0, item.text) for item in below]) <= _WORDS:
        return candidate
    anchors = {item.anchor for item in below if item.lead_in == element.anchor}
    items = (one.candidate for one in places if one.candidate.page == page and one.candidate.element.anchor in anchors)
    return next(items, candidate)


def _shortened(quoted: Evidence) -> Evidence:
    """A quote without those items of its list that stand farthest from it, where the whole is long."""
    items = list(quoted.nested_items)
    own = next((at for at, (depth, _) in enumerate(items) if depth == 0), len(items))
    below, before, after = items[:own], items[own : own + quoted.items_before], items[own + quoted.items_before :]
    left = _WORDS - len(f"{quoted.lead_in} {quoted.quote}".split())
    kept_below = _first_items(below, left)
    left -= _words(kept_below)
    kept_after = _first_items(after, left - min(_words(before), left // 2))
    kept_before = _last_items(before, left - _words(kept_after))
    kept = [*kept_below, *kept_before, *kept_after]
    return replace(
        quoted,
        items=tuple(text for _, text in kept),
        item_depths=tuple(depth for depth, _ in kept),
        items_before=len(kept_before),
        items_left=quoted.items_left + len(items) - len(kept),
    )


def _words(items: Sequence[tuple[int, str]]) -> int:
    return sum(len(text.split()) for _, text in items)


def _first_items(items: Sequence[tuple[int, str]], words: int) -> list[tuple[int, str]]:
    """As many of the first items as have no more words together."""
    most = len(items)
    while most and _words(items[:most]) > words:
        most -= 1
    return list(items[:most])


def _last_items(items: Sequence[tuple[int, str]], words: int) -> list[tuple[int, str]]:
    """As many of the last items as have no more words together, none without the one that it is nested in."""
    first = 0
    while first < len(items) and (_words(items[first:]) > words or items[first][0] > 0):
        first += 1
    return list(items[first:])


def _user_row(context: QuestionContext, element: Element, reading: Reading) -> Element | None:
    """The row of a row's table that is told, by its name or by its band, that row itself first; None where none is."""
    rows = [element, *table_of(element, reading)] if element.tag == "tr" else []
    told = (row for row in rows if is_user_row(context, row, reading) or is_band_of_user(context, row))
    return next(told, None)


def _best_part(words: frozenset[str], element: Element) -> tuple[int, int]:
    """All of a short element, else the sentence with most of the words and the one after it."""
    spans = sentence_spans(element.text)
    if len(element.text) <= _SHORT or len(spans) < 3:
        return 0, len(element.text)
    best = max(range(len(spans)), key=lambda i: (overlap(words, element.text[slice(*spans[i])]), -i))
    return spans[best][0], spans[min(best + 1, len(spans) - 1)][1]
