"""Single values of a text with their number and unit: "£1.5 million", "six months", "6 April 2026", "16th birthday"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from clausegraph.core.language.words import MONTH, MONTHS, NUMBERS, word_set

_NAMED = {word: float(number) for word, number in NUMBERS.items() if number > 1}
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
_DIGITS = r"\d[\d,]*(?:\.\d+)?"
_SPELLED = "|".join(_NAMED)
_ATOM = re.compile(
    rf"""
    (?P<amount>(?P<sign>[£$€])\s?(?P<money>{_DIGITS})(?:\s?(?P<scale>million|billion|thousand|bn|m|k)\b)?)
  | (?P<pence>\b(?P<pennies>\d+(?:\.\d+)?)\s?(?:p|pence)\b)
  | (?P<percent>\b(?P<share>{_DIGITS})\s?(?:%|per\s?cent\b))
  | (?P<date>\b(?P<iso>\d{{4}}-\d\d-\d\d)\b|\b(?P<slashes>\d\d?/\d\d?/\d{{4}})\b
        |\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<month>{MONTH})\b(?:\s+(?P<year>\d{{4}})\b)?
        |\b(?P<first>{MONTH})\s+(?P<that>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\s*\d)(?:,?\s+(?P<in>\d{{4}})\b)?
        |\b(?P<whole>{MONTH})\s+(?P<of>\d{{4}})\b
        |(?<=\bin\s)(?P<in_year>(?:19|20)\d\d)\b|(?<=\bsince\s)(?P<since_year>(?:19|20)\d\d)\b)
  | (?P<age>\b(?P<birthday>\d{{1,3}})(?:st|nd|rd|th)\s+birthday\b
        |\b(?P<old>\d{{1,3}}|{_SPELLED}|one)[\s-](?P<aged>year|month)s?[\s-]olds?\b)
  | (?P<duration>\b(?P<length>{_DIGITS}|{_SPELLED}|one|half\s+an?|an?)[\s-]
        (?:(?P<kind>calendar|working|business|full|consecutive|clear|whole|complete|continuous)\s+)?
        (?P<unit>minute|hour|day|week|fortnight|month|quarter|year)s?\b)
  | (?P<number>(?<![\w/.,-])(?<!\d\s)(?P<digits>(?!0\d)\d[\d,]*(?:\.\d+)?)(?![/\d]|[.,]\d|\s\d)(?=s?\b)
        |\b(?P<spelled>{_SPELLED})\b)
    """,
    re.VERBOSE,
)
# Words before "a year" after which it is a length of time, and not what an amount is for.
_MEASURES = word_set(
    "for of than after within least most to about around nearly over under every lasts takes last take up between"
    " half from is in and or"
)


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
        found = _READERS[match.lastgroup or "number"](match)
        if found is not None:
            yield found


def _number(text: str) -> float:
    lowered = " ".join(text.lower().split())
    named = _NAMED.get(lowered) or _ONE.get(lowered)
    return named if named is not None else float(text.replace(",", ""))


def _amount(match: re.Match[str]) -> Atom:
    value = _number(match["money"].rstrip(",")) * _SCALES.get(match["scale"] or "", 1.0)
    return Atom("amount", value, value, _CURRENCIES[match["sign"]], *match.span())


def _pence(match: re.Match[str]) -> Atom:
    value = _number(match["pennies"]) / 100
    return Atom("amount", value, value, "GBP", *match.span())


def _percent(match: re.Match[str]) -> Atom:
    value = _number(match["share"])
    return Atom("percent", value, value, "%", *match.span())


def _age(match: re.Match[str]) -> Atom:
    if match["birthday"]:
        value = float(match["birthday"])
    else:
        value = _number(match["old"]) / (12 if match["aged"] == "month" else 1)
    return Atom("age", value, value, "year", *match.span())


def _duration(match: re.Match[str]) -> Atom | None:
    length = match["length"].lower()
    if length in ("a", "an") and not _measures(match.string[max(0, match.start() - 20) : match.start()]):
        return None
    unit, scale = _UNITS[match["unit"]]
    if match["kind"] in ("working", "business") and match["unit"] == "day":
        unit = "working day"
    value = _number(length) * scale
    return Atom("duration", value, value, unit, *match.span(), scale)


def _measures(before: str) -> bool:
    """Whether "a year" after this text is a length of time."""
    said = before.split()
    return not said or said[-1].lower() in _MEASURES or said[-1][-1] in "(,:"


def _plain_number(match: re.Match[str]) -> Atom:
    value = _number((match["digits"] or match["spelled"]).rstrip(","))
    return Atom("number", value, value, "", *match.span(), spelled=bool(match["spelled"]))


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


_READERS = {
    "amount": _amount,
    "pence": _pence,
    "percent": _percent,
    "date": _date,
    "age": _age,
    "duration": _duration,
    "number": _plain_number,
}
