"""Schedules as cron writes them: whether a field is one, and when a schedule is due next."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))  # minute, hour, day of month, month, day of week
_PRESETS = {"@hourly": "0 * * * *", "@daily": "0 0 * * *", "@weekly": "0 0 * * 0", "@monthly": "0 0 1 * *"}
_AHEAD = 366  # days that are looked at


def next_run(schedule: str | None, now: datetime) -> datetime | None:
    """The first moment after ``now`` that a schedule of the settings means, on the clock of ``now``; Airflow's is UTC.
    None where there is no schedule, no such moment within a year, or where it is of another form than five fields of
    numbers.
    """
    fields = _PRESETS.get(schedule or "", schedule or "").split()
    if len(fields) != len(RANGES) or not all(map(is_field, fields, RANGES)):
        return None
    minutes, hours, days, months, week = map(_numbers, fields, RANGES)
    either = "*" not in (fields[2][0], fields[4][0])  # of the two kinds of days, as cron has it
    for ahead in range(_AHEAD):
        day = (now + timedelta(days=ahead)).replace(second=0, microsecond=0)
        of = (day.day in days, day.isoweekday() in week or day.isoweekday() - 7 in week)
        if day.month in months and (any(of) if either else all(of)):
            moments = (day.replace(hour=hour, minute=minute) for hour in sorted(hours) for minute in sorted(minutes))
            if found := next((moment for moment in moments if moment > now), None):
                return found
    return None


def _numbers(field: str, within: tuple[int, int]) -> set[int]:
    """What a field of cron means."""
    found: set[int] = set()
    for part in field.split(","):
        ends, _, step = part.partition("/")
        first, _, last = (f"{within[0]}-{within[1]}" if ends == "*" else ends).partition("-")
        end = int(last) if last else within[1] if step else int(first)
        found.update(range(int(first), end + 1, int(step or 1)))
    return found


def is_field(text: str, within: tuple[int, int]) -> bool:
    """Whether it is a field of numbers, as "*/15" or "1-5,7"."""
    numbers = [int(one) for one in re.findall(r"(?<![/\d])\d+", text)]
    form = r"(\*|\d+(-\d+)?)(/[1-9]\d*)?"
    return re.fullmatch(rf"{form}(,{form})*", text, re.ASCII) is not None and all(
        within[0] <= number <= within[1] for number in numbers
    )
