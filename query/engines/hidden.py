"""What a curator hides is asserted by no reader: the place at which it was read is quoted."""

from __future__ import annotations

from dataclasses import replace

from clausegraph.core.types import Alternative, AnswerStatus
from clausegraph.indexes.views import View
from clausegraph.query.read.protocol import ReadResult


def unless_hidden(view: View, result: ReadResult) -> ReadResult:
    """The result without the alternatives that rest, by their evidence or a condition, on what a hidden statement was
    read from.

    A reader reads pages, and may read there what was found to be wrong; so their evidence is quoted instead.
    """
    doubted = [one for one in result.alternatives if _is_hidden(view, one)]
    if not doubted:
        return result
    kept = tuple(one for one in result.alternatives if one not in doubted)
    quoted = tuple(dict.fromkeys(place for one in doubted for place in one.evidence))
    reasons = dict(result.reasons) | {"hidden": len(doubted)}
    if kept:
        return replace(result, alternatives=kept, reasons=reasons)
    return ReadResult(AnswerStatus.QUOTED, (), reasons, quoted)


def _is_hidden(view: View, one: Alternative) -> bool:
    """Whether it rests on such an element: shown, in its tree, or what introduces the list of one of these."""
    for place in (*one.evidence, *one.sources):
        element = view.reading(place.page).element(place.span.anchor)
        lead = None if element is None else element.lead_in
        if view.hidden_on(place.page) & {place.span.anchor, lead}:
            return True
    return False
