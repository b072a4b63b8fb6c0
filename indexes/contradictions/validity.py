"""When a rule holds, as its words say, and whether it takes the place of another one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clausegraph.core.language.lexicon import MONTH
from clausegraph.core.language.values import effective_dates

_DATE = rf"\d{{1,2}}\s+{MONTH}\s+\d{{4}}"
_RANGE = re.compile(rf"(?:from\s+)?({_DATE})\s*(?:to|until|-|–)\s*({_DATE})", re.IGNORECASE)
_ONLY_A_DATE = re.compile(
    rf"(?:(?:from|since|until|up to|before|by|(?:on or )?after|starting(?: on)?)\s+)?{_DATE}(?:\s+onwards)?",
    re.IGNORECASE,
)
_LEADING = re.compile(rf"^((?:from|since|until|up to|before|after)\s+{_DATE}),?\s+", re.IGNORECASE)
_TRAILING = re.compile(rf"^(.*?),?\s*\b((?:from|since|until|up to)\s+{_DATE})\.?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Validity:
    """ISO dates, both included; None where the page does not say."""

    start: str | None = None
    end: str | None = None

    def __or__(self, other: Validity) -> Validity:
        """Both, what this one says first."""
        return Validity(self.start or other.start, self.end or other.end)

    @property
    def known(self) -> bool:
        return self.start is not None or self.end is not None


def period_of(text: str) -> Validity | None:
    """The time that a text names and nothing else ("6 April 2025 to 5 April 2026", "From 6 April 2026")."""
    stripped = text.strip().rstrip(".:,")
    found = _RANGE.fullmatch(stripped)
    if found:
        return Validity(effective_dates(f"from {found[1]}")[0], effective_dates(f"until {found[2]}")[1])
    if _ONLY_A_DATE.fullmatch(stripped):
        sentence = stripped[0].lower() + stripped[1:].removesuffix(" onwards")
        made = Validity(*effective_dates(sentence if not sentence[0].isdigit() else f"from {sentence}"))
        return made if made.known else None
    return None


def leading_date(text: str) -> tuple[str, Validity]:
    """A text without the date that it opens with ("From 6 April 2026 the rate"), and what that says."""
    found = _LEADING.match(text)
    if found is None:
        return text, Validity()
    said = found[1][0].lower() + found[1][1:]
    return text[found.end() :], Validity(*effective_dates(said))


def trailing_date(text: str) -> tuple[str, Validity]:
    """A text without the date that it ends with ("£56 a year from 1 April 2026"), and what that says."""
    found = _TRAILING.match(text)
    if found is None:
        return text, Validity()
    return found[1], Validity(*effective_dates(found[2]))


def takes_the_place(older: Validity, newer: Validity, older_page: str | None, newer_page: str | None) -> bool:
    """Whether the newer statement begins to hold where the older one has ended, or is said later than it. Pages are
    given by when they were last updated (ISO dates), where they say so."""
    if older.end is not None and newer.start is not None:
        return older.end <= newer.start
    if older.start is not None and newer.start is not None:
        return older.start < newer.start
    if newer.start is not None:  # the older page does not know of it yet
        return older_page is not None and (older_page < newer.start or older_page < (newer_page or ""))
    return older.end is not None and newer_page is not None and newer_page > older.end
