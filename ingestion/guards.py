"""Whether a run must not replace what is known before a person has looked: a broken crawl, a login wall, a redesign.

A page has lost its text where few of its content words are left. Words are compared, not layouts or lengths: a page
that was moved, reordered or brought up to date keeps most of them; one in another language, behind a login or with its
main text gone keeps hardly any. A run is held where too many pages of its source are gone or have lost their text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from clausegraph.core.language.normalise import content, tokens
from clausegraph.core.types import HOLD_SHARE, Reading

_FEWEST = 3  # pages: of a small source one or two may go
_LEFT = 0.4  # of its content words: a page with fewer has lost its text; two pages of one site share some 0.2
_LITTLE = 20  # content words of a page that has none to lose
_SHORT = 200  # words of a page that may be a notice and nothing else
_COMMON, _SPOKEN = 15, 0.05  # the commonest words of the pages, and their share in a text of the same language
_EXAMPLES = 5
_NOTICES = {
    "asks to log in": r"\b(?:log|sign)(?:ged)?[ -]?in\b|\bpassword\b",
    "asks about cookies": r"\bcookies?\b",
    "says that something went wrong": r"\b(?:404|50[0234])\b|\bnot found\b|\b(?:went wrong|unavailable|error|denied|"
    r"try again later|maintenance)\b",
}


@dataclass(frozen=True, slots=True)
class Held:
    """Why a run was held: what is with how many of how many pages, or questions (``kind``), and some of them."""

    reason: str
    pages: int
    total: int
    examples: tuple[str, ...]
    kind: str = "page"


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """How many questions the gate asked of an epoch, and which it missed: the question, what was expected, and what was
    got, in words. ``keeps``: an epoch that misses the floor is not published."""

    asked: int
    missed: tuple[str, ...]
    floor: float
    keeps: bool = True

    @property
    def is_met(self) -> bool:
        """Whether enough questions are right."""
        return self.asked - len(self.missed) >= round(self.floor * self.asked, 6)

    @property
    def held(self) -> list[Held]:
        """Why a run is to be held; nothing where its epoch may be published."""
        if self.is_met or not self.keeps:
            return []
        reason = f"missed; the floor of the gate is {self.floor:.0%}"
        return [Held(reason, len(self.missed), self.asked, self.missed, "question")]


Read = Callable[[], Reading]  # reads a page: not all are in memory at once


def held(
    before: Mapping[str, Read],
    after: Mapping[str, Read],
    removed: Sequence[str],
    unread: Mapping[str, str],
    total: int,
    share: float = HOLD_SHARE,
) -> list[Held]:
    """Why a run is to be held; nothing where it may go on.

    ``before`` is what the changed pages were, ``after`` what was read of changed and new ones, ``removed`` are the uris
    that are gone, ``unread`` says why nothing could be read of a page, of which what was known stays. ``share`` is that
    of the ``total`` pages that the source had, above which the run is held; 1 and more never hold it.
    """
    if share >= 1:
        return []
    same = {uri: hash(_text(read())) for uri, read in after.items()}  # one reading in memory after the other
    alike = Counter(same.values())
    lost = [uri for uri in after if uri in before and _has_lost(before[uri](), after[uri]())]
    found: dict[str, list[str]] = {}
    if _many(len(lost) + len(removed) + len(unread), total, share):
        words = Counter(word for read in before.values() for word in tokens(_text(read())))
        common = {word for word, _ in words.most_common(_COMMON)}
        found = {"gone from the source": list(removed)} if removed else {}
        for uri, reason in unread.items():
            found.setdefault(reason, []).append(uri)
        for uri in lost:
            reason = _reason(before[uri](), after[uri](), alike[same[uri]], common)
            found.setdefault(reason, []).append(uri)
    new = [uri for uri in after if uri not in before and alike[same[uri]] >= _FEWEST]
    if _many(len(new), len(after), share):
        found["has the same text as others"] = [*found.get("has the same text as others", ()), *new]
    every = max(total, len(after))
    return [Held(reason, len(uris), every, tuple(sorted(uris)[:_EXAMPLES])) for reason, uris in found.items()]


def _many(count: int, of: int, share: float) -> bool:
    return count >= _FEWEST and count > share * of


def _text(reading: Reading) -> str:
    return "\n".join(element.text for element in reading.elements)


def _has_lost(before: Reading, after: Reading) -> bool:
    """Whether few content words of a page are left."""
    words = content(_text(before))
    return len(words) > _LITTLE and len(words & content(_text(after))) < _LEFT * len(words)


def _reason(before: Reading, after: Reading, alike: int, common: set[str]) -> str:
    """What seems to have become of a page that has lost its text, which ``alike`` pages have now."""
    text = _text(after)
    words = tokens(text)
    if len(words) < _SHORT:
        for reason, pattern in _NOTICES.items():
            if re.search(pattern, text, re.IGNORECASE):
                return reason
    if alike >= _FEWEST:
        return "has the same text as others"
    if len(words) < len(tokens(_text(before))) / 2:
        return "has lost most of its text"
    if sum(word in common for word in words) < _SPOKEN * len(words):
        return "is in another language"
    return "has hardly a word left of what it said"
