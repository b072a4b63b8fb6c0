"""What a model did not find among what it was shown is looked for once more, by its own words for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import content, overlap
from clausegraph.core.types import AnswerStatus, Evidence
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.protocol import ReadResult

_BEST = 20  # hits that are worth another reading
_LEAST_SHARED = 0.25  # of the terms of what is missing, in a hit with its headings


def hits_for_missing(
    inquiry: Inquiry, read: ReadResult, before: Sequence[Hit], search: Callable[[Inquiry], Sequence[Hit]]
) -> list[Hit]:
    """The hits for a second reading: what the first one's answer cites, and what it was not shown.

    Empty where nothing new speaks of what is missing. After a refusal whatever was not shown is new. The scores are
    equal: those of two searches cannot be compared, and the page that the first reading saw must not push out others.
    """
    wanted = content(read.missing)
    if not wanted or not read.shown:
        return []
    found = search(Inquiry(f"{read.missing} {inquiry.question}"))
    unseen, rest = ([hit for hit in hits if not _is_shown(hit, read)] for hits in (found, before))
    if read.status is not AnswerStatus.ANSWERED:
        new = [hit for pair in zip_longest(rest, unseen) for hit in pair if hit is not None]
    elif any(overlap(wanted, " ".join((*hit.headings, hit.text))) >= _LEAST_SHARED for hit in unseen[:_BEST]):
        new = unseen
    else:
        new = []
    cited = [_hit_of(evidence) for sentence in read.sentences for evidence in sentence.evidence]
    hits = [*new[:1], *cited, *new[1:]] if new else []  # the page of the first stands first
    return list({(hit.page, hit.key): replace(hit, score=0.0) for hit in hits}.values())


def _is_shown(hit: Hit, read: ReadResult) -> bool:
    return all((hit.page, anchor) in read.shown for anchor in hit.anchors)


def _hit_of(evidence: Evidence) -> Hit:
    anchor = evidence.span.anchor
    return Hit(evidence.page, "element", anchor, (anchor,), evidence.quote, evidence.headings, 0.0, {})


def better(first: ReadResult, second: ReadResult) -> ReadResult:
    """The second reading where it answers what the first did not, or names less as missing; else the first."""
    if second.status is not AnswerStatus.ANSWERED:
        return first
    misses_less = len(content(second.missing)) < len(content(first.missing))
    return second if first.status is not AnswerStatus.ANSWERED or misses_less else first
