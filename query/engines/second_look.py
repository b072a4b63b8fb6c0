"""What a model did not find among what it was shown is looked for once more, by its own words for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.terms import content, overlap
from clausegraph.core.types import AnswerStatus, PageKey
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.protocol import ReadResult

_BEST = 10  # hits that are worth another reading
_LEAST_SHARED = 0.25  # of the terms of what is missing, in a hit with its headings
_NEW = 30  # hits that are put between those of before


def hits_for_missing(
    missing: str,
    shown: frozenset[tuple[PageKey, str]],
    before: Sequence[Hit],
    search: Callable[[Inquiry], Sequence[Hit]],
) -> list[Hit]:
    """The hits of a question with those for its missing part between them; none where the model has seen these.

    Args:
        missing: what the pages do not say, by the model ("how to start the claim"); "" for nothing.
        shown: page and anchor of the elements that it has seen.
    """
    wanted = content(missing)
    if not wanted or not shown:
        return []
    found = [hit for hit in search(Inquiry(missing)) if any((hit.page, anchor) not in shown for anchor in hit.anchors)]
    if not any(overlap(wanted, " ".join((*hit.headings, hit.text))) >= _LEAST_SHARED for hit in found[:_BEST]):
        return []
    pairs = zip_longest(before, found[:_NEW])
    return list({(hit.page, hit.key): hit for pair in pairs for hit in pair if hit is not None}.values())


def better(first: ReadResult, second: ReadResult) -> ReadResult:
    """The second reading where it answers what the first did not, else the first."""
    answers = second.status is AnswerStatus.ANSWERED
    return second if answers and (first.status is not AnswerStatus.ANSWERED or not second.missing) else first
