"""What another page contradicts is not asserted: both sides are shown, unless one takes the other's place."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import (
    Alternative,
    AnswerStatus,
    Contradiction,
    Element,
    Evidence,
    PageKey,
    Reading,
    Span,
)
from clausegraph.indexes.contradictions.assertions import Assertion
from clausegraph.indexes.contradictions.compare import THRESHOLD, Conflict, in_order
from clausegraph.indexes.graph.links import Replacement, replacements
from clausegraph.indexes.lexical import search_words
from clausegraph.indexes.views import View
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.figures import compare
from clausegraph.query.read.protocol import ReadResult
from clausegraph.query.retrieve.bank import Hit

Again = Callable[[Sequence[Hit]], ReadResult]
PAGE = "page"  # the kind where a page as a whole is replaced
_QUESTION, _WORDS = 10, 12  # pages, best first, that the question found, and that have the words of a place
_PAST = re.compile(r"\b(?:was|were|did|used to|last|previous\w*|formerly)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Settling:
    """How what was read of one question is settled with what other pages say.

    ``again`` reads once more from other hits, where that costs nothing; ``commits`` as in ``EngineOptions``.
    """

    view: View
    inquiry: Inquiry
    again: Again | None = None
    commits: bool = False

    def settled(self, read: ReadResult, hits: Sequence[Hit]) -> ReadResult:
        """The result without what a curator hides, and without alternatives that a page denies which is not itself
        replaced. Where nothing is asserted beside what is hidden, or the reader took what another page has replaced,
        it is read again without that."""
        result = unless_hidden(self.view, read)
        hidden = {(hit.page, at) for hit in hits for at in self.view.hidden_on(hit.page).intersection(hit.anchors)}
        if hidden and not result.alternatives and self.again is not None:
            shown = list(_without(hits, hidden))
            second = unless_hidden(self.view, self.again(shown))
            result, hits = (second, shown) if second.alternatives else (result, hits)
        found = self._sides(result, hits)
        if self.commits or not found:
            return replace(result, contradictions=found)
        over = [one for one in found if self._is_over(one) and _rests(_places(result), one.older)]
        if over and self.again is not None:
            gone = {(one.older.page, one.older.span.anchor) for one in over}
            left = list(_without(hits, gone))
            second = unless_hidden(self.view, self.again(left))
            reasons = dict(second.reasons) | {"read_again_without": sorted(f"{page}#{at}" for page, at in gone)}
            result = replace(second, reasons=reasons)
            kept = tuple(one for one in over if _rests(_places(result), one.newer) or one.kind == PAGE)
            found = tuple(dict.fromkeys((*self._sides(result, left), *(kept or over[:1]))))
        return self._asserted(result, found)

    def _sides(self, result: ReadResult, hits: Sequence[Hit]) -> tuple[Contradiction, ...]:
        """What contradicts the places of an answer; the first of its quotes, or two of them each other."""
        places = _places(result)
        found = sides_of(self.view, places, hits) if places else ()
        if result.alternatives:
            return found
        first = places[:1]
        return tuple(
            one
            for one in found
            if one.kind != PAGE
            and (
                _rests(first, one.newer)
                or _rests(first, one.older)
                or (_rests(places, one.newer) and _rests(places, one.older))
            )
        )

    def _is_over(self, one: Contradiction) -> bool:
        """Whether the older side holds no more at the time that the question is about."""
        today = (self.inquiry.as_of or date.today()).isoformat()
        if not one.superseded or (one.since is not None and one.since > today):
            return False
        asked = self.inquiry.question
        before = any(one.since is not None and year < one.since[:4] for year in _YEAR.findall(asked))
        return not before and not _PAST.search(asked)

    def _asserted(self, result: ReadResult, found: tuple[Contradiction, ...]) -> ReadResult:
        """The result without the alternatives that another page denies, whose evidence is quoted instead."""
        denied = [one for one in result.alternatives if any(self._denies(side, one) for side in found)]
        if not denied:
            return replace(result, contradictions=found)
        left = _quoted_instead(result, denied, "contradicted", AnswerStatus.UNKNOWN)
        return replace(left, contradictions=found, sentences=())

    def _denies(self, one: Contradiction, answer: Alternative) -> bool:
        places = (*answer.evidence, *answer.sources)
        if one.superseded:
            return self._is_over(one) and _rests(places, one.older)
        return (_rests(places, one.newer) or _rests(places, one.older)) and not self._is_the_same_by(one)

    def _is_the_same_by(self, one: Contradiction) -> bool:
        """Whether what is told comes to the same by either threshold: who is 40 is over 17 and over 18."""
        told = f"{self.inquiry.scenario} {self.inquiry.question}"
        today = self.inquiry.as_of or date.today()
        judged = [compare(side.quote, told, today) for side in (one.newer, one.older)] if one.kind == THRESHOLD else []
        return bool(judged) and all(found is not None for found in judged) and len({j.holds for j in judged if j}) == 1


def _without(hits: Iterable[Hit], gone: Collection[tuple[PageKey, str]]) -> Iterator[Hit]:
    for hit in hits:
        anchors = tuple(anchor for anchor in hit.anchors if (hit.page, anchor) not in gone)
        if anchors:
            yield hit if anchors == hit.anchors else replace(hit, anchors=anchors)


def _places(result: ReadResult) -> tuple[Evidence, ...]:
    """What it rests on; where nothing is asserted, what it quotes."""
    outcomes = (place for one in result.alternatives for place in (*one.evidence, *one.sources))
    return (*outcomes, *(place for one in result.sentences for place in one.evidence)) or result.quotes


def _rests(places: Sequence[Evidence], side: Evidence) -> bool:
    return any(touches(place, side) for place in places)


def unless_hidden(view: View, result: ReadResult) -> ReadResult:
    """The result without the alternatives that rest, by their evidence or a condition, on what a hidden statement was
    read from.

    A reader reads pages, and may read there what was found to be wrong; so their evidence is quoted instead.
    """
    doubted = [one for one in result.alternatives if _is_hidden(view, one)]
    return _quoted_instead(result, doubted, "hidden", AnswerStatus.QUOTED) if doubted else result


def _quoted_instead(result: ReadResult, doubted: Sequence[Alternative], why: str, status: AnswerStatus) -> ReadResult:
    """The result without these alternatives; where none is left, their evidence is quoted."""
    kept = tuple(one for one in result.alternatives if one not in doubted)
    reasons = dict(result.reasons) | {why: len(doubted)}
    if kept:
        return replace(result, alternatives=kept, reasons=reasons)
    return ReadResult(status, (), reasons, tuple(dict.fromkeys(place for one in doubted for place in one.evidence)))


def _is_hidden(view: View, one: Alternative) -> bool:
    """Whether it rests on such an element: shown, in its tree, or what introduces the list of one of these."""
    for place in (*one.evidence, *one.sources):
        element = view.reading(place.page).element(place.span.anchor)
        lead = None if element is None else element.lead_in
        if view.hidden_on(place.page) & {place.span.anchor, lead}:
            return True
    return False


def sides_of(view: View, places: Sequence[Evidence], hits: Iterable[Hit]) -> tuple[Contradiction, ...]:
    """The contradictions of which one side is among ``places``, those that still hold first, newest first."""
    own = tuple(dict.fromkeys(place.page for place in places))
    pairs = [pair for pair in view.contradicting(own) if any(_states(one, places) for one in pair[1:])]
    found = dict.fromkeys(hit.page for hit in hits)
    others = (one.page for _, *pair in pairs for one in pair)
    pages = dict.fromkeys((*own, *tuple(found)[:_QUESTION], *others, *_alike(view, places)))
    readings = {page: view.reading(page) for page in pages}
    replaced = tuple(replacements(readings))
    conflicts = (one for one in in_order(pairs, replaced) if one.newer.page != one.older.page)
    settled = {page: view.hidden_on(page) for page in readings}  # by hiding one side
    conflicts = (one for one in conflicts if not any(s.span.anchor in settled[s.page] for s in (one.newer, one.older)))
    made = [_contradiction(one, readings) for one in conflicts]
    held = (one for one in made if any(touches(place, side) for place in places for side in (one.newer, one.older)))
    return (*held, *_by_page(places, readings, replaced))


def _alike(view: View, places: Iterable[Evidence]) -> Iterator[PageKey]:
    """The pages that have the words of a place: of what it is about, where it says something."""
    for text in dict.fromkeys(f"{place.title} {place.quote}" for place in places):
        pages = dict.fromkeys(hit.page for hit in search_words(view.words, text, 5 * _WORDS))
        yield from tuple(pages)[:_WORDS]


def touches(place: Evidence, side: Evidence) -> bool:
    """Whether both are of one element, and of words of it in common."""
    return place.page == side.page and _meet(place.span, side.span)


def _states(one: Assertion, places: Iterable[Evidence]) -> bool:
    """Whether one of the places is of its words, or of a condition's."""
    return any(place.page == one.page and _meet(place.span, span) for place in places for span in _spans(one))


def _meet(one: Span, other: Span) -> bool:
    return one.anchor == other.anchor and one.start < other.end and other.start < one.end


def _spans(one: Assertion) -> Iterator[Span]:
    yield from (one.span, one.own, *one.leaves)  # other spans are the rest of a list, whatever each of it says


def _contradiction(found: Conflict, readings: Mapping[PageKey, Reading]) -> Contradiction:
    newer, older = (_evidence(one.page, readings[one.page], one.span) for one in (found.newer, found.older))
    since = found.newer.validity.start or found.newer.updated if found.superseded else None
    return Contradiction(found.kind, newer, older, found.superseded, since)


def _element(reading: Reading, anchor: str) -> Element:
    found = reading.element(anchor)
    assert found is not None  # rules are of this reading
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
