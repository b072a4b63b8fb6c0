"""Expressions of time in a question as ranges of days, counted from the time it is asked.

Weeks begin on Monday. "Last Tuesday" is that of the week before, "this" that of this week, "next" that of the next; a
bare weekday, month or day lies in the past unless the question is about what comes. "Last week" is the calendar week
before, "past week" the seven days up to today. What comes has no end; what names no time means the day of the question.
Named days are read by ``dateparser``, calendar arithmetic is ``dateutil``'s. What only the world knows ("the year X
won") is left to whoever answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache, partial
from zoneinfo import ZoneInfo

from dateutil.easter import easter
from dateutil.relativedelta import MO, TH, relativedelta

from clausegraph.core.errors import InputError
from clausegraph.core.language.lexicon import NUMBERS, SHORT_MONTHS, WEEKDAYS

_ZONES = {
    "America/Los_Angeles": "PT PST PDT",
    "America/New_York": "ET EST EDT",
    "America/Chicago": "CT",
    "America/Denver": "MT",
    "UTC": "UTC GMT",
}
_ZONE_OF = {short: zone for zone, shorts in _ZONES.items() for short in shorts.split()}
_WRITTEN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([A-Z]{2,4})?")
_SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
_WORDS_TOO = ("may", "march", "mar", "dec", "jan", "sept")  # as a month only behind a word, or before a year
_SHORT = 5  # characters of an abbreviated weekday that stands alone: "sun" and "sat" are words too
_STEPS = {"last": -1, "previous": -1, "next": 1, "coming": 1}
_PARTS = {"first": (1, 6), "second": (7, 12), "early": (1, 4), "mid": (5, 8), "late": (9, 12)}  # months of a year
_UNITS_OF = {"quarter": ("months", 3), "decade": ("years", 10), "weekend": ("weeks", 1)}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_DAYNAME = (
    r"(?P<weekday>mon(?:day)?|tues?(?:day)?|wed(?:nesday)?|thur?s?(?:day)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
)
_MONTHNAME = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_PLAIN_YEAR = r"(?:1[5-9]\d\d|20\d\d)"
_COUNT = r"(?P<count>\d{1,4}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|couple of|few)"
_UNITS = r"(?P<unit>day|week|month|quarter|year|decade)s?"
_WHICH = r"(?P<which>last|past|previous|this|current|next|coming)"
_BOUND = r"(?P<word>since|from|after|before|prior to|by|until|till|up to|through|in|during|for|of)"
_SEASONNAME = r"(?P<season>spring|summer|autumn|fall|winter)"
_ORDINAL = r"\d{1,2}(?:st|nd|rd|th)?"
_QUARTERS = r"(?:q(?P<number>[1-4])|(?:the )?(?P<ordinal>first|second|third|fourth|1st|2nd|3rd|4th) quarter)"
_CLOSE = r"(?:the )?(?:last|latest|previous) (?:market )?close"
_NOW = r"right now|now|currently|nowadays|these days|at the moment|at present|as of (?:now|today)"


def parse_time(text: str) -> datetime:
    """A time with its zone: ``2024-03-05T10:00-08:00``, or as CRAG writes it, ``03/05/2024, 23:18:31 PT``."""
    found = _WRITTEN.fullmatch(text.strip())
    try:
        if found:
            month, day, year, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
            zone = ZoneInfo(_ZONE_OF[found[7] or "PT"])
            return datetime(year, month, day, hour, minute, second, tzinfo=zone)
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except (ValueError, KeyError) as error:
        raise InputError(f"time {text!r} is not understood; give 2024-03-05T10:00-08:00") from error
    if moment.tzinfo is None:
        raise InputError(f"time {text!r} has no zone; give 2024-03-05T10:00-08:00 (or Z for UTC)")
    return moment


def now() -> datetime:
    """The present moment, in this machine's zone."""
    return datetime.now().astimezone()


# --- days on which New York's stock exchange trades -----------------------------------------------


def is_trading_day(day: date) -> bool:
    """Whether the exchange is open: a weekday that is none of its holidays (those of unforeseen events are unknown)."""
    return day.weekday() < 5 and day not in _holidays(day.year) and day not in _holidays(day.year + 1)


def last_trading_day(before: date) -> date:
    """The last one before a day."""
    day = before - timedelta(days=1)
    while not is_trading_day(day):
        day -= timedelta(days=1)
    return day


@lru_cache(maxsize=200)
def _holidays(year: int) -> frozenset[date]:
    first = date(year, 1, 1)
    moving = [
        first + relativedelta(month=1, day=1, weekday=MO(3)),
        first + relativedelta(month=2, day=1, weekday=MO(3)),
        easter(year) - timedelta(days=2),
        first + relativedelta(month=5, day=31, weekday=MO(-1)),
        first + relativedelta(month=9, day=1, weekday=MO(1)),
        first + relativedelta(month=11, day=1, weekday=TH(4)),
    ]
    fixed = [date(year, 1, 1), date(year, 7, 4), date(year, 12, 25)]
    fixed += [date(year, 6, 19)] if year >= 2022 else []
    return frozenset(moving + [_observed(day) for day in fixed])


def _observed(day: date) -> date:
    if day.weekday() == 5 and (day.month, day.day) != (1, 1):
        return day - timedelta(days=1)
    return day + timedelta(days=1) if day.weekday() == 6 else day


# --- what expressions mean ------------------------------------------------------------------------

Days = tuple[date | None, date | None]  # both included; none is open


@dataclass(frozen=True, slots=True)
class AskedDay:
    """The day of a question, and whether it is about what comes."""

    today: date
    ahead: bool


Meaning = Callable[[re.Match[str], AskedDay], Days | None]

_WEEKDAYS = tuple(name[:3] for name in WEEKDAYS)
_NUMBERS = NUMBERS | {"few": 3, "couple of": 2, "a": 1, "an": 1}


def _span(day: date, unit: str) -> tuple[date, date]:
    """The calendar day, week, month, quarter, year or decade of a day."""
    if unit in ("day", "week", "weekend"):
        monday = day - timedelta(days=day.weekday())
        return {
            "day": (day, day),
            "week": (monday, monday + timedelta(days=6)),
            "weekend": (monday + timedelta(days=5), monday + timedelta(days=6)),
        }[unit]
    first = {
        "month": day.replace(day=1),
        "quarter": date(day.year, 3 * ((day.month - 1) // 3) + 1, 1),
        "year": date(day.year, 1, 1),
        "decade": date(day.year // 10 * 10, 1, 1),
    }[unit]
    return first, first + _step(unit, 1) - timedelta(days=1)


def _step(unit: str, count: int) -> relativedelta:
    name, times = {"quarter": ("months", 3), "decade": ("years", 10), "weekend": ("weeks", 1)}.get(
        unit, (f"{unit}s", 1)
    )
    return relativedelta(**{name: times * count})


def _said(match: re.Match[str], name: str) -> str:
    """What a group of a match says, in small letters and with single blanks."""
    return " ".join((match[name] or "").lower().split())


def _count(match: re.Match[str]) -> int:
    said = _said(match, "count")
    return int(said) if said.isdigit() else _NUMBERS[said]


def _shifted(offset: int, match: re.Match[str], asked: AskedDay) -> Days:
    """The day of the question, or one beside it."""
    day = asked.today + timedelta(days=offset)
    return day, day


def _weekday(match: re.Match[str], asked: AskedDay) -> Days | None:
    """A weekday, with or without last, this, next; none where it may be another word."""
    if len(match[0]) <= _SHORT:
        return None
    number, which = _WEEKDAYS.index(_said(match, "weekday")[:3]), _said(match, "which")
    since = (asked.today.weekday() - number) % 7
    if which in ("last", "past", "previous", "next", "coming", "this"):
        monday = asked.today - timedelta(days=asked.today.weekday())
        day = monday + timedelta(days=number + 7 * ({"past": -1} | _STEPS).get(which, 0))
    else:
        day = asked.today + timedelta(days=-since % 7) if asked.ahead else asked.today - timedelta(days=since)
    return day, day


def _unit(match: re.Match[str], asked: AskedDay) -> Days:
    """Last, this, next week, month, …; "past" counts days back."""
    unit, which = _said(match, "unit"), _said(match, "which")
    if which == "past":
        return asked.today - _step(unit, 1), asked.today
    return _span(asked.today + _step(unit, _STEPS.get(which, 0)), unit)


def _so_far(match: re.Match[str], asked: AskedDay) -> Days:
    """From the beginning of a unit to the day of the question."""
    return _span(asked.today, _said(match, "unit"))[0], asked.today


def _counted(match: re.Match[str], asked: AskedDay) -> Days:
    """The last, or the next, so many units."""
    step = _step(_said(match, "unit"), _count(match))
    if _said(match, "which") in ("next", "coming"):
        return asked.today, asked.today + step
    return asked.today - step, asked.today


def _ago(match: re.Match[str], asked: AskedDay) -> Days:
    """A point of the unit's own size: two months ago is a month, ten days ago a day."""
    unit = _said(match, "unit")
    day = asked.today + _step(unit, (-1 if _said(match, "way") in ("ago", "back") else 1) * _count(match))
    return _span(day, unit) if unit not in ("day", "week") else (day, day)


def _year(match: re.Match[str], asked: AskedDay) -> Days:
    """A year, with what stands before it."""
    year, word = int(match["year"]), _said(match, "word")
    first, last = date(year, 1, 1), date(year, 12, 31)
    if word in ("since", "from"):
        return first, asked.today
    if word == "after":
        return last + timedelta(days=1), None
    if word in ("before", "prior to"):
        return None, first - timedelta(days=1)
    return (None if word in ("by", "until", "till", "up to", "through") else first), last


def _years(match: re.Match[str], asked: AskedDay) -> Days | None:
    """From a year to a year."""
    first, last = int(match["first"]), int(match["last"])
    if len(match["last"]) == 2:
        last += first // 100 * 100
    return (date(first, 1, 1), date(last, 12, 31)) if first <= last else None


def _month(match: re.Match[str], asked: AskedDay) -> Days | None:
    """A month, with or without its year; none where it may be another word."""
    if match[0].lower() in _WORDS_TOO:
        return None
    month, which, today = SHORT_MONTHS.index(_said(match, "month")[:3]) + 1, _said(match, "which"), asked.today
    if which in ("last", "next"):
        lies_so = month < today.month if which == "last" else month > today.month
        year = today.year + (0 if lies_so else _STEPS[which])
    elif match["year"]:
        year = int(match["year"])
    else:
        year = today.year + (month < today.month) if asked.ahead else today.year - (month > today.month)
    first, last = _span(date(year, month, 1), "month")
    return first, today if _said(match, "word") == "since" else last


def _quarter(match: re.Match[str], asked: AskedDay) -> Days:
    """A quarter; without a year the last one that has begun."""
    written = _said(match, "number") or _said(match, "ordinal")
    number = int(written[0]) if written[0].isdigit() else _ORDINALS[written]
    year = int(match["year"]) if match["year"] else asked.today.year
    first = date(year, 3 * number - 2, 1)
    if not match["year"] and first > asked.today and not asked.ahead:
        first = date(year - 1, first.month, 1)
    return _span(first, "quarter")


def _part(match: re.Match[str], asked: AskedDay) -> Days:
    """Half a year, or four months of it."""
    year, (first, last) = int(match["year"]), _PARTS[_said(match, "part")]
    return date(year, first, 1), _span(date(year, last, 1), "month")[1]


def _season(match: re.Match[str], asked: AskedDay) -> Days:
    """Three months, by meteorologists' count."""
    year = int(match["year"]) if match["year"] else asked.today.year + _STEPS.get(_said(match, "which"), 0)
    first = date(year, _SEASONS[_said(match, "season")], 1)
    return first, first + relativedelta(months=3) - timedelta(days=1)


def _decade(match: re.Match[str], asked: AskedDay) -> Days:
    written = match["decade"]
    first = int(written) if len(written) == 4 else (1900 if int(written) >= 30 else 2000) + int(written)
    return date(first, 1, 1), date(first + 9, 12, 31)


def _century(match: re.Match[str], asked: AskedDay) -> Days:
    number = int(match["century"])
    return date(100 * number - 99, 1, 1), date(100 * number, 12, 31)


def _coming(match: re.Match[str], asked: AskedDay) -> Days:
    """From the day of the question on."""
    return asked.today, None


def _traded(match: re.Match[str], asked: AskedDay) -> Days:
    """The last day on which the exchange was open."""
    day = last_trading_day(asked.today)
    return day, day


def _named(match: re.Match[str], asked: AskedDay) -> Days | None:
    """A day as it is written, or all from it or up to it; one without a year is the nearest on the right side."""
    import dateparser  # slow to import

    settings = {
        "RELATIVE_BASE": datetime.combine(asked.today, datetime.min.time()),
        "PREFER_DATES_FROM": "future" if asked.ahead else "past",
        "DATE_ORDER": "MDY",
        "REQUIRE_PARTS": ["day", "month"],
    }
    found = dateparser.parse(re.sub(r"\bof\b|\bthe\b", " ", match["day"]), languages=["en"], settings=settings)
    if found is None:
        return None
    day, word = found.date(), _said(match, "word")
    if word == "since":
        return day, asked.today
    if word == "before":
        return None, day - timedelta(days=1)
    return (day + timedelta(days=1), None) if word == "after" else (day, day)


def _between(match: re.Match[str], asked: AskedDay) -> Days | None:
    at = datetime.combine(asked.today, datetime.min.time())
    first, last = (resolve(match[name], at) for name in ("one", "two"))
    if not first or not last or first[0].start is None or last[0].end is None or first[0].start > last[0].end:
        return None
    return first[0].start, last[0].end


_ANY_MONTH = _MONTHNAME.replace("?P<month>", "?:")
_YEARS = rf"(?P<year>{_PLAIN_YEAR})"
_OF_YEAR = rf"(?:,? (?:of )?{_YEARS})?"
_PLAIN_DAY = (
    rf"(?:\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{1,2}}/\d{{1,2}}/\d{{2,4}}|"
    rf"{_ANY_MONTH}\s+(?:the\s+)?{_ORDINAL}(?!\d)(?:,?\s+{_PLAIN_YEAR})?|"
    rf"{_ORDINAL}\s+(?:of\s+)?{_ANY_MONTH}(?:,?\s+{_PLAIN_YEAR})?)"
)
_DAY = rf"(?P<day>{_PLAIN_DAY})"
_AHEAD = re.compile(r"\b(?:will|upcoming|next|going to|scheduled|future|tomorrow|expected|shall)\b", re.IGNORECASE)
_RULES: tuple[tuple[re.Pattern[str], Meaning], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE), meaning)
    for pattern, meaning in (
        (r"(?:the )?day before yesterday", partial(_shifted, -2)),
        (r"yesterday|last night", partial(_shifted, -1)),
        (rf"today|tonight|this (?:morning|afternoon|evening)|{_NOW}", partial(_shifted, 0)),
        (r"tomorrow", partial(_shifted, 1)),
        (r"(?:the )?day after tomorrow", partial(_shifted, 2)),
        (rf"(?:(?:on )?{_WHICH} |on )?{_DAYNAME}", _weekday),
        (rf"{_WHICH} (?P<unit>weekend|week|month|quarter|year|decade)", _unit),
        (r"(?:so far |thus far |earlier )this (?P<unit>week|month|quarter|year)", _so_far),
        (r"(?P<unit>year)[- ]to[- ]date", _so_far),
        (
            rf"(?:in |over |during |within )?(?:the )?(?P<which>last|past|previous|next|coming) {_COUNT} {_UNITS}",
            _counted,
        ),
        (rf"{_COUNT} {_UNITS} (?P<way>ago|back)", _ago),
        (rf"(?:in )?{_COUNT} {_UNITS} (?P<way>from now|later|hence)", _ago),
        (rf"(?:{_BOUND} )?{_YEARS}(?![-–/]?\d)", _year),
        (rf"(?:between|from) (?P<first>{_PLAIN_YEAR}) (?:and|to|through|until) (?P<last>{_PLAIN_YEAR})", _years),
        (rf"(?P<first>{_PLAIN_YEAR})(?: ?[-–—/] ?| to | through )(?P<last>{_PLAIN_YEAR}|\d\d)", _years),
        (rf"(?:{_BOUND} )?(?:{_WHICH} )?{_MONTHNAME}{_OF_YEAR}(?! ?\d)", _month),
        (rf"{_QUARTERS}{_OF_YEAR}", _quarter),
        (rf"(?:the )?(?P<part>first|second) half of {_YEARS}", _part),
        (rf"(?P<part>early|mid|late)[- ](?:in )?{_YEARS}", _part),
        (rf"(?P<which>)?{_SEASONNAME},? (?:of )?{_YEARS}", _season),
        (rf"(?P<which>last|this|next) {_SEASONNAME}(?P<year>)", _season),
        (r"(?:the )?(?P<decade>(?:1[5-9]|20)\d0|[1-9]0)'?s", _decade),
        (r"(?:the )?(?P<century>1?\d|2[01])(?:st|nd|rd|th)[- ]century", _century),
        (r"upcoming|in the future|from now on|from today on", _coming),
        (rf"(?:the )?(?:last|latest|most recent|previous) trading day|{_CLOSE}", _traded),
        (rf"(?:on )?{_DAY}(?P<word>)", _named),
        (rf"(?P<word>since|before|after) {_DAY}", _named),
        (rf"(?:between|from) (?P<one>{_PLAIN_DAY}) (?:and|to|until|through) (?P<two>{_PLAIN_DAY})", _between),
    )
)


# --- resolving ------------------------------------------------------------------------------------


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
            try:
                days = meaning(match, asked)
            except (ValueError, OverflowError):  # 30 February, the year 12000
                continue
            if days is not None:
                found.append((match.start(), match.end(), days))
    kept: list[tuple[int, int, Days]] = []
    for start, end, days in sorted(found, key=lambda one: (one[0] - one[1], one[0])):
        if all(end <= other[0] or start >= other[1] for other in kept):
            kept.append((start, end, days))
    return [TimeRange(text[start:end], *days) for start, end, days in sorted(kept, key=lambda one: one[0])]
