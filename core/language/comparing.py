"""Two values compared: whether they are the same, and whether one lies within another."""

from __future__ import annotations

from dataclasses import replace

from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.quantities import Quantity

_A_YEAR = {"day": 365.0, "week": 52.0, "fortnight": 26.0, "month": 12.0, "quarter": 4.0, "year": 1.0, "tax year": 1.0}
_WHOLE_MONTHS = frozenset({"month", "quarter", "year", "tax year"})
_DAYS = {  # shortest and longest that one of a unit is, in days
    "hour": (1 / 24, 1 / 24),
    "day": (1.0, 1.0),
    "working day": (1.0, 2.0),
    "month": (28.0, 31.0),
}
_OF_YEARS = (365.0 / 12, 366.0 / 12)  # the same of a month, from a year on
_ABOUT = 0.1  # how far "about £500" may be from it, as a share
_WEEKS_OF_YEAR = 0.01  # and a year's amount from 52 of a week's

Ends = tuple[tuple[float, float] | None, tuple[float, float] | None]


def same_value(one: Quantity, other: Quantity) -> bool | None:
    """Whether two statements of one matter give the same value; None where these cannot be compared.

    Nor can what counts from different events, is for different periods, or is only about so much.
    """
    alike = one.kind == other.kind and one.unit == other.unit and one.period == other.period and one.per == other.per
    if not alike or one.about or other.about:
        return None
    if entity_key(one.trigger or "none") != entity_key(other.trigger or "none") or (
        one.trigger and one.relation != other.relation
    ):
        return None
    same_ends = one.low == other.low and one.high == other.high
    return same_ends and one.low_included == other.low_included and one.high_included == other.high_included


def lies_within(value: Quantity, bound: Quantity) -> bool | None:
    """Whether a value ("I have worked there 3 weeks") meets a bound ("at least 1 month").

    False where it surely does not, None where that cannot be said: they are of different things, counted from
    different events, or the value's interval reaches over an end of the bound's.
    """
    value = _numbered_as(value, bound)
    if value.kind != bound.kind or value.per not in ("", bound.per):
        return None
    if value.trigger and bound.trigger and entity_key(value.trigger) != entity_key(bound.trigger):
        return None
    if value.kind == "duration":
        if value.period != bound.period:
            return None
        ends, limits = _in_days(value, bound), _in_days(bound, value)
    else:
        if value.unit != bound.unit:
            return None
        factor = _factor(value.period, bound.period)
        if factor is None:
            return None
        ends, limits = _ends(value, *factor), _ends(bound)
    return _inside(ends, limits, bound)


def _numbered_as(value: Quantity, bound: Quantity) -> Quantity:
    """A bare number as the age it is compared with: "I am 17"."""
    bare = value.kind == "number" and not value.unit and bound.kind == "age"
    return replace(value, kind="age", unit="year") if bare else value


def _factor(period: str, wanted: str) -> tuple[float, float] | None:
    """What an amount of one period is to be multiplied with for another, and how far that may be off."""
    if period == wanted:
        return 1.0, 0.0
    if period not in _A_YEAR or wanted not in _A_YEAR:
        return None
    exact = {period, wanted} <= _WHOLE_MONTHS
    return _A_YEAR[period] / _A_YEAR[wanted], 0.0 if exact else _WEEKS_OF_YEAR


def _ends(quantity: Quantity, factor: float = 1.0, off: float = 0.0) -> Ends:
    off += _ABOUT if quantity.about else 0.0

    def end(value: float | None) -> tuple[float, float] | None:
        return None if value is None else (value * factor * (1 - off), value * factor * (1 + off))

    return end(quantity.low), end(quantity.high)


def _in_days(quantity: Quantity, beside: Quantity) -> Ends:
    """Both ends in days; where both are of one unit, in that."""
    if quantity.unit == beside.unit:
        return _ends(quantity)

    def end(value: float | None) -> tuple[float, float] | None:
        if value is None:
            return None
        shortest, longest = _OF_YEARS if quantity.unit == "month" and value >= 12 else _DAYS[quantity.unit]
        return value * shortest, value * longest

    return end(quantity.low), end(quantity.high)


def _inside(value: Ends, bound: Ends, limits: Quantity) -> bool | None:
    """Whether an interval lies in another: surely, surely not, or neither."""
    (low, high), (least, most) = value, bound
    beyond = least is not None and high is not None and _below(high[1], least[0], limits.low_included)
    beyond = beyond or (most is not None and low is not None and _below(most[1], low[0], limits.high_included))
    if beyond:
        return False
    enough = least is None or (low is not None and not _below(low[0], least[1], limits.low_included))
    within = most is None or (high is not None and not _below(most[0], high[1], limits.high_included))
    return True if enough and within else None


def _below(one: float, other: float, included: bool) -> bool:
    """Whether a value stays under an end that belongs to the interval, or reaches at most one that does not."""
    return one < other if included else one <= other
