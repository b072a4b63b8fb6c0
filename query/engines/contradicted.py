"""What another page contradicts is not asserted: both sides are shown, unless one takes the other's place."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Alternative, AnswerStatus, Contradiction, Evidence, PageKey
from clausegraph.indexes.contradictions.compare import THRESHOLD
from clausegraph.indexes.views import View
from clausegraph.query.engines.hidden import unless_hidden
from clausegraph.query.engines.sides import PAGE, sides_of, touches
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.figures import compare
from clausegraph.query.read.protocol import ReadResult

Again = Callable[[Sequence[Hit]], ReadResult]
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
        replaced. Where the reader took what another page has replaced, it is read again without that."""
        result = unless_hidden(self.view, read)
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
        kept = tuple(one for one in result.alternatives if one not in denied)
        reasons = dict(result.reasons) | {"contradicted": len(denied)}
        if kept:
            return replace(result, alternatives=kept, reasons=reasons, contradictions=found, sentences=())
        quoted = tuple(dict.fromkeys(place for one in denied for place in one.evidence))
        return ReadResult(AnswerStatus.UNKNOWN, (), reasons, quoted, found)

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
