"""Expressions of time in a question as ranges of days, counted from the time it is asked.

Weeks begin on Monday. "Last Tuesday" is that of the week before, "this" that of this week, "next" that of the next; a
bare weekday, month or day lies in the past unless the question is about what comes. "Last week" is the calendar week
before, "past week" the seven days up to today. Named days are read by ``dateparser``, calendar arithmetic is
``dateutil``'s. What only the world knows ("the year X won") is left to whoever answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, partial
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta

from clausegraph.core.errors import InputError
from clausegraph.core.language.lexicon import NUMBERS, SHORT_MONTHS, WEEKDAYS, WordTable

_ZONES = {
    "America/Los_Angeles": "PT PST PDT",
    "America/New_York": "ET EST EDT",
    "America/Chicago": "CT",
    "America/Denver": "MT",
    "UTC": "UTC GMT",
}
_ZONE_OF = {short: zone for zone, shorts in _ZONES.items() for short in shorts.split()}
_WRITTEN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([A-Z]{2,4})?")
_WORDS_TOO = ("may", "march", "mar", "dec", "jan", "sept")  # as a month only behind a word, or before a year
_SHORT = 5  # characters of an abbreviated weekday that stands alone: "sun" and "sat" are words too
_STEPS = {"last": -1, "past": -1, "previous": -1, "next": 1, "coming": 1}
_UNITS_OF = {"quarter": ("months", 3), "decade": ("years", 10), "weekend": ("weeks", 1)}
_NUMBERS = NUMBERS | {"few": 3, "couple of": 2, "a": 1, "an": 1}
_AHEAD = re.compile(r"\b(?:will|upcoming|next|going to|scheduled|future|tomorrow|expected|shall)\b", re.IGNORECASE)


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


# --- what expressions mean ------------------------------------------------------------------------

Days = tuple[date | None, date | None]  # both included; none is open


@dataclass(frozen=True, slots=True)
class Expression:
    """The groups of a match in small letters, the day of the question, and whether it is about what comes."""

    said: dict[str, str]
    text: str
    today: date
    ahead: bool

    def __getitem__(self, name: str) -> str:
        return self.said.get(name, "")

    @property
    def step(self) -> relativedelta:
        """So many of its units."""
        count = self["count"]
        return _step(self["unit"], int(count) if count.isdigit() else _NUMBERS.get(count, 1))


Meaning = Callable[[Expression], Days | None]


def _span(day: date, unit: str) -> tuple[date, date]:
    """The calendar day, week, month, quarter, year or decade of a day."""
    monday = day - timedelta(days=day.weekday())
    if unit == "weekend":
        return monday + timedelta(days=5), monday + timedelta(days=6)
    first = {
        "day": day,
        "week": monday,
        "month": day.replace(day=1),
        "quarter": date(day.year, 3 * ((day.month - 1) // 3) + 1, 1),
        "year": date(day.year, 1, 1),
        "decade": date(day.year // 10 * 10, 1, 1),
    }[unit]
    return first, first + _step(unit, 1) - timedelta(days=1)


def _step(unit: str, count: int) -> relativedelta:
    name, times = _UNITS_OF.get(unit, (f"{unit}s", 1))
    return relativedelta(**{name: times * count})


def _shifted(offset: int, asked: Expression) -> Days:
    """The day of the question, or one beside it."""
    return (asked.today + timedelta(days=offset),) * 2


def _weekday(asked: Expression) -> Days | None:
    """A weekday, with or without last, this, next; none where it may be another word."""
    if len(asked.text) <= _SHORT:
        return None
    number, which = [name[:3] for name in WEEKDAYS].index(asked["weekday"][:3]), asked["which"]
    since = (asked.today.weekday() - number) % 7
    if which in (*_STEPS, "this"):
        day = asked.today + timedelta(days=number - asked.today.weekday() + 7 * _STEPS.get(which, 0))
    else:
        day = asked.today + timedelta(days=-since % 7 if asked.ahead else -since)
    return day, day


def _unit(asked: Expression) -> Days:
    """Last, this, next week, month, …; "past" counts days back."""
    if asked["which"] == "past":
        return asked.today - asked.step, asked.today
    return _span(asked.today + _step(asked["unit"], _STEPS.get(asked["which"], 0)), asked["unit"])


def _so_far(asked: Expression) -> Days:
    """From the beginning of a unit to the day of the question."""
    return _span(asked.today, asked["unit"])[0], asked.today


def _counted(asked: Expression) -> Days:
    """The last, or the next, so many units."""
    is_ahead = _STEPS[asked["which"]] > 0
    return (asked.today, asked.today + asked.step) if is_ahead else (asked.today - asked.step, asked.today)


def _distant(asked: Expression) -> Days:
    """A point of the unit's own size: two months ago is a month, ten days ago a day."""
    day = asked.today + (-asked.step if asked["way"] in ("ago", "back") else asked.step)
    return (day, day) if asked["unit"] == "week" else _span(day, asked["unit"])


def _years(asked: Expression) -> Days | None:
    """A year, or from a year to a year."""
    first, last = int(asked["year"]), int(asked["last"] or asked["year"])
    last += first // 100 * 100 if last < 100 else 0
    return (date(first, 1, 1), date(last, 12, 31)) if first <= last else None


def _month(asked: Expression) -> Days | None:
    """A month, with or without its year; none where it may be another word."""
    if asked.text.lower() in _WORDS_TOO:
        return None
    month, which, today = SHORT_MONTHS.index(asked["month"][:3]) + 1, asked["which"], asked.today
    year = int(asked["year"] or today.year)
    if which in ("last", "next"):
        lies_so = month < today.month if which == "last" else month > today.month
        year += 0 if lies_so else _STEPS[which]
    elif not asked["year"]:
        year += (month < today.month) if asked.ahead else -(month > today.month)
    return _span(date(year, month, 1), "month")


def _quarter(asked: Expression) -> Days:
    """A quarter; without a year the last one that has begun."""
    number = ("q1 first 1st", "q2 second 2nd", "q3 third 3rd", "q4 fourth 4th")
    month = 3 * next(at for at, words in enumerate(number) if asked["quarter"] in words.split()) + 1
    first = date(int(asked["year"] or asked.today.year), month, 1)
    if not asked["year"] and first > asked.today and not asked.ahead:
        first = date(first.year - 1, month, 1)
    return _span(first, "quarter")


def _decade(asked: Expression) -> Days:
    written = int(asked["decade"])
    return _span(date(written if written > 99 else (1900 if written >= 30 else 2000) + written, 1, 1), "decade")


def _traded(asked: Expression) -> Days:
    """The last weekday before: holidays of an exchange show in its prices."""
    return (asked.today - timedelta(days={0: 3, 6: 2}.get(asked.today.weekday(), 1)),) * 2


def _named(asked: Expression) -> Days | None:
    """A day as it is written; one without a year is the nearest on the right side."""
    import dateparser  # slow to import

    settings = {
        "RELATIVE_BASE": datetime.combine(asked.today, datetime.min.time()),
        "PREFER_DATES_FROM": "future" if asked.ahead else "past",
        "DATE_ORDER": "MDY",
        "REQUIRE_PARTS": ["day", "month"],
    }
    found = dateparser.parse(re.sub(r"\bof\b|\bthe\b", " ", asked["day"]), languages=["en"], settings=settings)
    return None if found is None else (found.date(), found.date())


def _between(asked: Expression) -> Days | None:
    at = datetime.combine(asked.today, datetime.min.time())
    first, last = (resolve(asked[name], at) for name in ("one", "two"))
    if not first or not last or first[0].start is None or last[0].end is None or first[0].start > last[0].end:
        return None
    return first[0].start, last[0].end


def _bounded(word: str, days: Days, today: date) -> Days:
    """All from some days on, or up to them, as the word before them says."""
    first, last = days
    if first is None or last is None or word in ("", "in", "during", "for", "of"):
        return days
    if word in ("since", "from"):
        return first, today
    if word == "after":
        return last + timedelta(days=1), None
    return None, first - timedelta(days=1) if word in ("before", "prior to") else last


_MEANINGS: dict[str, Meaning] = {  # by their names in the table
    "two_days_ago": partial(_shifted, -2),
    "yesterday": partial(_shifted, -1),
    "today": partial(_shifted, 0),
    "tomorrow": partial(_shifted, 1),
    "in_two_days": partial(_shifted, 2),
    "weekday": _weekday,
    "unit": _unit,
    "so_far": _so_far,
    "counted": _counted,
    "distant": _distant,
    "years": _years,
    "month": _month,
    "quarter": _quarter,
    "decade": _decade,
    "from_now": lambda asked: (asked.today, None),
    "traded": _traded,
    "named": _named,
    "between": _between,
}


# --- resolving ------------------------------------------------------------------------------------


@cache
def _compiled() -> list[tuple[re.Pattern[str], Meaning]]:
    """The rules, each with what it means."""
    table = WordTable(__file__)
    patterns = ((table.text(one), _MEANINGS[name]) for name, rules in table.file["rules"].items() for one in rules)
    return [(re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE), meaning) for pattern, meaning in patterns]


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
    today, ahead = at.date(), bool(_AHEAD.search(text))
    found: list[tuple[int, int, Days]] = []
    for pattern, meaning in _compiled():
        for match in pattern.finditer(text):
            said = {name: " ".join((value or "").lower().split()) for name, value in match.groupdict().items()}
            try:
                days = meaning(Expression(said, match[0], today, ahead))
            except (ValueError, OverflowError):  # 30 February, the year 12000
                continue
            if days is not None:
                found.append((match.start(), match.end(), _bounded(said.get("word", ""), days, today)))
    kept: list[tuple[int, int, Days]] = []
    for start, end, days in sorted(found, key=lambda one: (one[0] - one[1], one[0])):
        if all(end <= other[0] or start >= other[1] for other in kept):
            kept.append((start, end, days))
    return [TimeRange(text[start:end], *days) for start, end, days in sorted(kept, key=lambda one: one[0])]
