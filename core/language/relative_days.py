"""Days that a text names from the day on which it is written: "yesterday", "last Saturday", "3 weeks ago"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta

from clausegraph.core.language.words import NUMBERS, WEEKDAYS

_WEEKDAYS = tuple(name[:3] for name in WEEKDAYS)
_WEEKDAY = re.compile(
    r"\b(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday|s)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\b",
    re.IGNORECASE,
)
_NEAR = (("today", 0), ("tonight", 0), ("yesterday", -1), ("last night", -1), ("tomorrow", 1), ("tomorow", 1))
_AGO = re.compile(r"\b(\d{1,3}|an?|" + "|".join(NUMBERS) + r") (day|week)s? ago\b", re.IGNORECASE)
_COUNTS = {"a": 1, "an": 1} | NUMBERS
_WEEK = 7


def relative_days(text: str, today: date) -> Iterator[date]:
    """The days that a text may mean: of a weekday the two before ``today`` and the two after it."""
    lower = text.lower()
    yield from (today + timedelta(days=days) for word, days in _NEAR if re.search(rf"\b{word}\b", lower))
    for found in _AGO.finditer(lower):
        count = _COUNTS.get(found[1]) or int(found[1])
        yield today - timedelta(days=count * (_WEEK if found[2] == "week" else 1))
    for found in _WEEKDAY.finditer(lower):
        back = (today.weekday() - _WEEKDAYS.index(found[1][:3])) % _WEEK
        yield from (today - timedelta(days=back + weeks * _WEEK) for weeks in (-2, -1, 0, 1))  # today is one of them
