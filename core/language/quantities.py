"""Values that can be compared: "up to £600 a year", "18 or over", "within 30 days of the decision" as numbers.

A quantity is an interval with a unit. Money is in its currency, durations in hours, days, working days or months
(a year is 12), dates in days since 1 January of year 1, days of any year ("6 April") as month × 100 + day. Pure
functions; what is not surely one value is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from clausegraph.core.language.amounts import Atom, atoms
from clausegraph.core.language.bounds import (
    after_value,
    before_value,
    counts_many,
    joins_range,
    opens_range,
    superlative,
    unit_after,
)
from clausegraph.core.types import Literal, Statement

_NEAR = 160  # characters on either side of a value that are looked at
_YOUNGEST = 10  # "over 18" is an age, "over 5" is not surely one


@dataclass(frozen=True, slots=True)
class Quantity:
    """An interval of values; both ends are the same for a plain one, an open end is None.

    ``period`` is the time an amount is for ("week" in "£20 a week"), ``per`` who or what else ("child").
    ``trigger`` is what a duration is counted from, in the text's words, ``relation`` how ("after", "before", "of");
    "now" for "ago" and "in the last". ``about``: the text says that it is only near. ``start`` and ``end`` are where
    it stands in the text it was read from.
    """

    kind: str  # amount, percent, age, date, duration, number
    low: float | None
    high: float | None
    unit: str = ""
    low_included: bool = True
    high_included: bool = True
    period: str = ""
    per: str = ""
    relation: str = ""
    trigger: str = ""
    about: bool = False
    start: int = 0
    end: int = 0

    @property
    def exact(self) -> bool:
        """Whether it is one value and no bound or range."""
        return self.low is not None and self.low == self.high


@dataclass(frozen=True, slots=True)
class Whichever:
    """ "The 1st or 15th, whichever is later": ``which`` is "latest", "earliest", "highest" or "lowest"."""

    which: str
    options: tuple[Quantity, ...]


def read_quantity(value: Literal | str) -> Quantity | Whichever | None:
    """The one value that a literal or text states; none where there is none, or are several that nothing joins."""
    text = value.value if isinstance(value, Literal) else value
    found = tuple(find_quantities(text))
    which = superlative(text)
    if which:
        return Whichever(which, found) if found else None
    return found[0] if len(found) == 1 else None


def statement_quantity(statement: Statement) -> Quantity | Whichever | None:
    """The value of a statement's object, with the bound that its relation has: "applies within" "30 days of …"."""
    if not isinstance(statement.object, Literal):
        return None
    lead = " ".join(statement.relation.split()[-3:])
    bounded = before_value(lead)
    return read_quantity(f"{lead} {statement.object.value}" if bounded.found else statement.object)


def find_quantities(text: str) -> Iterator[Quantity]:
    """The values that a text states, from left to right; a range is one."""
    found = list(atoms(text))
    i = 0
    while i < len(found):
        first, last = found[i], found[i]
        ranged = i + 1 < len(found) and _is_range(text, first, found[i + 1])
        if ranged:
            i += 1
            last = found[i]
        elif i + 1 < len(found) and _continues(text, first, found[i + 1]):  # "2 years and 6 months"
            i += 1
            last = found[i]
            first = replace(first, low=first.low + last.low, high=first.high + last.high, end=last.end)
            last = first
        i += 1
        quantity = _quantity(text, first, last, ranged)
        if quantity is not None:
            yield quantity


def _before(text: str, atom: Atom) -> str:
    return text[max(0, atom.start - _NEAR) : atom.start]


def _is_range(text: str, first: Atom, second: Atom) -> bool:
    between = text[first.end : second.start]
    compatible = first.unit == second.unit and first.kind == second.kind
    bare = first.kind == "number" and not first.unit  # "5 to 10 years", "16 to 24 years old"
    return joins_range(between, opens_range(_before(text, first))) and (compatible or bare or second.kind == "number")


def _continues(text: str, first: Atom, second: Atom) -> bool:
    joined = text[first.end : second.start].strip() in ("and", "")
    return joined and first.kind == second.kind == "duration" and first.unit == second.unit and first.low > second.low


def _quantity(text: str, first: Atom, last: Atom, ranged: bool) -> Quantity | None:
    """The quantity of one atom, or of the two ends of a range, with the words around it."""
    shape = last if first.kind == "number" and last.kind != "number" else first
    scale = shape.scale if ranged and first.kind == "number" and last.kind != "number" else 1.0
    before = before_value(_before(text, first), shape.kind)
    after = after_value(text[last.end : last.end + _NEAR], shape.kind)
    kind, unit = shape.kind, shape.unit
    if kind == "number":
        following = text[last.end + after.bound_end : last.end + _NEAR]
        by_company = before.of_age and first.low >= _YOUNGEST and not ranged
        if after.of_age or before.says_age or (by_company and not counts_many(following)):
            kind, unit = "age", "year"
        else:
            unit = unit_after(following)
            if not unit and first.spelled:
                return None
    low: float | None = first.low * scale
    high: float | None = last.high
    low_included = high_included = True
    bound = after.bound or ("" if ranged else before.bound)
    if bound in ("at least", "more than"):
        high, low_included = None, bound == "at least"
    elif bound in ("at most", "less than"):
        low, high_included = None, bound == "at most"
    return Quantity(
        kind,
        low,
        high,
        unit,
        low_included,
        high_included,
        after.period,
        after.per,
        after.relation if kind in ("duration", "date") else "",
        before.trigger or (after.trigger if kind in ("duration", "date") else ""),
        before.about,
        first.start,
        last.end,
    )
