"""Assertions that cannot both hold: another value, the opposite, or another threshold for the same thing.

Precision comes first: assertions are compared where subject, relation and object are the same, their pages are about
the same thing, and their conditions are the same. What a page lists itself (several values for one slot in one
element, or three and more on one page) is a list and no contradiction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from clausegraph.core.language.quantities import Quantity
from clausegraph.core.types import PageKey
from clausegraph.indexes.contradictions.assertions import ITSELF, OPPOSED, Assertion, Force
from clausegraph.indexes.contradictions.conditions import differs, other_threshold, same_conditions, takes_the_place
from clausegraph.indexes.graph.links import Replacement

VALUE, POLARITY, THRESHOLD = "value", "polarity", "threshold"
_LISTED = 3  # values of a slot on one page that make a list


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two assertions that cannot both hold at one time, the newer one first; ``superseded``: they do not, since the
    newer takes the place of the older. ``kind`` is value, polarity or threshold."""

    kind: str
    newer: Assertion
    older: Assertion
    superseded: bool

    @property
    def date(self) -> str:
        """When the newer of them was said or begins to hold."""
        return max(self.newer.date, self.older.date)


def find_conflicts(assertions: Iterable[Assertion], replaced: Iterable[Replacement] = ()) -> list[Conflict]:
    """Every pair of assertions in conflict, newest first; one of each two sentences.

    Args:
        replaced: pages that others take the place of, whatever dates either of them has.
    """
    newer_than = frozenset((one.older, one.newer) for one in replaced)
    groups: dict[object, list[Assertion]] = defaultdict(list)
    for assertion in assertions:
        groups[assertion.slot].append(assertion)
    found: dict[object, Conflict] = {}
    for group in groups.values():
        lists = _lists(group)
        for kind, one, other in _conflicting(group):
            if kind == VALUE and {_place(one), _place(other)} & lists:
                continue
            pair = one.slot[1], frozenset(((one.page, one.anchor), (other.page, other.anchor)))
            found.setdefault(pair, _ordered(kind, one, other, newer_than))
    return sorted(_next_only(found.values()), key=_order)


def _next_only(found: Iterable[Conflict]) -> Iterator[Conflict]:
    """Of what takes the place of an assertion, what does so first: not this year's rates for those of years ago."""
    first: dict[int, str] = {}
    found = list(found)
    for one in found:
        if one.superseded:
            start = one.newer.validity.start or one.newer.date
            first[id(one.older)] = min(first.get(id(one.older), start), start)
    for one in found:
        if not one.superseded or (one.newer.validity.start or one.newer.date) == first[id(one.older)]:
            yield one


def _order(one: Conflict) -> tuple[object, ...]:
    newer, older = one.newer, one.older
    recent = tuple(-ord(letter) for letter in one.date) or (0,)
    return (one.superseded, recent, str(newer.page), newer.anchor, str(older.page), older.anchor)


def _conflicting(group: Sequence[Assertion]) -> Iterator[tuple[str, Assertion, Assertion]]:
    """The pairs in conflict, with its kind; of those that say the same of the same thing one is compared for all."""
    alike: dict[object, list[Assertion]] = defaultdict(list)
    for one in group:
        alike[one.topic, one.named, one.in_table, one.force, _value(one), _conditions(one)].append(one)
    for mine, theirs in combinations(alike.values(), 2):
        if _about_one(mine[0], theirs[0]) and (kind := _conflict(mine[0], theirs[0])) is not None:
            for one, other in product(mine, theirs):
                # rows of tables on one page are about different things, as their headings say
                if one.page != other.page or not (one.anchor == other.anchor or one.in_table or kind == THRESHOLD):
                    yield kind, one, other


def _about_one(one: Assertion, other: Assertion) -> bool:
    """Whether both are about the same thing, and both in a table or neither."""
    if one.in_table is not other.in_table:
        return False
    if (one.topic, one.named) == (other.topic, other.named):
        return bool(one.topic) or one.named
    is_part = bool(one.topic and other.topic) and (one.topic <= other.topic or other.topic <= one.topic)
    return is_part or (one.named and other.named and one.slot[0] != ITSELF)


def _conflict(one: Assertion, other: Assertion) -> str | None:
    same = same_conditions(one.conditions, other.conditions)
    equal = _value(one)[:-2] == _value(other)[:-2]  # whether or not a bound itself is included
    if same and frozenset((one.force, other.force)) in OPPOSED:
        return POLARITY if equal else None
    if one.force is not other.force and {one.force, other.force} != {Force.HOLDS, Force.BINDS}:
        return None
    if same and one.value is not None and other.value is not None and differs(one.value, other.value):
        denied = one.force in (Force.BARS, Force.FREES) and one.value.exact  # "not £5" and "not £6" may both be so
        return None if denied else VALUE
    alike = equal and one.force is other.force
    return THRESHOLD if alike and other_threshold(one.conditions, other.conditions) is not None else None


def _value(assertion: Assertion) -> tuple[object, ...]:
    return () if assertion.value is None else _facts_of(assertion.value)


def _facts_of(value: Quantity) -> tuple[object, ...]:
    bounds = (value.low_included, value.high_included)
    return (value.kind, value.low, value.high, value.unit, value.period, value.trigger, *bounds)


def _conditions(assertion: Assertion) -> object:
    asked = ((one.words, one.negated, one.optional, tuple(map(_facts_of, one.values))) for one in assertion.conditions)
    return frozenset(Counter(asked).items())


def _place(assertion: Assertion) -> tuple[object, ...]:
    return assertion.page, _conditions(assertion), assertion.validity


def _lists(group: Sequence[Assertion]) -> set[tuple[object, ...]]:
    """Pages, with a set of conditions, on which the slot has many values, or several in one element."""
    values: dict[tuple[object, ...], dict[object, set[str]]] = defaultdict(lambda: defaultdict(set))
    for assertion in group:
        if assertion.value is not None:
            values[_place(assertion)][_value(assertion)].add(assertion.anchor)
    return {
        place
        for place, found in values.items()
        if len(found) >= _LISTED or len({anchor for anchors in found.values() for anchor in anchors}) < len(found)
    }


def _ordered(kind: str, one: Assertion, other: Assertion, newer_than: frozenset[tuple[PageKey, PageKey]]) -> Conflict:
    for older, newer in ((one, other), (other, one)):
        if (older.page, newer.page) in newer_than:
            return Conflict(kind, newer, older, superseded=True)
    for older, newer in ((one, other), (other, one)):
        if takes_the_place(older.validity, newer.validity, older.updated, newer.updated):
            return Conflict(kind, newer, older, superseded=True)
    newer, older = sorted((one, other), key=lambda side: (side.date, str(side.page), side.anchor), reverse=True)
    return Conflict(kind, newer, older, superseded=False)
