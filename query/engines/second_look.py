"""What a model did not find among what it was shown is looked for once more, by its own words for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import content, overlap
from clausegraph.core.types import AnswerStatus
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.protocol import ReadResult

_BEST = 20  # hits that are worth another reading
_LEAST_SHARED = 0.25  # of the terms of what is missing, in a hit with its headings
_NEW = 30  # hits that are put between those of before


def hits_for_missing(
    inquiry: Inquiry, read: ReadResult, before: Sequence[Hit], search: Callable[[Inquiry], Sequence[Hit]]
) -> list[Hit]:
    """The hits for a second reading of what the first one missed; none where there is nothing new to read.

    What answered a part stays among them. Of a refusal, only what was not shown is read.
    """
    wanted = content(read.missing)
    if not wanted or not read.shown:
        return []
    found = search(Inquiry(f"{read.missing} {inquiry.question}"))
    unseen, rest = ([hit for hit in hits if not _is_shown(hit, read)] for hits in (found, before))
    if not any(overlap(wanted, " ".join((*hit.headings, hit.text))) >= _LEAST_SHARED for hit in unseen[:_BEST]):
        return []
    is_refusal = read.status is not AnswerStatus.ANSWERED
    pairs = zip_longest(rest if is_refusal else before, unseen[:_NEW])
    return list({(hit.page, hit.key): hit for pair in pairs for hit in pair if hit is not None}.values())


def _is_shown(hit: Hit, read: ReadResult) -> bool:
    return all((hit.page, anchor) in read.shown for anchor in hit.anchors)


def better(first: ReadResult, second: ReadResult) -> ReadResult:
    """The second reading where it answers what the first did not, else the first."""
    answers = second.status is AnswerStatus.ANSWERED
    return second if answers and (first.status is not AnswerStatus.ANSWERED or not second.missing) else first
