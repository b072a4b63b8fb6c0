"""The ``if`` of a triple as a condition tree whose leaves are spans of elements, and what its leaves mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from clausegraph.core.extraction import InputElement, names_above
from clausegraph.core.language.conditions import join
from clausegraph.core.language.lexicon import phrases, word_set
from clausegraph.core.language.normalise import clean_name, tokens
from clausegraph.core.language.quotes import Quotable
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not, leaves
from clausegraph.ingestion.extract.llm.items import UnusableItem, element_number
from clausegraph.ingestion.extract.llm.page_words import YOU, ShownWords, akin, content_words, numbers_of

# What a clause begins with before it says what something is: "if you're a limited company"
_OPENING = re.compile(
    r"^(?:(?:if|when|where|for|as)\s+)?(?:(?:you|they|he|she|it)(?:\s+(?:are|is)|['’](?:re|s))\s+|who\s+(?:are|is)\s+)?"
    r"(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)
_FEWEST = 2  # words that a part of a name has at least, to say nothing but the name
MAX_DEPTH = 8
MAX_LEAVES = 50
_OPERATORS = ("all", "any", "not")
_LEAF_KEYS = frozenset({"element", "quote", "text", "means"})
_LONGEST_QUOTE = 8000
_LONGEST_MEANING = 300
_MOST_QUOTES = 2000  # different ones that are looked for in a chunk
_DENYING = word_set("not no never cannot neither nor none without unable nobody nothing")
_POINTING = phrases(
    r"(?:these|those|the (?:following|above)|either|both|all|any|one) (?:\w+ )?(?:appl(?:y|ies)|changes?|happens?)"
    r"|(?:any|all|one|both|either|each|some|none) of (?:these|those|the (?:following|above))"
    r"|this (?:is the case|happens|applies)"
)
_ONE = phrases("ones?")  # a pronoun more often than a number: "you do not have one"
_LEANING = YOU | word_set(
    "it its this that they them their these those there he him his she her we us our one if not unless when once so do"
)
_OTHERWISE = word_set("other another different else otherwise only")  # what a meaning may say with "not"
_CLAUSE = 2  # words from which a condition says something by itself: "this happens" leans on what was said before
_SHARE = 1 / 3  # of the words of a condition that its meaning has, in some form


def without_repeated(condition: Condition | None, names: Sequence[str]) -> Condition | None:
    """The condition without the leaves that one of the names says already; none where nothing is left.

    Only what has to hold in any case is looked at: the whole tree, or a child of an outermost "all". A leaf repeats a
    name where its words are the name's, or two and more of them in a row, of a name without alternatives.
    """
    said = [tokens(name) for name in names]
    children = condition.children if isinstance(condition, All) else () if condition is None else (condition,)
    kept = [child for child in children if not (isinstance(child, Leaf) and _repeats(child.text, said))]
    return join("all", kept) if kept else None


def _repeats(text: str, said: Sequence[Sequence[str]]) -> bool:
    words = tokens(_OPENING.sub("", text, count=1))
    size = len(words)

    def within(name: Sequence[str]) -> bool:
        return "or" not in name and any(name[i : i + size] == words for i in range(len(name) - size + 1))

    return size > 0 and any(words == name or (size >= _FEWEST and within(name)) for name in said)


class ConditionReader:
    """Reads the conditions of one chunk's triples: ``labels`` are its labels by the numbers of the call."""

    def __init__(self, labels: Mapping[int, str], elements: Mapping[str, InputElement], shown: ShownWords) -> None:
        self._labels, self._elements, self._shown = labels, elements, shown
        self._quotables: dict[str, Quotable] = {}
        self._found: dict[tuple[str, str], tuple[int, int] | None] = {}
        self._leaves = 0

    def read(self, value: Any) -> Condition | None:
        """The tree without repeated children, and without leaves that only point to others; none for no condition.

        Raises:
            UnusableItem: it is malformed or too large, or cites what the chunk does not say.
        """
        if value is None or value in ([], {}, "", {"all": []}):
            return None
        self._leaves = 0
        return self._without_pointers(self._tree(value, 1))

    def _tree(self, value: Any, depth: int) -> Condition:
        if depth > MAX_DEPTH:
            raise UnusableItem(f"its condition is nested more than {MAX_DEPTH} deep")
        if isinstance(value, list):
            return self._joined("all", value, depth)
        if not isinstance(value, dict):
            return self._leaf(value, None)
        given = {key: item for key, item in value.items() if item is not None}
        if given and set(given) <= set(_OPERATORS):
            made = [self._operation(operator, item, depth) for operator, item in given.items()]
            return join("all", list(dict.fromkeys(made)))
        if "element" not in given or not _LEAF_KEYS.issuperset(given):
            raise UnusableItem("its condition cannot be read")
        leaf = self._leaf(given["element"], given.get("quote", given.get("text")))
        return replace(leaf, meaning=self._meaning(leaf, given["means"])) if "means" in given else leaf

    def _operation(self, operator: str, value: Any, depth: int) -> Condition:
        if operator != "not":
            return self._joined(operator, value if isinstance(value, list) else [value], depth)
        child = self._tree(value, depth + 1)
        return child.child if isinstance(child, Not) else Not(child)

    def _joined(self, operator: str, values: Sequence[Any], depth: int) -> Condition:
        if not values:
            raise UnusableItem("its condition has an empty list")
        return join(operator, list(dict.fromkeys(self._tree(value, depth + 1) for value in values)))

    def _leaf(self, element: Any, quote: Any) -> Leaf:
        self._leaves += 1
        if self._leaves > MAX_LEAVES:
            raise UnusableItem(f"its condition has more than {MAX_LEAVES} parts")
        number = element_number(element)
        label = self._labels.get(number or 0)
        if label is None:
            raise UnusableItem("its condition cites an element that its section does not have")
        text = self._elements[label].text
        place = (0, len(text)) if quote is None else self._place(label, quote)
        if place is None or place[0] == place[1]:
            raise UnusableItem(f"the quote of its condition is not in element {number}")
        return Leaf(label, place[0], place[1], text[place[0] : place[1]])

    def _place(self, label: str, quote: Any) -> tuple[int, int] | None:
        if not isinstance(quote, str) or len(quote) > _LONGEST_QUOTE:
            return None
        key = (label, quote)
        if key not in self._found:
            if len(self._found) >= _MOST_QUOTES:
                raise UnusableItem(f"its section is quoted in more than {_MOST_QUOTES:,} ways")
            quotable = self._quotables.setdefault(label, Quotable(self._elements[label].text))
            self._found[key] = quotable.find(quote)
        return self._found[key]

    def _meaning(self, leaf: Leaf, means: Any) -> str:
        """The meaning, if it says what the leaf says and the page has its words; empty where it only repeats it."""
        meaning, text = clean_name(means, _LONGEST_MEANING), leaf.text
        if meaning is None:
            raise UnusableItem("what its condition means is no text, empty or too long")
        if tokens(meaning) == tokens(text):
            return ""
        if not self._shown.names(meaning):
            raise UnusableItem(f"not stated: what its condition means, {meaning!r}")
        if not numbers_of(meaning).issuperset(numbers_of(_ONE.sub("", text))):
            raise UnusableItem(f"what its condition means, {meaning!r}, lacks a number of {text!r}")
        wanted, found = content_words(text) - _LEANING, content_words(meaning)
        whole = len(wanted) >= _CLAUSE
        element = self._elements[leaf.anchor]  # what leads into it may deny it
        may_deny = bool(element.lead_in or element.parent) or not whole or not _OTHERWISE.isdisjoint(tokens(text))
        if _denies(text) > _denies(meaning) or (_denies(meaning) > _denies(text) and not may_deny):
            raise UnusableItem(f"what its condition means, {meaning!r}, turns {text!r} round")
        if whole and sum(any(akin(word, other) for other in found) for word in wanted) < _SHARE * len(wanted):
            raise UnusableItem(f"what its condition means, {meaning!r}, is not what {text!r} says")
        return meaning

    def _without_pointers(self, condition: Condition) -> Condition:
        """The condition without the leaves that only point to others beside them ("any of these apply:")."""
        match condition:
            case All(children):
                rest = [child for child in children if not self._is_said_below(child, children)]
                return join("all", [self._without_pointers(child) for child in rest])
            case AnyOf(children):
                return AnyOf(tuple(map(self._without_pointers, children)))
            case Not(child):
                return Not(self._without_pointers(child))
            case Leaf() if _POINTING.search(condition.words):
                raise UnusableItem(f"its condition only points to other lines: {condition.words!r}")
        return condition

    def _is_said_below(self, child: Condition, among: Sequence[Condition]) -> bool:
        """Whether a leaf points to others of its list, whose elements its own introduces."""
        if not isinstance(child, Leaf) or not _POINTING.search(child.words):
            return False
        below = (leaf.anchor for other in among if other is not child for leaf in leaves(other))
        return any(child.anchor in names_above(self._elements[label], self._elements) for label in below)


def _denies(text: str) -> bool:
    return any(word in _DENYING or word.endswith(("n't", "n’t")) for word in tokens(text))
