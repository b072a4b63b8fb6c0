"""Words of names, relations and conditions made comparable: stems without what carries no meaning of its own."""

from __future__ import annotations

import functools
import re

from Stemmer import Stemmer

from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.normalise import tokens

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


@functools.cache
def _stemmer() -> Stemmer:
    return Stemmer("english")


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


def near(one: Roots, other: Roots) -> float:
    """The share of the words of both that they have in common; 1 where neither has any."""
    return len(one & other) / len(one | other) if one | other else 1.0
