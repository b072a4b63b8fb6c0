"""What an answer says of pages that contradict each other: headings, each with the places below it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import combinations

from clausegraph.core.language.values import TELLING_KINDS, value_kind
from clausegraph.core.text import one_line
from clausegraph.core.types import Alternative, Answer, ConditionState, Contradiction, Evidence, PageKey, holds

Said = tuple[str, tuple[Evidence, ...]]
SIDES = "The pages contradict each other; newest first:"
NEITHER = "The pages contradict each other, so neither side is asserted; newest first:"


def told(answer: Answer) -> Iterator[Said]:
    """Both sides of what is open, newest first; then what is replaced, since when, and by what, as far as the answer
    does not show it anyway."""
    held = [one for one in answer.contradictions if not one.superseded]
    sides = dict.fromkeys(side for one in held for side in (one.newer, one.older))
    if sides:
        heading = SIDES if answer.alternatives else NEITHER
        yield heading, tuple(sorted(sides, key=lambda side: side.updated or "", reverse=True))
    shown = {_place(evidence) for one in answer.alternatives for evidence in one.evidence}
    for one in answer.contradictions:
        if one.superseded:
            yield from _replaced(one, shown, answer.inquiry.as_of or date.today())


def quotes_beside(answer: Answer) -> tuple[Evidence, ...]:
    """The quotes that are no side of a contradiction."""
    sides = {_place(side) for one in answer.contradictions for side in (one.newer, one.older)}
    return tuple(
        quote
        for quote in answer.quotes
        if not any(str(quote.page) == page and (said in quote.quote or quote.quote in said) for page, said in sides)
    )


def _replaced(one: Contradiction, shown: set[tuple[str, str]], today: date) -> Iterator[Said]:
    to_come = one.since is not None and one.since > today.isoformat()
    when = "" if one.since is None else f" {'from' if to_come else 'since'} {one.since}"
    if _place(one.newer) in shown:
        yield f"This holds{when} in place of:", (one.older,)
    elif _place(one.older) in shown:
        yield f"This is replaced{when} by:", (one.newer,)
    else:
        yield f"Replaced{when}:", (one.older,)
        yield "by:", (one.newer,)


def _place(evidence: Evidence) -> tuple[str, str]:
    return str(evidence.page), evidence.quote


def pages_disagree(answer: Answer) -> bool:
    """Whether pages contradict each other in what was found, or two alternatives are two sides."""
    return any(not one.superseded for one in answer.contradictions) or alternatives_disagree(answer)


def alternatives_disagree(answer: Answer) -> bool:
    """Whether two verdicts, or two values of one kind, rest on other pages and neither waits for a condition.

    Alternatives on one page are its own cases; with open conditions both may be right; two names may both be meant.
    """
    settled = [a for a in answer.alternatives if a.evidence and not a.open_conditions and _kind(a)]
    return any(
        one_line(a.text).lower() != one_line(b.text).lower() and _kind(a) == _kind(b) and not (_pages(a) & _pages(b))
        for a, b in combinations(settled, 2)
    )


def says_both(answer: Answer) -> bool:
    """Whether one page says yes and no, and neither waits for a condition."""
    settled = (one for one in answer.alternatives if holds(one.condition) is not ConditionState.UNKNOWN)
    return {"yes", "no"} <= {one.text.lower() for one in settled} and not alternatives_disagree(answer)


def _kind(alternative: Alternative) -> str:
    """Whether an alternative is a verdict or a value, and of which kind; "" for all else."""
    kind = "verdict" if alternative.text.lower() in ("yes", "no") else value_kind(alternative.text) or ""
    return kind if kind in {"verdict", *TELLING_KINDS} else ""


def _pages(alternative: Alternative) -> set[PageKey]:
    return {evidence.page for evidence in alternative.evidence}
