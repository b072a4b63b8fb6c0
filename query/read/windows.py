"""Whether something that is told happened within the time of which a condition speaks: "in the last 5 years"."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date

from clausegraph.core.types import ConditionState
from clausegraph.query.read.meeting import coverage, telling

_NUMBERS = (
    "a",
    "an",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_COUNT = rf"(?P<count>\d+|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_WINDOW = re.compile(rf"\b(?:in|within|during) the (?:last|past|previous)\s+(?:{_COUNT}\s+)?{_UNIT}\b", re.IGNORECASE)
_AGO = re.compile(rf"\b{_COUNT}\s+{_UNIT}\s+ago\b", re.IGNORECASE)
_LAST = re.compile(r"\blast\s+(?P<unit>week|month|year)\b", re.IGNORECASE)
_MONTH = "|".join(calendar.month_name[1:])
_DATE = re.compile(
    rf"\b(?:in|on|since)\s+(?:the\s+)?(?:(?P<day>\d{{1,2}})\s+)?(?:(?P<month>{_MONTH})\s+)?(?P<year>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_TOLD_WINDOW = re.compile(rf"\b(?:in|within|for|during) (?:the )?(?:last|past|previous)?\s*{_COUNT}\s+{_UNIT}\b", re.I)
_NOT = re.compile(r"\b(?:not|never|no)\b|n['’]t\b", re.IGNORECASE)
_NEVER = re.compile(r"\bnever\b", re.IGNORECASE)
_CLAUSES = re.compile(r"(?<=[.!?;])\s+|,\s+|\s(?:but|and|so|because|although|while)\s", re.IGNORECASE)
_DAYS = {"day": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
_SILENT = telling("last past previous ago year years month months week weeks day days ever")
MET, UNMET = ConditionState.MET, ConditionState.UNMET


def within_window(condition: str, told: str, today: date) -> ConditionState | None:
    """What is told of something that has, or has not, happened lately; None where a condition asks for none such,
    or nothing that is told surely says when it happened."""
    window = _WINDOW.search(condition)
    if window is None:
        return None
    most = _length(window["count"] or "one", window["unit"])
    event = _words(_WINDOW.sub(" ", condition))
    denies = bool(_NOT.search(condition))
    for clause in _CLAUSES.split(told):
        if not event or coverage(event, clause) < 1.0:
            continue
        happened = _happened(clause, most, today)
        if happened is not None:
            return MET if happened != denies else UNMET
    return None


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in telling(text) if not _NOT.search(word)) - _SILENT


def _happened(clause: str, most: float, today: date) -> bool | None:
    """Whether what a clause tells lies within so many days; None where it does not say, or may lie on both sides."""
    if _NOT.search(clause):
        told = _TOLD_WINDOW.search(clause)
        whole = _NEVER.search(clause) or (told is not None and _length(told["count"], told["unit"]) >= most)
        return False if whole else None
    for soonest, latest in _ages(clause, today):
        if latest <= most:
            return True
        if soonest > most:
            return False
    return None


def _ages(clause: str, today: date) -> Iterator[tuple[float, float]]:
    """Days since what a clause tells, at least and at most."""
    for found in _AGO.finditer(clause):
        length = _length(found["count"], found["unit"])
        yield length, length
    for found in _LAST.finditer(clause):
        yield 0.0, 2 * _DAYS[found["unit"].lower()]
    for found in _DATE.finditer(clause):
        first, last = _span(found)
        yield float((today - last).days), float((today - first).days)


def _span(found: re.Match[str]) -> tuple[date, date]:
    """The first and the last day that a date can mean."""
    year = int(found["year"])
    if not found["month"]:
        return date(year, 1, 1), date(year, 12, 31)
    month = [name.lower() for name in calendar.month_name].index(found["month"].lower())
    last = calendar.monthrange(year, month)[1]
    if found["day"]:
        day = min(max(int(found["day"]), 1), last)
        return date(year, month, day), date(year, month, day)
    return date(year, month, 1), date(year, month, last)


def _length(count: str, unit: str) -> float:
    number = int(count) if count.isdigit() else max(1, _NUMBERS.index(count.lower()) - 1)
    return number * _DAYS[unit.lower()]
