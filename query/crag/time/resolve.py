"""Expressions of time in a question as ranges of days, counted from the time it is asked.

Weeks begin on Monday. "Last Tuesday" is that of the week before, "this" that of this week, "next" that of the next; a
bare weekday, month or day lies in the past unless the question is about what comes. "Last week" is the calendar week
before, "past week" the seven days up to today. What comes has no end; what names no time means the day of the question.
Named days are read by ``dateparser``, calendar arithmetic is ``dateutil``'s. What only the world knows ("the year X
won") is left to whoever answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

from clausegraph.query.crag.time import meanings
from clausegraph.query.crag.time.meanings import AskedDay, Days

_WEEKDAY = (
    r"(?P<weekday>mon(?:day)?|tues?(?:day)?|wed(?:nesday)?|thur?s?(?:day)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
)
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_ANY_MONTH = _MONTH.replace("?P<month>", "?:")
_PLAIN_YEAR = r"(?:1[5-9]\d\d|20\d\d)"
_YEAR = rf"(?P<year>{_PLAIN_YEAR})"
_OF_YEAR = rf"(?:,? (?:of )?{_YEAR})?"
_COUNT = r"(?P<count>\d{1,4}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|couple of|few)"
_UNITS = r"(?P<unit>day|week|month|quarter|year|decade)s?"
_WHICH = r"(?P<which>last|past|previous|this|current|next|coming)"
_DURING = r"(?:in |over |during |within )?(?:the )?"
_BOUND = r"(?P<word>since|from|after|before|prior to|by|until|till|up to|through|in|during|for|of)"
_SEASON = r"(?P<season>spring|summer|autumn|fall|winter)"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_PLAIN_DAY = (
    rf"(?:\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{1,2}}/\d{{1,2}}/\d{{2,4}}|"
    rf"{_ANY_MONTH}\s+(?:the\s+)?{_ORDINAL}(?!\d)(?:,?\s+{_PLAIN_YEAR})?|"
    rf"{_ORDINAL}\s+(?:of\s+)?{_ANY_MONTH}(?:,?\s+{_PLAIN_YEAR})?)"
)
_DAY = rf"(?P<day>{_PLAIN_DAY})"
_QUARTER = r"(?:q(?P<number>[1-4])|(?:the )?(?P<ordinal>first|second|third|fourth|1st|2nd|3rd|4th) quarter)"
_CLOSE = r"(?:the )?(?:last|latest|previous) (?:market )?close"
_AHEAD = re.compile(r"\b(?:will|upcoming|next|going to|scheduled|future|tomorrow|expected|shall)\b", re.IGNORECASE)

Meaning = Callable[[re.Match[str], AskedDay], Days | None]


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Days ``start`` to ``end``, both included, that words of a question mean; none is open."""

    text: str
    start: date | None
    end: date | None

    @property
    def iso(self) -> str:
        """``2024-03-01``, ``2024-03-01/2024-03-07``, ``../2024-03-07``."""
        first, last = (day.isoformat() if day else ".." for day in (self.start, self.end))
        return first if first == last else f"{first}/{last}"


def resolve(text: str, at: datetime) -> list[TimeRange]:
    """The ranges that a question names, in its order; of expressions that overlap the longest."""
    asked = AskedDay(at.date(), bool(_AHEAD.search(text)))
    found: list[tuple[int, int, Days]] = []
    for pattern, meaning in _RULES:
        for match in pattern.finditer(text):
            days = _days_of(meaning, match, asked)
            if days is not None:
                found.append((match.start(), match.end(), days))
    kept: list[tuple[int, int, Days]] = []
    for start, end, days in sorted(found, key=lambda one: (one[0] - one[1], one[0])):
        if all(end <= other[0] or start >= other[1] for other in kept):
            kept.append((start, end, days))
    return [TimeRange(text[start:end], *days) for start, end, days in sorted(kept, key=lambda one: one[0])]


def meant(text: str, at: datetime) -> TimeRange:
    """The first range that a question names; the day it is asked where it names none."""
    return next(iter(resolve(text, at)), TimeRange("", at.date(), at.date()))


def _days_of(meaning: Meaning, match: re.Match[str], asked: AskedDay) -> Days | None:
    try:
        return meaning(match, asked)
    except (ValueError, OverflowError):  # 30 February, the year 12000
        return None


def _days_between(match: re.Match[str], asked: AskedDay) -> Days | None:
    at = datetime.combine(asked.today, datetime.min.time())
    first, last = (resolve(match[name], at) for name in ("one", "two"))
    if not first or not last or first[0].start is None or last[0].end is None or first[0].start > last[0].end:
        return None
    return first[0].start, last[0].end


def _rules() -> Iterator[tuple[str, Meaning]]:
    yield r"(?:the )?day before yesterday|(?:the )?day after tomorrow|yesterday|last night", meanings.relative_day
    yield r"tomorrow|today|tonight|this (?:morning|afternoon|evening)", meanings.relative_day
    yield rf"(?:(?:on )?{_WHICH} |on )?{_WEEKDAY}", meanings.that_weekday
    yield rf"{_WHICH} (?P<unit>weekend|week|month|quarter|year|decade)", meanings.that_unit
    yield r"(?:so far |thus far |earlier )this (?P<unit>week|month|quarter|year)", meanings.so_far
    yield r"(?P<unit>year)[- ]to[- ]date", meanings.so_far
    yield rf"{_DURING}(?:last|past|previous) {_COUNT} {_UNITS}", meanings.counted_back
    yield rf"{_DURING}(?:next|coming) {_COUNT} {_UNITS}", meanings.counted_ahead
    yield rf"{_COUNT} {_UNITS} (?:ago|back)(?P<ahead>)?", meanings.ago
    yield rf"(?:in )?{_COUNT} {_UNITS} (?P<ahead>from now|later|hence)", meanings.ago
    yield rf"(?:{_BOUND} )?{_YEAR}(?![-–/]?\d)", meanings.in_year
    yield rf"(?:between|from) (?P<first>{_PLAIN_YEAR}) (?:and|to|through|until) (?P<last>{_PLAIN_YEAR})", meanings.years
    yield rf"(?P<first>{_PLAIN_YEAR})(?: ?[-–—/] ?| to | through )(?P<last>{_PLAIN_YEAR}|\d\d)", meanings.years
    yield rf"(?:{_BOUND} )?(?:{_WHICH} )?{_MONTH}{_OF_YEAR}(?! ?\d)", meanings.in_month
    yield rf"{_QUARTER}{_OF_YEAR}", meanings.in_quarter
    yield rf"(?:the )?(?P<half>first|second) half of {_YEAR}", meanings.half
    yield rf"(?P<part>early|mid|late)[- ](?:in )?{_YEAR}", meanings.part_of_year
    yield rf"(?P<which>)?{_SEASON},? (?:of )?{_YEAR}", meanings.season
    yield rf"(?P<which>last|this|next) {_SEASON}(?P<year>)", meanings.season
    yield r"(?:the )?(?P<decade>(?:1[5-9]|20)\d0|[1-9]0)'?s", meanings.decade
    yield r"(?:the )?(?P<century>1?\d|2[01])(?:st|nd|rd|th)[- ]century", meanings.century
    yield r"right now|now|currently|nowadays|these days|at the moment|at present", meanings.present
    yield r"as of (?:now|today)", meanings.present
    yield r"upcoming|in the future|from now on|from today on", meanings.coming
    yield rf"(?:the )?(?:last|latest|most recent|previous) trading day|{_CLOSE}", meanings.traded
    yield rf"(?:on )?{_DAY}", meanings.named
    yield rf"(?P<word>since|before|after) {_DAY}", meanings.since_day
    yield rf"(?:between|from) (?P<one>{_PLAIN_DAY}) (?:and|to|until|through) (?P<two>{_PLAIN_DAY})", _days_between


_RULES = tuple((re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE), meaning) for pattern, meaning in _rules())
