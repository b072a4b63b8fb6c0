"""What expressions of time mean, counted from the day of the question: functions of a match."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from dateutil.relativedelta import relativedelta

from clausegraph.query.crag.time.clock import last_trading_day

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_SEASONS = {"spring": 3, "summer": 6, "fall": 9, "autumn": 9, "winter": 12}
_WORDS_TOO = ("may", "march", "mar", "dec", "jan", "sept")  # as a month only behind a word, or before a year
_SHORT = 5  # characters of an abbreviated weekday that stands alone
_COUNTS = {"few": 3, "couple of": 2, "a": 1, "an": 1}

Days = tuple[date | None, date | None]  # both included; none is open


@dataclass(frozen=True, slots=True)
class AskedDay:
    """The day of a question, and whether it is about what comes."""

    today: date
    ahead: bool


# --- parts of a calendar --------------------------------------------------------------------------


def _span(day: date, unit: str) -> tuple[date, date]:
    """The calendar day, week, month, quarter, year or decade of a day."""
    if unit == "day":
        return day, day
    if unit == "week":
        first = day - timedelta(days=day.weekday())
        return first, first + timedelta(days=6)
    if unit == "weekend":
        first = day - timedelta(days=day.weekday()) + timedelta(days=5)
        return first, first + timedelta(days=1)
    if unit == "month":
        first, length = day.replace(day=1), relativedelta(months=1)
    elif unit == "quarter":
        first, length = date(day.year, 3 * ((day.month - 1) // 3) + 1, 1), relativedelta(months=3)
    elif unit == "decade":
        first, length = date(day.year // 10 * 10, 1, 1), relativedelta(years=10)
    else:
        first, length = date(day.year, 1, 1), relativedelta(years=1)
    return first, first + length - timedelta(days=1)


def _step(unit: str, count: int) -> relativedelta:
    if unit == "quarter":
        return relativedelta(months=3 * count)
    if unit == "decade":
        return relativedelta(years=10 * count)
    return relativedelta(**{f"{'week' if unit == 'weekend' else unit}s": count})


def _number(written: str) -> int:
    lowered = written.lower()
    if lowered.isdigit():
        return int(lowered)
    return _COUNTS.get(lowered) or _NUMBERS.index(lowered)


def _month(written: str) -> int:
    return _MONTHS.index(written.lower()[:3]) + 1


def _weekday(written: str) -> int:
    return next(number for number, name in enumerate(_WEEKDAYS) if name.startswith(written.lower()[:3]))


def named(match: re.Match[str], asked: AskedDay) -> tuple[date, date] | None:
    """A day as it is written, by ``dateparser``: one without a year is the nearest on the right side."""
    import dateparser  # slow to import

    settings = {
        "RELATIVE_BASE": datetime.combine(asked.today, datetime.min.time()),
        "PREFER_DATES_FROM": "future" if asked.ahead else "past",
        "DATE_ORDER": "MDY",
        "REQUIRE_PARTS": ["day", "month"],
    }
    found = dateparser.parse(re.sub(r"\bof\b|\bthe\b", " ", match["day"]), languages=["en"], settings=settings)
    return None if found is None else (found.date(), found.date())


# --- meanings -------------------------------------------------------------------------------------


def relative_day(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """Yesterday, today, tomorrow and what lies beside them."""
    words = " ".join(match[0].lower().split())
    offsets = {"yesterday": -1, "last night": -1, "tomorrow": 1}
    if words.endswith("before yesterday"):
        offset = -2
    elif words.endswith("after tomorrow"):
        offset = 2
    else:
        offset = next((offset for name, offset in offsets.items() if words.startswith(name)), 0)
    day = asked.today + timedelta(days=offset)
    return day, day


def that_weekday(match: re.Match[str], asked: AskedDay) -> tuple[date, date] | None:
    """A weekday, with or without last, this, next; none where it may be another word."""
    number, which = _weekday(match["weekday"]), (match["which"] or "").lower()
    if len(match[0]) <= _SHORT:  # "sun" and "sat" are words too
        return None
    monday = asked.today - timedelta(days=asked.today.weekday())
    if which in ("last", "past", "previous"):
        day = monday + timedelta(days=number - 7)
    elif which in ("next", "coming"):
        day = monday + timedelta(days=number + 7)
    elif which == "this":
        day = monday + timedelta(days=number)
    elif asked.ahead:
        day = asked.today + timedelta(days=(number - asked.today.weekday()) % 7)
    else:
        day = asked.today - timedelta(days=(asked.today.weekday() - number) % 7)
    return day, day


def that_unit(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """Last, this, next week, month, …; "past" counts days back."""
    unit = match["unit"].lower()
    which = match["which"].lower()
    if which == "past":
        return asked.today - relativedelta(days=7) if unit == "week" else asked.today - _step(unit, 1), asked.today
    step = {"last": -1, "previous": -1, "next": 1, "coming": 1}.get(which, 0)
    return _span(asked.today + _step(unit, step), unit)


def so_far(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """From the beginning of a unit to the day of the question."""
    unit = (match["unit"] or "year").lower()
    return _span(asked.today, unit)[0], asked.today


def counted_back(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """The last so many units."""
    return asked.today - _step(match["unit"].lower(), _number(match["count"])), asked.today


def counted_ahead(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """The next so many units."""
    return asked.today, asked.today + _step(match["unit"].lower(), _number(match["count"]))


def ago(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """A point of the unit's own size: two months ago is a month, ten days ago a day."""
    unit = match["unit"].lower()
    sign = 1 if match["ahead"] else -1
    day = asked.today + _step(unit, sign * _number(match["count"]))
    return _span(day, unit) if unit not in ("day", "week") else (day, day)


def in_year(match: re.Match[str], asked: AskedDay) -> Days:
    """A year, with what stands before it."""
    year = int(match["year"])
    first, last = date(year, 1, 1), date(year, 12, 31)
    word = " ".join((match["word"] or "in").lower().split())
    if word in ("since", "from"):
        return first, asked.today
    if word in ("after",):
        return last + timedelta(days=1), None
    if word in ("before", "prior to"):
        return None, first - timedelta(days=1)
    if word in ("by", "until", "till", "up to", "through"):
        return None, last
    return first, last


def years(match: re.Match[str], asked: AskedDay) -> tuple[date, date] | None:
    """From a year to a year."""
    first, last = int(match["first"]), int(match["last"])
    if len(match["last"]) == 2:
        last += first // 100 * 100
    return (date(first, 1, 1), date(last, 12, 31)) if first <= last else None


def in_month(match: re.Match[str], asked: AskedDay) -> Days | None:
    """A month, with or without its year; none where it may be another word."""
    month, year = _month(match["month"]), match["year"]
    which = (match["which"] or "").lower()
    if match[0].lower() in _WORDS_TOO:
        return None
    if which in ("last", "next"):
        number = asked.today.year + (
            0 if (month < asked.today.month) == (which == "last") else {"last": -1, "next": 1}[which]
        )
        if month == asked.today.month:
            number = asked.today.year + {"last": -1, "next": 1}[which]
    elif year:
        number = int(year)
    elif asked.ahead:
        number = asked.today.year + (month < asked.today.month)
    else:
        number = asked.today.year - (month > asked.today.month)
    first, last = _span(date(number, month, 1), "month")
    return (first, asked.today) if (match["word"] or "").lower() == "since" else (first, last)


def in_quarter(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """A quarter; without a year the last one that has begun."""
    ordinals = {"first": 1, "second": 2, "third": 3, "fourth": 4}
    written = (match["number"] or match["ordinal"]).lower()
    number = int(written[0]) if written[0].isdigit() else ordinals[written]
    year = int(match["year"]) if match["year"] else asked.today.year
    first = date(year, 3 * number - 2, 1)
    if not match["year"] and first > asked.today and not asked.ahead:
        first = date(year - 1, first.month, 1)
    return _span(first, "quarter")


def half(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """Half a year."""
    year = int(match["year"])
    if match["half"].lower() == "first":
        return date(year, 1, 1), date(year, 6, 30)
    return date(year, 7, 1), date(year, 12, 31)


def part_of_year(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """Four months of a year."""
    year, part = int(match["year"]), match["part"].lower()
    months = {"early": (1, 4), "mid": (5, 8), "late": (9, 12)}[part]
    return date(year, months[0], 1), _span(date(year, months[1], 1), "month")[1]


def season(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """Three months, by meteorologists' count."""
    start = _SEASONS[match["season"].lower()]
    which = (match["which"] or "").lower()
    year = int(match["year"]) if match["year"] else asked.today.year + {"last": -1, "next": 1}.get(which, 0)
    first = date(year, start, 1)
    return first, first + relativedelta(months=3) - timedelta(days=1)


def decade(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """Ten years."""
    written = match["decade"]
    first = int(written) if len(written) == 4 else 1900 + int(written) if int(written) >= 30 else 2000 + int(written)
    return date(first, 1, 1), date(first + 9, 12, 31)


def century(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """A hundred years."""
    number = int(match["century"])
    return date(100 * number - 99, 1, 1), date(100 * number, 12, 31)


def present(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """The day of the question."""
    return asked.today, asked.today


def coming(match: re.Match[str], asked: AskedDay) -> tuple[date, None]:
    """From the day of the question on."""
    return asked.today, None


def traded(match: re.Match[str], asked: AskedDay) -> tuple[date, date]:
    """The last day on which the exchange was open."""
    day = last_trading_day(asked.today)
    return day, day


def since_day(match: re.Match[str], asked: AskedDay) -> Days | None:
    """From or up to a day."""
    day = named(match, asked)
    if day is None:
        return None
    word = match["word"].lower()
    if word == "since":
        return day[0], asked.today
    return (None, day[0] - timedelta(days=1)) if word == "before" else (day[0] + timedelta(days=1), None)
