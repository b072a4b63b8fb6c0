"""Conditions of two statements compared: the same in other words, or the same but for one value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clausegraph.core.language.lexicon import NUMBERS
from clausegraph.core.language.quantities import Quantity, find_quantities, same_value
from clausegraph.core.types import AnyOf, Condition, Leaf, Not
from clausegraph.indexes.contradictions.words import Roots, near, roots
from clausegraph.indexes.entities.variants import may_be_same

_SAME = 0.6  # share of common words from which two conditions are one in other words
_OF_VALUES = frozenset(
    roots(
        "day days week weeks month months year years hour hours old age aged least most more less than over "
        "under up to at no not or within for every each per calendar working and before after about around of "
        "in on a an last first only just " + " ".join(NUMBERS)
    )
)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A leaf of a condition tree: what it says without its values, its values, whether its absence is asked for."""

    words: Roots
    values: tuple[Quantity, ...]
    negated: bool = False
    optional: bool = False  # one of several of which any will do


def requirements(tree: Condition | None, negated: bool = False, optional: bool = False) -> Iterator[Requirement]:
    """The leaves of a tree."""
    match tree:
        case None:
            return
        case Leaf():
            yield requirement(tree.text, negated, optional)
        case Not(child):
            yield from requirements(child, not negated, optional)
        case _:
            for child in tree.children:
                yield from requirements(child, negated, optional or isinstance(tree, AnyOf))


def requirement(text: str, negated: bool = False, optional: bool = False) -> Requirement:
    """What a clause asks for."""
    values = tuple(find_quantities(text))
    said = roots("".join(text[a:b] for a, b in _between(values, len(text))))
    words = roots(text)
    denied = negated != bool(words & {"not", "no", "never", "cannot"} and not values)
    plain = frozenset(word for word in said - _OF_VALUES if not any(letter.isdigit() for letter in word))
    return Requirement(plain | (words & frozenset({"not"}) if not values else frozenset()), values, denied, optional)


def _between(values: Sequence[Quantity], end: int) -> Iterator[tuple[int, int]]:
    start = 0
    for value in values:
        yield start, value.start
        start = value.end
    yield start, end


def same_conditions(one: Sequence[Requirement], other: Sequence[Requirement]) -> bool:
    """Whether two lists ask for the same, perhaps in other words; never where a value or a negation differs."""
    if not one or not other:
        return not one and not other
    if _negations(one) != _negations(other) or _shapes(one) != _shapes(other):
        return False
    mine, theirs = _words(one), _words(other)
    return near(mine, theirs) >= _SAME and may_be_same(" ".join(mine), " ".join(theirs))


def condition_frame(found: Sequence[Requirement]) -> tuple[object, ...]:
    """What is equal for two lists that are the same, whatever their words."""
    return bool(found), _negations(found), frozenset(Counter(_shaped(found)).items())


def other_threshold(one: Sequence[Requirement], other: Sequence[Requirement]) -> tuple[Quantity, Quantity] | None:
    """The values in which a requirement of one differs from the same requirement of the other; None without one.

    A leaf of which any of several will do is no requirement.
    """
    for mine in one:
        for theirs in other:
            usable = not (mine.optional or theirs.optional) and mine.negated == theirs.negated
            if usable and mine.words == theirs.words and len(mine.values) == len(theirs.values) == 1:
                a, b = mine.values[0], theirs.values[0]
                if differs(a, b):
                    return a, b
    return None


def differs(one: Quantity, other: Quantity) -> bool:
    """Whether two values of one matter are surely not the same; a bound is compared with a bound of its side only."""
    if (one.low is None) != (other.low is None) or (one.high is None) != (other.high is None):
        return False
    return one.exact == other.exact and same_value(one, other) is False


def _negations(found: Sequence[Requirement]) -> int:
    return sum(one.negated for one in found)


def _shapes(found: Sequence[Requirement]) -> list[tuple[object, ...]]:
    return sorted(_shaped(found))


def _shaped(found: Sequence[Requirement]) -> Iterator[tuple[object, ...]]:
    values = (value for one in found for value in one.values)
    return ((v.kind, v.low or -1, v.high or -1, v.unit, v.period) for v in values)


def _words(found: Sequence[Requirement]) -> Roots:
    return frozenset(word for one in found for word in one.words)
