"""Values in a text: amounts, percentages, ages, dates, durations and numbers, with their kind, number and unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from clausegraph.core.language.lexicon import MONTH, MONTHS, NUMBERS, WordTable

VALUE_KINDS = frozenset({"amount", "percent", "age", "date", "duration", "number", "text"})
TELLING_KINDS = VALUE_KINDS - {"number", "text"}
"""Kinds that say what a value is of: a bare number or text does not."""
_NAMED = {word: float(number) for word, number in NUMBERS.items() if number > 1}
_TABLE = WordTable(__file__, month=MONTH, number_words="|".join(NUMBERS), spelled="|".join(_NAMED))
_VALUE = _TABLE.pattern("value")
_FROM = _TABLE.pattern("from")
_UNTIL = _TABLE.pattern("until")
DATED = _TABLE.pattern("dated")
_SPAN = _TABLE.pattern("span")
_SPAN_END = _TABLE.pattern("span_end")
_ONE = {"a": 1.0, "an": 1.0, "one": 1.0, "half a": 0.5, "half an": 0.5}
_CURRENCIES = {"£": "GBP", "$": "USD", "€": "EUR"}
_SCALES = {"million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9, "thousand": 1e3, "k": 1e3}
_UNITS = {  # word: unit that it is measured in, and how many of it
    "minute": ("hour", 1 / 60),
    "hour": ("hour", 1.0),
    "day": ("day", 1.0),
    "week": ("day", 7.0),
    "fortnight": ("day", 14.0),
    "month": ("month", 1.0),
    "quarter": ("month", 3.0),
    "year": ("month", 12.0),
}
_ATOM = _TABLE.pattern("atom")
_MEASURES = _TABLE.words("measures")


@dataclass(frozen=True, slots=True)
class Value:
    """A value ``[start, end)`` of a text and its kind."""

    start: int
    end: int
    text: str
    kind: str


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
    if not any(map(str.isdigit, text)):
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


@dataclass(frozen=True, slots=True)
class Atom:
    """One value ``[start, end)``: ``low`` and ``high`` differ where it is a stretch of time ("April 2026").

    ``scale`` is how many of ``unit`` its own word is (12 for years, in months).
    """

    kind: str
    low: float
    high: float
    unit: str
    start: int
    end: int
    scale: float = 1.0
    spelled: bool = False


def atoms(text: str) -> Iterator[Atom]:
    """The single values of a text from left to right."""
    for match in _ATOM.finditer(text):
        found = _atom(match)
        if found is not None:
            yield found


def _number(text: str) -> float:
    lowered = " ".join(text.lower().split())
    named = _NAMED.get(lowered) or _ONE.get(lowered)
    return named if named is not None else float(text.replace(",", ""))


def _atom(found: re.Match[str]) -> Atom | None:
    """The value of a match; none of a day that there is not, or of "a year" that is no length of time."""
    kind, unit, scale = found.lastgroup or "number", "", 1.0
    match kind:
        case "date":
            return _date(found)
        case "amount":
            value = _number(found["money"].rstrip(",")) * _SCALES.get(found["scale"] or "", 1.0)
            unit = _CURRENCIES[found["sign"]]
        case "pence":
            kind, value, unit = "amount", _number(found["pennies"]) / 100, "GBP"
        case "percent":
            value, unit = _number(found["share"]), "%"
        case "age":
            age = _number(found["birthday"] or found["old"])
            value, unit = age / (12 if found["aged"] == "month" else 1), "year"
        case "duration":
            length = found["length"].lower()
            if length in ("a", "an") and not measures(found.string[max(0, found.start() - 20) : found.start()]):
                return None
            unit, scale = _UNITS[found["unit"]]
            value = _number(length) * scale
            if found["kind"] in ("working", "business", "school") and found["unit"] == "day":
                unit = "working day"
        case _:
            value = _number((found["digits"] or found["spelled"]).rstrip(","))
    return Atom(kind, value, value, unit, *found.span(), scale, kind == "number" and bool(found["spelled"]))


def has_sum(text: str) -> bool:
    """Whether a text says an amount of money."""
    return any(value.kind == "amount" for value in find_values(text))


def measures(before: str) -> bool:
    """Whether "a year" after this text is a length of time."""
    said = before.split()
    return not said or said[-1].lower() in _MEASURES or said[-1][-1] in "(,:"


def _date(match: re.Match[str]) -> Atom | None:
    """A day as the number of days since 1 January of year 1, a day of any year as month × 100 + day."""
    year, month, day = _parts(match)
    try:
        if year is None:
            date(2000, month or 0, day or 0)
            value = float(month * 100 + day) if month and day else 0.0
            return Atom("date", value, value, "day of any year", *match.span())
        first = date(year, month or 1, day or 1).toordinal()
        last = first if day else _last(year, month)
    except ValueError:  # 31 April
        return None
    return Atom("date", float(first), float(last), "date", *match.span())


def _parts(match: re.Match[str]) -> tuple[int | None, int | None, int | None]:
    """Year, month and day as far as they are named."""
    if match["iso"]:
        year, month, day = map(int, match["iso"].split("-"))
        return year, month, day
    if match["slashes"]:
        day, month, year = map(int, match["slashes"].split("/"))
        return year, month, day
    if match["in_year"] or match["since_year"]:
        return int(match["in_year"] or match["since_year"]), None, None
    named = match["month"] or match["first"] or match["whole"]
    written = match["year"] or match["in"] or match["of"]
    numbered = match["day"] or match["that"]
    month_number = MONTHS.index(named.lower()) + 1
    return int(written) if written else None, month_number, int(numbered) if numbered else None


def _last(year: int, month: int | None) -> int:
    """The last day of a month or year."""
    following = date(year + 1, 1, 1) if month in (None, 12) else date(year, (month or 0) + 1, 1)
    return following.toordinal() - 1
