"""Literal values in policy text: amounts, percentages, ages, dates, durations and numbers, with their kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from clausegraph.core.language.words import MONTH, MONTHS, NUMBERS

VALUE_KINDS = frozenset({"amount", "percent", "age", "date", "duration", "number", "text"})
TELLING_KINDS = VALUE_KINDS - {"number", "text"}
"""Kinds that say what a value is of: a bare number or text does not."""

_NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?|{'|'.join(NUMBERS)}|half\s+an?|an?)"
_BOUND = (
    r"(?:(?:up\s+to|at\s+least|at\s+most|no\s+more\s+than|more\s+than|less\s+than|a\s+maximum\s+of|a\s+minimum\s+of"
    r"|under|over|about|around)\s+)?"
)
_VALUE = re.compile(
    rf"""
    (?P<percent>{_BOUND}\d+(?:\.\d+)?\s?(?:%|per\s?cent\b)(?:\s+(?:or\s+)?(?:more|less))?)
  | (?P<amount>{_BOUND}[£$€]\s?\d[\d,]*(?:\.\d+)?(?:\s?(?:million|billion|m|k)\b)?
        (?:\s+(?:a|per|each|every)\s+(?:day|week|month|year|hour|person|child|mile))?)
  | (?P<date>(?:\d{{1,2}}\s+{MONTH}(?:\s+\d{{4}})?|{MONTH}\s+\d{{4}})\b)
  | (?P<age>\baged?\s+(?:between\s+)?\d{{1,3}}(?:\s*(?:to|and|-|or)\s*\d{{1,3}})?
        (?:\s+(?:or|and)\s+(?:over|under|older|younger|above))?
        |\b(?:under|over)\s+(?:the\s+age\s+of\s+)?(?:1[0-9]|[2-9][0-9])\b(?!\s*(?:[%,\d]|days|weeks|months|years|hours|people|employees|miles|metres))
        |\b\d{{1,2}}\s+(?:or|and)\s+(?:over|older|under|younger)\b|\b\d{{1,3}}\s+years?\s+old\b|\b\d{{1,3}}th\s+birthday\b)
  | (?P<duration>{_BOUND}\b{_NUMBER}[\s-](?:calendar\s+|working\s+|full\s+|consecutive\s+)?
        (?:day|week|month|year|hour|minute)s?\b)
  | (?P<number>{_BOUND}\b\d[\d,]*(?:\.\d+)?\b)
    """,
    re.VERBOSE,
)
_FULL_DATE = rf"(\d{{1,2}})\s+({MONTH})\s+(\d{{4}})"
_FROM = re.compile(rf"\b(?:from|since|(?:on or )?after|starting(?: on)?|begins? on)\s+{_FULL_DATE}", re.IGNORECASE)
_UNTIL = re.compile(rf"\b(?:until|up to|before|by|ends? on)\s+{_FULL_DATE}", re.IGNORECASE)
DATED = re.compile(
    rf"(?:^|\s)(?:from|since|until|up to)\s+{_FULL_DATE}(?:\s+(?:to|until)\s+{_FULL_DATE})?,?(?=\s|$)", re.IGNORECASE
)
"""From or until when a clause holds: "from 6 April 2026"."""
_SPAN = re.compile(rf"^(?:between\s+)?{_FULL_DATE}\s+(?:to|and|until|-|–)\s+{_FULL_DATE}$", re.IGNORECASE)
_SPAN_END = re.compile(rf"\s+to\s+{_FULL_DATE}")  # after "from 6 April 2026"


@dataclass(frozen=True, slots=True)
class Value:
    """A value ``[start, end)`` of a text and its kind."""

    start: int
    end: int
    text: str
    kind: str


_DIGIT = re.compile(r"\d")


def find_values(text: str) -> Iterator[Value]:
    """Yield the values of a text from left to right."""
    for match in _VALUE.finditer(text):
        yield Value(match.start(), match.end(), match[0], match.lastgroup or "text")


def opening_value(text: str) -> Value | None:
    """The value that a text begins with, but for a character before it; none where it stands further on."""
    match = _VALUE.match(text) or _VALUE.match(text, 1)
    return None if match is None else Value(match.start(), match.end(), match[0], match.lastgroup or "text")


def value_kind(text: str) -> str | None:
    """The kind of a text that is one value and little else ("up to £600 a year"), else None."""
    stripped = text.strip()
    first = opening_value(stripped)
    return first.kind if first is not None and len(stripped[first.end :].split()) <= 2 else None


def effective_dates(text: str) -> tuple[str | None, str | None]:
    """ISO dates of "from 6 April 2026" and "until 5 April 2027"; None where the text states none."""
    if _DIGIT.search(text) is None:
        return None, None
    whole = _SPAN.match(text.strip())
    if whole:  # "6 April 2025 to 5 April 2026"
        return _iso(whole), _iso(whole, 4)
    start = _FROM.search(text)
    end = (_SPAN_END.match(text, start.end()) if start else None) or _UNTIL.search(text)
    return (_iso(start) if start else None), (_iso(end) if end else None)


def _iso(match: re.Match[str], first: int = 1) -> str | None:
    """The date whose day is group ``first``, and month and year the next two."""
    day, month, year = match.group(first, first + 1, first + 2)
    try:
        return date(int(year), MONTHS.index(month.lower()) + 1, int(day)).isoformat()
    except ValueError:  # 31 April
        return None
