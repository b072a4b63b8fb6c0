"""Assertions that cannot both hold: another value, the opposite, or another threshold for the same thing.

Precision comes first: assertions are compared where subject, relation and object are the same, their pages are about
the same thing, and their conditions are the same. What a page lists itself (several values for one slot in one
element, or three and more on one page) is a list and no contradiction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from clausegraph.core.language.quantities import Quantity
from clausegraph.core.types import PageKey
from clausegraph.indexes.contradictions.assertions import ITSELF, OPPOSED, Assertion, Force
from clausegraph.indexes.contradictions.conditions import (
    condition_frame,
    differs,
    other_threshold,
    same_conditions,
    takes_the_place,
)
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
        for one, other in _comparable(group):
            kind = _conflict(one, other)
            if kind == VALUE and (_is_listed(one, lists) or _is_listed(other, lists)):
                continue
            if kind is not None:
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


def _comparable(group: Sequence[Assertion]) -> Iterator[tuple[Assertion, Assertion]]:
    """Pairs about the same thing, from two elements."""
    by_topic: dict[tuple[frozenset[str], bool], list[Assertion]] = defaultdict(list)
    for assertion in group:
        by_topic[assertion.topic, assertion.named].append(assertion)
    for (one, _), mine in by_topic.items():
        yield from _pairs(mine, mine) if one or mine[0].named else ()
    for (one, named), (other, also) in combinations(by_topic, 2):
        if _about_one(one, other) or (named and also and group[0].slot[0] != ITSELF):
            yield from _pairs(by_topic[one, named], by_topic[other, also])


def _pairs(mine: Sequence[Assertion], theirs: Sequence[Assertion]) -> Iterator[tuple[Assertion, Assertion]]:
    """Pairs in which something may conflict, in order: most assertions of a slot say the same and are never paired."""
    places: dict[_Key, dict[_Class, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, other in enumerate(theirs):
        for key, kind in _keys(other):
            places[key][kind].append(number)
    for number, one in enumerate(mine):
        near = {
            place
            for key, kind in _keys(one)
            for also, found in places.get(key, {}).items()
            if _may_conflict(kind, also)
            for place in found
            if mine is not theirs or place > number
        }
        for place in sorted(near):
            other = theirs[place]
            # rows of tables on one page are about different things, as their headings say
            if one.page != other.page or not (one.anchor == other.anchor or one.in_table):
                yield one, other


_Key = tuple[object, ...]  # what must be equal for a conflict
_Class = tuple[Force, tuple[object, ...], object, object]  # what must not be: two of one class agree


def _keys(said: Assertion) -> Iterator[tuple[_Key, _Class]]:
    """One for the conditions as a whole, and one for each requirement that has a value."""
    content = _content(said)
    yield (said.in_table, condition_frame(said.conditions)), (said.force, content, _ends(said.value), None)
    for one in said.conditions:
        if len(one.values) == 1 and not one.optional:
            asked = (said.in_table, said.force, content, one.words, one.negated)
            yield asked, (said.force, content, None, (_facts_of(one.values[0]), _ends(one.values[0])))


def _may_conflict(one: _Class, other: _Class) -> bool:
    (force, value, ends, asked), (other_force, other_value, other_ends, other_asked) = one, other
    if asked is not None:
        return asked != other_asked
    opposed = value == other_value and frozenset((force, other_force)) in OPPOSED
    return opposed or (bool(value and other_value) and (value, ends) != (other_value, other_ends))


def _ends(value: Quantity | None) -> object:
    """Whether the bounds are of the value: "over 65" is not "65 or over"."""
    return None if value is None else (value.low_included, value.high_included)


def _about_one(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and (one <= other or other <= one)


def _conflict(one: Assertion, other: Assertion) -> str | None:
    same = same_conditions(one.conditions, other.conditions)
    if same and frozenset((one.force, other.force)) in OPPOSED:
        return POLARITY if _equal_values(one, other) else None
    if one.force is not other.force and {one.force, other.force} != {Force.HOLDS, Force.BINDS}:
        return None
    if same and one.value is not None and other.value is not None and differs(one.value, other.value):
        denied = one.force in (Force.BARS, Force.FREES) and one.value.exact  # "not £5" and "not £6" may both be so
        return None if denied else VALUE
    alike = _equal_values(one, other) and one.page != other.page and one.force is other.force
    return THRESHOLD if alike and other_threshold(one.conditions, other.conditions) is not None else None


def _equal_values(one: Assertion, other: Assertion) -> bool:
    if one.value is None or other.value is None:
        return one.value is other.value
    return _content(one) == _content(other)


def _content(assertion: Assertion) -> tuple[object, ...]:
    return () if assertion.value is None else _facts_of(assertion.value)


def _facts_of(value: Quantity) -> tuple[object, ...]:
    return (value.kind, value.low, value.high, value.unit, value.period, value.trigger)


_Place = tuple[PageKey, object]


def _lists(group: Sequence[Assertion]) -> set[tuple[PageKey, tuple[object, ...]]]:
    """Pages, with a set of conditions, on which the slot has many values, or several in one element."""
    values: dict[tuple[PageKey, tuple[object, ...]], dict[tuple[object, ...], set[str]]] = defaultdict(
        lambda: defaultdict(set)
    )
    for assertion in group:
        if assertion.value is not None:
            values[_place(assertion)][_content(assertion)].add(assertion.anchor)
    return {
        place
        for place, found in values.items()
        if len(found) >= _LISTED or len({anchor for anchors in found.values() for anchor in anchors}) < len(found)
    }


def _place(assertion: Assertion) -> tuple[PageKey, tuple[object, ...]]:
    asked = ((sorted(one.words), one.negated, [(v.low, v.high) for v in one.values]) for one in assertion.conditions)
    return assertion.page, (str(sorted(map(str, asked))), assertion.validity)


def _is_listed(assertion: Assertion, lists: set[tuple[PageKey, tuple[object, ...]]]) -> bool:
    return _place(assertion) in lists


def _ordered(kind: str, one: Assertion, other: Assertion, newer_than: frozenset[tuple[PageKey, PageKey]]) -> Conflict:
    for older, newer in ((one, other), (other, one)):
        if (older.page, newer.page) in newer_than:
            return Conflict(kind, newer, older, superseded=True)
    for older, newer in ((one, other), (other, one)):
        if takes_the_place(older.validity, newer.validity, older.updated, newer.updated):
            return Conflict(kind, newer, older, superseded=True)
    newer, older = sorted((one, other), key=lambda side: (side.date, str(side.page), side.anchor), reverse=True)
    return Conflict(kind, newer, older, superseded=False)
