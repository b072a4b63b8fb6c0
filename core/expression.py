"""Evaluate an expression that a model wrote: numbers, days and units; no names, attributes, loops or text handling.

The evaluator is ``simpleeval``, with operators and functions of ours that check their operands: each step takes
constant time, and the length bounds the steps. Units are ``pint``'s (decision 0044).
"""

from __future__ import annotations

import ast
import math
import operator
import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from simpleeval import InvalidExpression, SimpleEval

LONGEST = 500  # characters of an expression
_MOST_NODES = 200
_MOST = 1e30  # of a number on the way
_MOST_POWER = 100
_MOST_STEPS = 100_000  # days, weeks, months or years that a day is moved by
_MOST_DIGITS = 12  # that are rounded to; Python would compute 10 to the power of a million before it says 0
_ONE_UNIT = r"[A-Za-z°%][A-Za-z0-9°]{0,20}(?: ?(?:\*\*|\^) ?-?[1-9])?"
_UNIT = re.compile(rf"{_ONE_UNIT}(?: ?[*/ ] ?{_ONE_UNIT}){{0,4}}")  # pint computes powers of powers as it reads a unit
Value = int | float | bool | date


class ExpressionRefused(Exception):
    """It is no expression of the allowed kind, or its value is not defined."""


def evaluate(expression: str) -> Value:
    """The value of an expression.

    Raises:
        ExpressionRefused: it is too long, uses what is not allowed, or has no value (a division by zero).
    """
    if len(expression) > LONGEST:
        raise ExpressionRefused(f"an expression has at most {LONGEST} characters, this one {len(expression)}")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        if sum(1 for _ in ast.walk(tree)) > _MOST_NODES:
            raise ExpressionRefused(f"an expression has at most {_MOST_NODES} parts")
        value = _Evaluator().eval(expression.strip())
    except (
        InvalidExpression,
        SyntaxError,
        TypeError,
        ValueError,
        ArithmeticError,
        RecursionError,
        MemoryError,
    ) as error:
        raise ExpressionRefused(f"{expression!r:.120} cannot be computed: {error}") from error
    if isinstance(value, str) or not isinstance(value, (int, float, date)) or _is_nan(value):
        raise ExpressionRefused(f"{expression!r:.120} gives no number and no day")
    return value


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def in_words(value: Value) -> str:
    """A value as it is written in a reference."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, date):
        return value.isoformat()
    text = f"{value:.10g}"
    return text if "e" not in text else f"{value:,.0f}".replace(",", "") if abs(value) >= 1 else text


class _Evaluator(SimpleEval):  # type: ignore[misc]
    """With nothing but constants, operators, comparisons, a choice, and calls of the functions below."""

    def __init__(self) -> None:
        super().__init__(operators=_OPERATORS, functions=_FUNCTIONS, names={"True": True, "False": False})
        allowed = (ast.Expr, ast.Constant, ast.Name, ast.UnaryOp, ast.BinOp, ast.Compare, ast.IfExp, ast.Call)
        handlers: dict[type, Any] = vars(self)["nodes"]
        self.nodes = {kind: handle for kind, handle in handlers.items() if kind in allowed}


# --- operators: of numbers and days, bounded ------------------------------------------------------


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{value!r:.40} is no number")
    if abs(value) > _MOST:
        raise ValueError("a number is too large")
    return value


def _of_numbers(compute: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*values: Any) -> Any:
        return _number(compute(*map(_number, values)))

    return checked


def _add(one: Any, other: Any) -> Any:
    return (
        one + timedelta(days=int(_number(other))) if isinstance(one, date) else _number(_number(one) + _number(other))
    )


def _subtract(one: Any, other: Any) -> Any:
    if isinstance(one, date):
        return (one - other).days if isinstance(other, date) else one - timedelta(days=int(_number(other)))
    return _number(_number(one) - _number(other))


def _power(base: Any, exponent: Any) -> Any:
    if abs(_number(exponent)) > _MOST_POWER:
        raise ValueError(f"an exponent is at most {_MOST_POWER}")
    return _number(float(_number(base)) ** exponent)


def _comparable(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def checked(one: Any, other: Any) -> bool:
        if not (isinstance(one, date) and isinstance(other, date)):
            _number(one), _number(other)
        return compare(one, other)

    return checked


_OPERATORS = {
    ast.Add: _add,
    ast.Sub: _subtract,
    ast.Mult: _of_numbers(operator.mul),
    ast.Div: _of_numbers(operator.truediv),
    ast.FloorDiv: _of_numbers(operator.floordiv),
    ast.Mod: _of_numbers(operator.mod),
    ast.Pow: _power,
    ast.USub: _of_numbers(operator.neg),
    ast.UAdd: _of_numbers(operator.pos),
    ast.Eq: _comparable(operator.eq),
    ast.NotEq: _comparable(operator.ne),
    ast.Gt: _comparable(operator.gt),
    ast.Lt: _comparable(operator.lt),
    ast.GtE: _comparable(operator.ge),
    ast.LtE: _comparable(operator.le),
}


# --- functions ------------------------------------------------------------------------------------


def _day(text: Any) -> date:
    if not isinstance(text, str):
        raise TypeError("a day is written as date('2024-03-05')")
    return date.fromisoformat(text)


def _of_days(compute: Callable[..., Any], use: str) -> Callable[..., Any]:
    def checked(*days: Any) -> Any:
        if not all(isinstance(day, date) for day in days):
            raise TypeError(use)
        return compute(*days)

    return checked


def _years(first: date, last: date) -> int:
    """Whole years between two days, as an age is counted."""
    return last.year - first.year - ((last.month, last.day) < (first.month, first.day))


def _months(first: date, last: date) -> int:
    return (last.year - first.year) * 12 + last.month - first.month - (last.day < first.day)


def _later(day: Any, count: Any, unit: Any) -> date:
    """A day so many days, weeks, months, years or working days later; working days are Monday to Friday."""
    from dateutil.relativedelta import relativedelta

    if not isinstance(day, date):
        raise TypeError("later(day, count, unit) takes a day")
    steps = int(_number(count))
    if abs(steps) > _MOST_STEPS:
        raise ValueError(f"a day is moved by at most {_MOST_STEPS}")
    if unit == "working day":
        # one before Saturday is Friday, one after it Monday
        roll: Literal["forward", "backward"] = "forward" if steps < 0 else "backward"
        moved: date = np.busday_offset(day, steps, roll=roll).astype(object)
        return moved
    if unit not in ("day", "week", "month", "year"):
        raise ValueError("a unit is 'day', 'week', 'month', 'year' or 'working day'")
    later: date = day + relativedelta(**{f"{unit}s": steps})
    return later


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*values: Any) -> Any:
        if not values:
            raise ValueError("there is nothing to choose from")
        return choose(values if all(isinstance(one, date) for one in values) else [_number(one) for one in values])

    return checked


def _mean(*values: Any) -> float:
    return float(_number(sum(map(_number, values)) / len(values)))


def _convert(value: Any, unit: Any, to: Any) -> float:
    """A quantity in another unit: ``convert(5, 'mile', 'km')``."""
    from pint import PintError

    for name in (unit, to):
        if not isinstance(name, str) or not _UNIT.fullmatch(name):
            raise ValueError(f"{name!r:.40} is no unit")
    try:
        return float(_number(_units().Quantity(_number(value), unit).to(to).magnitude))
    except (PintError, AssertionError, AttributeError, KeyError) as error:
        raise ValueError(f"{unit} cannot be converted to {to}: {error}") from error


@lru_cache(maxsize=1)
def _units() -> Any:
    from pint import UnitRegistry

    return UnitRegistry(cache_folder=None)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "date": _day,
    "years": _of_days(_years, "years(first, last) takes two days"),
    "months": _of_days(_months, "months(first, last) takes two days"),
    "year": _of_days(lambda day: day.year, "year(day) takes a day"),
    "abs": _of_numbers(abs),
    "round": lambda value, digits=0: round(_number(value), max(-_MOST_DIGITS, min(int(_number(digits)), _MOST_DIGITS))),
    "sqrt": _of_numbers(math.sqrt),
    "log": _of_numbers(math.log),
    "max": _extreme(max),
    "min": _extreme(min),
    "sum": lambda *values: _number(sum(map(_number, values))),
    "mean": _mean,
    "convert": _convert,
    "later": _later,
    "month_end": _of_days(
        lambda day: day.replace(day=monthrange(day.year, day.month)[1]), "month_end(day) takes a day"
    ),
}
