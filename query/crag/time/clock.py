"""Query times as they are written, and days on which New York's stock exchange trades."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

from dateutil.easter import easter
from dateutil.relativedelta import MO, TH, relativedelta

from clausegraph.core.errors import InputError

_ZONES = {
    "PT": "America/Los_Angeles",
    "PST": "America/Los_Angeles",
    "PDT": "America/Los_Angeles",
    "ET": "America/New_York",
    "EST": "America/New_York",
    "EDT": "America/New_York",
    "CT": "America/Chicago",
    "MT": "America/Denver",
    "UTC": "UTC",
    "GMT": "UTC",
}
_WRITTEN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}),?\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([A-Z]{2,4})?")


def parse_time(text: str) -> datetime:
    """A time with its zone: ``2024-03-05T10:00-08:00``, or as CRAG writes it, ``03/05/2024, 23:18:31 PT``.

    Raises:
        InputError: it is neither, or names no zone.
    """
    found = _WRITTEN.fullmatch(text.strip())
    try:
        if found:
            month, day, year, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
            zone = ZoneInfo(_ZONES[found[7] or "PT"])
            return datetime(year, month, day, hour, minute, second, tzinfo=zone)
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except (ValueError, KeyError) as error:
        raise InputError(f"time {text!r} is not understood; give 2024-03-05T10:00-08:00") from error
    if moment.tzinfo is None:
        raise InputError(f"time {text!r} has no zone; give 2024-03-05T10:00-08:00 (or Z for UTC)")
    return moment


def now() -> datetime:
    """The present moment, in this machine's zone."""
    return datetime.now(timezone.utc).astimezone()  # noqa: UP017 (plain on purpose)


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
