"""Whether the values of one text stand in others, "last Saturday" among them: for checking what a model writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from clausegraph.core.language.lexicon import MONTHS, NUMBERS, WEEKDAYS, phrases
from clausegraph.core.language.values import Atom, atoms

_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_WORDS = {"half": "2", "twice": "2", "double": "2", "both": "2", "third": "3", "quarter": "4", "once": "1"}
_TWICE = phrases("each way|return|round trip|there and back|a (?:pair|couple)|twins")
_MONTHS = tuple(map(str.capitalize, MONTHS))
_MONTH = re.compile(r"(?<=[\d\s])(" + "|".join(m[:3] for m in _MONTHS) + r")(?:[a-z]{0,6})\.?(?=\W|$)", re.IGNORECASE)
_SHORT_DATE = re.compile(r"\b(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})\b")
_CENTURY = 30  # a year of two digits up to this one is of 2000
_COUNTED = ("number", "age", "duration")  # "18", "18 years old" and "18 years" may be one value
_ANY_YEAR = "day of any year"
_COUNTED_OUT = 10
_YEAR = 364  # days from the first to the last of a year, at least
_SPELLED = re.compile(r"\b(?:" + "|".join(word.capitalize() for word in NUMBERS if word != "zero") + r"|Half|An?)\b")
_UNIT_NEAR = re.compile(r"(?:\s+[\w-]+){1,2}?\s+(minute|hour|day|week|month|year)(?:s|ly)?\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"\b(\d{1,4}) ?(?:k|grand)\b", re.IGNORECASE)
_CELLS = " | "
_LEAST = 0.005  # that two values differ by
_SHORT_WEEKDAYS = tuple(name[:3] for name in WEEKDAYS)
_WEEKDAY = re.compile(
    r"\b(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday|s)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)\b",
    re.IGNORECASE,
)
_NEAR = (("today", 0), ("tonight", 0), ("yesterday", -1), ("last night", -1), ("tomorrow", 1), ("tomorow", 1))
_AGO = re.compile(r"\b(\d{1,3}|an?|" + "|".join(NUMBERS) + r") (day|week)s? ago\b", re.IGNORECASE)
_COUNTS = {"a": 1, "an": 1} | NUMBERS
_WEEK = 7


class KnownValues:
    """The values that texts state, and those computed from them."""

    def __init__(self, *texts: str) -> None:
        self._atoms: list[Atom] = []
        self._bare: list[Atom] = []  # numbers whose unit stands in a column head, or was not typed
        self._runs: set[str] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Take in the values of a text."""
        found = list(_values(text))
        self._atoms += found
        if _CELLS in text:
            self._bare += (one for one in found if one.kind == "number")
        self._atoms += _counted(text, found)
        self._runs |= {_run(run) for run in _DIGITS.findall(text.replace(",", ""))}
        self._runs |= {_WORDS[word] for word in text.lower().split() if word in _WORDS}
        self._runs |= {"2"} if _TWICE.search(text) else set()

    def add_typed(self, text: str) -> None:
        """Take in the values of what a person typed: dates as "2 feb", "feb 2nd" or "2/2/26" are days, too, and "300k"
        and "2 grand" are numbers and amounts."""
        self.add(_THOUSANDS.sub(lambda found: f"{found[1]} thousand {found[1]}000", text))
        in_full = _THOUSANDS.sub(r"\g<1>000", text)
        written = _MONTH.sub(lambda found: next(m for m in _MONTHS if m[:3] == found[1].capitalize()), f" {in_full}")
        found = list(atoms(_SHORT_DATE.sub(_written_day, written)))
        self._atoms += found
        self._bare += (one for one in found if one.kind == "number")

    def add_day(self, day: date) -> None:
        """Take in a day that a text names in other words than its date."""
        self.add(f"{day.day} {day:%B %Y}")

    def has(self, value: Atom) -> bool:
        """Whether a value stands here, in the same unit or as a bare number of a table."""
        typed = value.kind == "number" and f"{value.low:g}" in self._runs
        if value.kind == "date" and value.high - value.low >= _YEAR:
            typed = str(date.fromordinal(int(value.low)).year) in self._runs
        same = any(_same(value, known) for known in self._atoms)
        return typed or same or any(_same_number(value, bare) for bare in self._bare)

    def has_number(self, value: float) -> bool:
        """Whether a number stands here, with whatever unit."""
        return any(abs(value - n) < _LEAST for known in self._atoms for n in _numbers(known)) or (
            value == int(value) and str(int(value)) in self._runs
        )

    def has_day(self, day: date) -> bool:
        """Whether a day stands here, with its year or without."""
        wanted = (
            Atom("date", day.toordinal(), day.toordinal(), "date", 0, 0),
            Atom("date", day.month * 100 + day.day, day.month * 100 + day.day, _ANY_YEAR, 0, 0),
        )
        return any(self.has(one) for one in wanted)

    def missing(self, text: str) -> Iterator[str]:
        """The values of a text, as written there, that do not stand here; "the first two" counts and states nothing."""
        found = list(_values(text))
        read = [(value.start, value.end) for value in found]
        for value in found:
            counts = value.kind == "number" and value.spelled and value.low <= _COUNTED_OUT
            if not counts and not self.has(value):
                yield text[value.start : value.end]
        for run in _DIGITS.finditer(text):
            inside = any(start <= run.start() < end for start, end in read)
            if not inside and _run(run[0]) not in self._runs:
                yield run[0]


def _counted(text: str, found: Sequence[Atom]) -> Iterator[Atom]:
    """Durations whose number and unit have a word between them: "12 equal monthly deductions", "5 extra days"."""
    for one in found:
        unit = _UNIT_NEAR.match(text, one.end) if one.kind == "number" else None
        if unit is not None:
            yield from atoms(f"{one.low:g} {unit[1].lower()}s")


def _values(text: str) -> Iterator[Atom]:
    """The values of a text; a number word may begin a sentence."""
    return atoms(_SPELLED.sub(lambda found: found[0].lower(), text))


def _run(digits: str) -> str:
    """Digits as they are compared: "007" is "7", "5.90" is "5.9"."""
    return f"{float(digits):g}" if "." in digits else digits.lstrip("0") or "0"


def _written_day(found: re.Match[str]) -> str:
    day, month, year = (int(found[at]) for at in (1, 2, 3))
    if not 1 <= month <= len(_MONTHS):
        return found[0]
    whole = year if year > 99 else year + (2000 if year <= _CENTURY else 1900)
    return f"{day} {_MONTHS[month - 1]} {whole}"


def _numbers(value: Atom) -> set[float]:
    """The numbers that a value may be counted by: 24 months are 2 years."""
    return {value.low, value.high, value.low / value.scale}


def _same(one: Atom, other: Atom) -> bool:
    if "date" in (one.kind, other.kind):
        return one.kind == other.kind and _same_day(one, other)
    if (one.kind, one.unit) == (other.kind, other.unit):
        return abs(one.low - other.low) < _LEAST
    ages = {one.kind, other.kind} <= set(_COUNTED[1:])
    return (one.kind == "number" or ages) and _same_number(one, other)


def _same_number(one: Atom, other: Atom) -> bool:
    return abs(one.low / one.scale - other.low / other.scale) < _LEAST


def _same_day(one: Atom, known: Atom) -> bool:
    """Whether a day is that of the text: one without a year is that day of any year, but no year may be invented."""
    if one.unit == known.unit:
        return one.low == known.low and one.high == known.high
    if one.unit == _ANY_YEAR and known.low == known.high:
        day = date.fromordinal(int(known.low))
        return one.low == day.month * 100 + day.day
    return False


def relative_days(text: str, today: date) -> Iterator[date]:
    """The days that a text may mean: of a weekday the two before ``today`` and the two after it."""
    lower = text.lower()
    yield from (today + timedelta(days=days) for word, days in _NEAR if re.search(rf"\b{word}\b", lower))
    for found in _AGO.finditer(lower):
        count = _COUNTS.get(found[1]) or int(found[1])
        yield today - timedelta(days=count * (_WEEK if found[2] == "week" else 1))
    for found in _WEEKDAY.finditer(lower):
        back = (today.weekday() - _SHORT_WEEKDAYS.index(found[1][:3])) % _WEEK
        yield from (today - timedelta(days=back + weeks * _WEEK) for weeks in (-2, -1, 0, 1))  # today is one of them
