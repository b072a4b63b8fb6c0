"""Values that a sentence says were computed: code computes them, from numbers that the sources or the person state."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import date

from clausegraph.core.expression import ExpressionRefused, Value, evaluate
from clausegraph.core.language.values import Atom, atoms
from clausegraph.query.read.model.reply import DraftSentence
from clausegraph.query.read.model.support import CitedSupport

_CONVERSIONS = frozenset({0, 1, 7, 12, 24, 52, 60, 100})  # days of a week, months of a year … of no page
_LEAST = 0.0051  # a value is written with two decimals at most
_PENCE = re.compile(r"\d ?(?:p|pence|c|cents?)\b")
_SIGNS = {"*": " × ", "/": " ÷ ", "+": " + ", "-": " − "}
_DATE = re.compile(r"date\('(\d{4}-\d\d-\d\d)'\)")
_LATER = re.compile(r"later\((.+?), (\d+), '([a-z ]+)'\)")


@dataclass(frozen=True, slots=True)
class Sums:
    """The computed values of a sentence as written in it, how each came about, and what is wrong with them.

    ``results`` are the values that further sums may use: those of the sentence, and what it was given.
    """

    values: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    results: frozenset[Value] = frozenset()


def computed_sums(drafted: DraftSentence, support: CitedSupport, known: frozenset[Value] = frozenset()) -> Sums:
    """The sums of a sentence, recomputed; ``known`` are the results of those before it."""
    values, shown, problems, results = [], [], [], set(known)
    for value, expression in drafted.sums:
        problem = _problem(value, expression, support, results)
        if problem:
            problems.append(problem)
            continue
        results.add(evaluate(expression))
        if value.lower() in drafted.text.lower():
            values += _as_written(value, drafted.text)
            if _computes(expression):
                shown.append(f"{_in_signs(expression)} = {value}")
    return Sums(tuple(values), tuple(dict.fromkeys(shown)), tuple(problems), frozenset(results))


def _problem(value: str, expression: str, support: CitedSupport, results: Set[Value]) -> str:
    try:
        result = evaluate(expression)
    except ExpressionRefused as refused:
        return f"the sum {expression[:80]!r} cannot be computed ({refused})"
    unknown = next((part for part in _unknown_parts(expression, support) if part not in results), None)
    if unknown is not None:
        return f"the sum {expression[:80]!r} uses {unknown}, which neither its sources nor the person state"
    if not _is_written(result, value):
        return f"the sum {expression[:80]!r} is {result}, not {value!r}"
    return ""


def _as_written(value: str, text: str) -> list[str]:
    """A value with its unit, wherever it stands in a text: "21 days" of "21"."""
    starts = [found.start() for found in re.finditer(re.escape(value), text, re.IGNORECASE)]
    return [
        value,
        *(text[one.start : one.end] for one in atoms(text) if any(one.start <= at < one.end for at in starts)),
    ]


def _computes(expression: str) -> bool:
    """Whether an expression is more than one number or day."""
    body = ast.parse(expression.strip(), mode="eval").body
    return not isinstance(body, ast.Constant) and not _is_date(body)


def _unknown_parts(expression: str, support: CitedSupport) -> Iterator[float | date]:
    """The numbers and days of an expression that nobody states; a day that is known may be written as a sum."""
    pending: list[ast.AST] = [ast.parse(expression.strip(), mode="eval").body]
    while pending:
        node = pending.pop()
        part = _part_of(node)
        if part is not None and _is_known(part, support):
            continue
        if isinstance(node, ast.Constant) or _is_date(node):
            yield from () if part is None else (part,)
        else:
            pending += ast.iter_child_nodes(node)


def _part_of(node: ast.AST) -> float | date | None:
    """The number of a constant, the day of anything that gives one."""
    if isinstance(node, ast.Constant):
        return float(node.value) if isinstance(node.value, int | float) else None
    if not isinstance(node, ast.Call | ast.BinOp):
        return None
    try:
        value = evaluate(ast.unparse(node))
    except ExpressionRefused:  # of a branch that was not taken
        return None
    return value if isinstance(value, date) else None


def _is_date(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "date"


def _is_known(part: float | date, support: CitedSupport) -> bool:
    if isinstance(part, date):
        return support.values.has_day(part)
    same = (part, 100 * part, 100 - part, 100 * (1 - part))  # 10% off is 10 / 100, 0.1, 90 / 100 or 0.9
    return part in _CONVERSIONS or any(support.values.has_number(one) for one in same)


def _is_written(result: Value, written: str) -> bool:
    """Whether a text states the result: "£62.50", "30 June 2026", "30 June"."""
    if isinstance(result, bool):
        return False  # a comparison computes no value that could be written
    if isinstance(result, date):
        return any(_is_day(atom, result) for atom in atoms(written))
    numbers = [atom for atom in atoms(written) if atom.kind != "date"]
    pence = 100 if _PENCE.search(written) else 1
    close = (abs(factor * atom.low / atom.scale - result) < _LEAST for atom in numbers for factor in (1, pence))
    return any(close) or written.strip() == f"{result:g}"


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
