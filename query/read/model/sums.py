"""Values that a sentence says were computed: code computes them, from numbers that the sources or the person state."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from clausegraph.core.expression import ExpressionRefused, Value, evaluate
from clausegraph.core.language.amounts import Atom, atoms
from clausegraph.query.read.model.reply import DraftSentence
from clausegraph.query.read.model.support import CitedSupport

_CONVERSIONS = frozenset({0, 1, 7, 12, 24, 52, 60, 100})  # days of a week, months of a year … of no page
_LEAST = 0.0051  # a value is written with two decimals at most
_SIGNS = {"*": " × ", "/": " ÷ ", "+": " + ", "-": " − "}
_DATE = re.compile(r"date\('(\d{4}-\d\d-\d\d)'\)")
_LATER = re.compile(r"later\((.+?), (\d+), '([a-z ]+)'\)")


@dataclass(frozen=True, slots=True)
class Sums:
    """The computed values of a sentence as written in it, how each came about, and what is wrong with them."""

    values: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def computed_sums(drafted: DraftSentence, support: CitedSupport) -> Sums:
    """The sums of a sentence, recomputed."""
    values, shown, problems = [], [], []
    for value, expression in drafted.sums:
        problem = _problem(value, expression, support)
        if problem:
            problems.append(problem)
        elif value.lower() in drafted.text.lower():
            values.append(value)
            shown.append(f"{_in_signs(expression)} = {value}")
    return Sums(tuple(values), tuple(dict.fromkeys(shown)), tuple(problems))


def _problem(value: str, expression: str, support: CitedSupport) -> str:
    try:
        result = evaluate(expression)
    except ExpressionRefused as refused:
        return f"the sum {expression[:80]!r} cannot be computed ({refused})"
    unknown = next((part for part in _parts(expression) if not _is_known(part, support)), None)
    if unknown is not None:
        return f"the sum {expression[:80]!r} uses {unknown}, which neither its sources nor the person state"
    if not _is_written(result, value):
        return f"the sum {expression[:80]!r} is {result}, not {value!r}"
    return ""


def _parts(expression: str) -> Iterator[float | date]:
    """The numbers and days of an expression that was computed before."""
    for node in ast.walk(ast.parse(expression.strip(), mode="eval")):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            yield float(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "date":
            day = evaluate(ast.unparse(node))
            if isinstance(day, date):
                yield day


def _is_known(part: float | date, support: CitedSupport) -> bool:
    if isinstance(part, date):
        return part == support.today or support.values.has_day(part)
    return part in _CONVERSIONS or support.values.has_number(part)


def _is_written(result: Value, written: str) -> bool:
    """Whether a text states the result: "£62.50", "30 June 2026", "30 June"."""
    if isinstance(result, bool):
        return False  # a comparison computes no value that could be written
    if isinstance(result, date):
        return any(_is_day(atom, result) for atom in atoms(written))
    numbers = [atom for atom in atoms(written) if atom.kind != "date"]
    return any(abs(atom.low / atom.scale - result) < _LEAST for atom in numbers) or written.strip() == f"{result:g}"


def _is_day(atom: Atom, day: date) -> bool:
    if atom.kind != "date":
        return False
    return atom.low == (day.toordinal() if atom.unit == "date" else day.month * 100 + day.day)


def _in_signs(expression: str) -> str:
    """An expression as people write it: "5 × 12.50", "2 June 2026 + 28 days"."""
    text = _DATE.sub(lambda found: _day(found[1]), expression.strip())
    text = _LATER.sub(lambda found: f"{found[1]} + {found[2]} {found[3]}{'s' if found[2] != '1' else ''}", text)
    for sign, written in _SIGNS.items():
        text = re.sub(rf"(?<=[\d)])\s*{re.escape(sign)}\s*(?=[\d(])", written, text)
    return text


def _day(iso: str) -> str:
    day = date.fromisoformat(iso)
    return f"{day.day} {day:%B %Y}"
