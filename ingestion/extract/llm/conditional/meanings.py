"""What a reply says that a condition means, held against the page; and conditions that only point elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable

from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.stated import YOU, content_words
from clausegraph.core.language.words import word_set
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not, leaves
from clausegraph.ingestion.extract.llm.conditional.conditions import UnusableCondition
from clausegraph.ingestion.extract.llm.conditional.shown import ShownWords, akin, numbers_of

_DENYING = word_set("not no never cannot neither nor none without unable nobody nothing")
_POINTING = re.compile(
    r"\b(?:these|those|the (?:following|above)|either|both|all|any|one) (?:\w+ )?(?:appl(?:y|ies)|changes?|happens?)\b"
    r"|\b(?:any|all|one|both|either|each|some|none) of (?:these|those|the (?:following|above))\b"
    r"|\bthis (?:is the case|happens|applies)\b",
    re.IGNORECASE,
)
_ONE = re.compile(r"\bones?\b", re.IGNORECASE)  # a pronoun more often than a number: "you do not have one"
_LEANING = YOU | word_set(
    "it its this that they them their these those there he him his she her we us our one if not unless when once so do"
)
_OTHERWISE = word_set("other another different else otherwise only")  # what a meaning may say with "not"
_CLAUSE = 2  # words from which a condition says something by itself: "this happens" leans on what was said before
_SHARE = 1 / 3  # of the words of a condition that its meaning has, in some form


def checked(text: str, meaning: str, shown: ShownWords, *, own_clause: bool) -> str:
    """The meaning, if it says what the text says and the page has its words; empty where it only repeats the text.

    ``own_clause``: whether nothing before the text can deny it, as the lead-in of a list item can.

    Raises:
        UnusableCondition: it says something else.
    """
    if tokens(meaning) == tokens(text):
        return ""
    if not shown.names(meaning):
        raise UnusableCondition(f"not stated: what its condition means, {meaning!r}")
    if not numbers_of(meaning).issuperset(numbers_of(_ONE.sub("", text))):
        raise UnusableCondition(f"what its condition means, {meaning!r}, lacks a number of {text!r}")
    wanted, found = content_words(text) - _LEANING, content_words(meaning)
    kept = sum(any(akin(word, other) for other in found) for word in wanted)
    may_deny = not own_clause or len(wanted) < _CLAUSE or not _OTHERWISE.isdisjoint(tokens(text))
    if _denies(text) > _denies(meaning) or (_denies(meaning) > _denies(text) and not may_deny):
        raise UnusableCondition(f"what its condition means, {meaning!r}, turns {text!r} round")
    if len(wanted) >= _CLAUSE and kept < _SHARE * len(wanted):
        raise UnusableCondition(f"what its condition means, {meaning!r}, is not what {text!r} says")
    return meaning


def _denies(text: str) -> bool:
    return any(word in _DENYING or word.endswith(("n't", "n’t")) for word in tokens(text))


def without_pointers(condition: Condition, introduces: Callable[[str, str], bool]) -> Condition:
    """The condition without the leaves that only point to others beside them ("any of these apply:").

    ``introduces`` tells whether the element of one label introduces that of another.

    Raises:
        UnusableCondition: what a leaf points to is not part of the condition.
    """
    match condition:
        case All(children):
            rest = (child for child in children if not _is_said_below(child, children, introduces))
            made = tuple(without_pointers(child, introduces) for child in rest)
            return All(made) if len(made) > 1 else made[0]
        case AnyOf(children):
            return AnyOf(tuple(without_pointers(child, introduces) for child in children))
        case Not(child):
            return Not(without_pointers(child, introduces))
        case Leaf() if _POINTING.search(condition.words):
            raise UnusableCondition(f"its condition only points to other lines: {condition.words!r}")
    return condition


def _is_said_below(child: Condition, among: tuple[Condition, ...], introduces: Callable[[str, str], bool]) -> bool:
    if not isinstance(child, Leaf) or not _POINTING.search(child.words):
        return False
    return any(introduces(child.anchor, leaf.anchor) for other in among if other is not child for leaf in leaves(other))
