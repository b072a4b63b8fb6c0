"""Words, dates and conditions of two statements compared: the same in other words, or the same but for one value."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from Stemmer import Stemmer

from clausegraph.core.language.lexicon import MONTH, MONTHS, NUMBERS, word_set
from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.quantities import Quantity, find_quantities, same_value
from clausegraph.core.language.values import effective_dates
from clausegraph.core.types import AnyOf, Condition, Leaf, Not
from clausegraph.indexes.entities.variants import may_be_same

Roots = frozenset[str]

_EMPTY = word_set(
    "a an the this that these those any all your you yours you're you'll you've their they them they're "
    "it its his her and or he she we us our is are be been being was were am will would do does did done "
    "has have had having if when while where as so also still already then there here i my me by"
)
_ABOUT_PAGES = word_set(
    "guide guidance guidelines leaflet handbook booklet help information overview introduction news rate "
    "rates fee fees change changes rule rules apply applying get getting claim claiming use using check "
    "find out how much what who can cost costs work works page pages form forms explained basics summary "
    "update updates your you to for of and in on a an the if with need must do does or from at about step "
    "notes"
)
_TITLE_PARTS = re.compile(r"\s*(?:[:|–—]|\s-\s)\s*")


_stemmer = functools.cache(lambda: Stemmer("english"))


def roots(text: str) -> Roots:
    """The stems of the words of a text that say something; numbers and amounts stay as they are."""
    words = [word.removesuffix("'s").removesuffix("'") for word in tokens(text)]
    return frozenset(_stemmer().stemWords([word for word in words if word and word not in _EMPTY]))


def topic(title: str) -> Roots:
    """What a page, a heading or a role is about: its title without words that are about pages and asking.

    Only the first part of "Carer Payment: leaflet" counts, unless nothing is left of it.
    """
    for part in [*_TITLE_PARTS.split(title.strip()), title]:
        words = [word.removesuffix("'s") for word in tokens(part) if word not in _ABOUT_PAGES and word not in _EMPTY]
        if words:
            return frozenset(_stemmer().stemWords(words))
    return frozenset()


_DATE = rf"\d{{1,2}}\s+{MONTH}\s+\d{{4}}"
_RANGE = re.compile(rf"(?:from\s+)?({_DATE})\s*(?:to|until|-|–)\s*({_DATE})", re.IGNORECASE)
_ONLY_A_DATE = re.compile(
    rf"(?:(?:from|since|until|up to|before|by|(?:on or )?after|starting(?: on)?)\s+)?{_DATE}(?:\s+onwards)?",
    re.IGNORECASE,
)
_LEADING = re.compile(rf"^((?:from|since|until|up to|before|after)\s+{_DATE}),?\s+", re.IGNORECASE)
_TRAILING = re.compile(rf"^(.*?),?\s*\b((?:from|since|until|up to)\s+{_DATE})\.?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Validity:
    """ISO dates, both included; None where the page does not say."""

    start: str | None = None
    end: str | None = None

    def __or__(self, other: Validity) -> Validity:
        """Both, what this one says first."""
        return Validity(self.start or other.start, self.end or other.end)

    @property
    def known(self) -> bool:
        return self.start is not None or self.end is not None


def period_of(text: str) -> Validity | None:
    """The time that a text names and nothing else ("6 April 2025 to 5 April 2026", "From 6 April 2026")."""
    stripped = text.strip().rstrip(".:,")
    found = _RANGE.fullmatch(stripped)
    if found:
        return Validity(effective_dates(f"from {found[1]}")[0], effective_dates(f"until {found[2]}")[1])
    if _ONLY_A_DATE.fullmatch(stripped):
        sentence = stripped[0].lower() + stripped[1:].removesuffix(" onwards")
        made = Validity(*effective_dates(sentence if not sentence[0].isdigit() else f"from {sentence}"))
        return made if made.known else None
    return None


def leading_date(text: str) -> tuple[str, Validity]:
    """A text without the date that it opens with ("From 6 April 2026 the rate"), and what that says."""
    found = _LEADING.match(text)
    if found is None:
        return text, Validity()
    said = found[1][0].lower() + found[1][1:]
    return text[found.end() :], Validity(*effective_dates(said))


def trailing_date(text: str) -> tuple[str, Validity]:
    """A text without the date that it ends with ("£56 a year from 1 April 2026"), and what that says."""
    found = _TRAILING.match(text)
    if found is None:
        return text, Validity()
    return found[1], Validity(*effective_dates(found[2]))


def takes_the_place(older: Validity, newer: Validity, older_page: str | None, newer_page: str | None) -> bool:
    """Whether the newer statement begins to hold where the older one has ended, or is said later than it.

    Args:
        older_page, newer_page: when their pages were last updated (ISO dates), where they say so.
    """
    if older.end is not None and newer.start is not None:
        return older.end <= newer.start
    if older.start is not None and newer.start is not None:
        return older.start < newer.start
    if newer.start is not None:  # the older page does not know of it yet
        return older_page is not None and (older_page < newer.start or older_page < (newer_page or ""))
    return older.end is not None and newer_page is not None and newer_page > older.end


_SAME = 0.6  # share of common words from which two conditions are one in other words
_MEASURES = frozenset(
    roots(
        "day days week weeks month months year years hour hours minute minutes calendar working full consecutive old "
        "age aged least most more less than over under above below up to at no not or within by until for every each "
        "per and before after about around of in on a an last first only just older younger from maximum minimum "
        "pound pounds p million billion half " + " ".join((*NUMBERS, *MONTHS))
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
    words, said = roots(text), text
    for value in reversed(values):
        said = said[: value.start] + said[value.end :]
    denied = negated != bool(words & {"not", "no", "never", "cannot"} and not values)
    kept = frozenset({"not"} & words) if not values else frozenset()
    return Requirement(without_measures(roots(said)) | kept, values, denied, optional)


def without_measures(words: Roots) -> Roots:
    """The words but for numbers and what goes with values: units, bounds, months."""
    return frozenset(word for word in words - _MEASURES if not any(letter.isdigit() for letter in word))


def same_conditions(one: Sequence[Requirement], other: Sequence[Requirement]) -> bool:
    """Whether two lists ask for the same, perhaps in other words; never where a value or a negation differs."""
    if not one or not other:
        return not one and not other
    if _negations(one) != _negations(other) or _shapes(one) != _shapes(other):
        return False
    mine, theirs = _words(one), _words(other)
    overlap = len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0
    return overlap >= _SAME and may_be_same(" ".join(mine), " ".join(theirs))


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
    values = (value for one in found for value in one.values)
    return sorted((v.kind, v.low or -1, v.high or -1, v.unit, v.period) for v in values)


def _words(found: Sequence[Requirement]) -> Roots:
    return frozenset(word for one in found for word in one.words)
