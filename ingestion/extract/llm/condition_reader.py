"""The ``if`` of a triple as a condition tree whose leaves are spans of elements, and what its leaves mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

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
_POINTING = re.compile(
    r"\b(?:these|those|the (?:following|above)|either|both|all|any|one) (?:\w+ )?(?:appl(?:y|ies)|changes?|happens?)\b"
    r"|\b(?:any|all|one|both|either|each|some|none) of (?:these|those|the (?:following|above))\b"
    r"|\bthis (?:is the case|happens|applies)\b",
    re.IGNORECASE,
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
    if condition is None:
        return None
    said = [tokens(name) for name in names]
    children = condition.children if isinstance(condition, All) else (condition,)
    kept = tuple(child for child in children if not (isinstance(child, Leaf) and _repeats(child.text, said)))
    if len(kept) == len(children):
        return condition
    return All(kept) if len(kept) > 1 else kept[0] if kept else None


def _repeats(text: str, said: Sequence[Sequence[str]]) -> bool:
    words = tokens(_OPENING.sub("", text, count=1))
    return bool(words) and any(
        words == name or (len(words) >= _FEWEST and "or" not in name and _within(words, name)) for name in said
    )


def _within(words: Sequence[str], name: Sequence[str]) -> bool:
    return any(name[i : i + len(words)] == words for i in range(len(name) - len(words) + 1))


class ConditionReader:
    """Reads the conditions of one chunk's triples. ``labels`` maps the numbers of a call to the chunk's labels.

    ``clear`` takes the label and text of a leaf and what the reply says they mean, and gives the meaning that is kept.
    """

    def __init__(
        self,
        labels: Mapping[int, str],
        text_of: Callable[[str], str],
        clear: Callable[[str, str, str], str],
    ) -> None:
        self._labels = labels
        self._text_of = text_of
        self._clear = clear
        self._quotables: dict[str, Quotable] = {}
        self._found: dict[tuple[str, str], tuple[int, int] | None] = {}

    def read(self, value: Any) -> Condition | None:
        """The tree, without singletons and repeated children; none for no condition.

        Raises:
            UnusableItem: it is malformed or too large, or cites what the chunk does not say.
        """
        if value is None or value in ([], {}, "", {"all": []}):
            return None
        self._leaves = 0
        return self._tree(value, 1)

    def _tree(self, value: Any, depth: int) -> Condition:
        if depth > MAX_DEPTH:
            raise UnusableItem(f"its condition is nested more than {MAX_DEPTH} deep")
        if isinstance(value, list):
            return _joined(All, [self._tree(item, depth + 1) for item in value])
        if not isinstance(value, dict):
            return self._leaf(value, None)
        given = {key: item for key, item in value.items() if item is not None}
        if any(key in given for key in _OPERATORS):
            return self._operation(given, depth)
        if "element" not in given or not _LEAF_KEYS.issuperset(given):
            raise UnusableItem("its condition cannot be read")
        leaf = self._leaf(given["element"], given.get("quote", given.get("text")))
        return replace(leaf, meaning=self._meaning(leaf, given["means"])) if "means" in given else leaf

    def _meaning(self, leaf: Leaf, means: Any) -> str:
        meaning = clean_name(means, _LONGEST_MEANING)
        if meaning is None:
            raise UnusableItem("what its condition means is no text, empty or too long")
        return self._clear(leaf.anchor, leaf.text, meaning)

    def _operation(self, given: dict[str, Any], depth: int) -> Condition:
        if not set(given) <= set(_OPERATORS):
            raise UnusableItem("its condition cannot be read")
        made: list[Condition] = []
        for operator, value in given.items():
            if operator == "not":
                child = self._tree(value, depth + 1)
                made.append(child.child if isinstance(child, Not) else Not(child))
                continue
            children = [self._tree(item, depth + 1) for item in (value if isinstance(value, list) else [value])]
            made.append(_joined(All if operator == "all" else AnyOf, children))
        return _joined(All, made)

    def _leaf(self, element: Any, quote: Any) -> Leaf:
        self._leaves += 1
        if self._leaves > MAX_LEAVES:
            raise UnusableItem(f"its condition has more than {MAX_LEAVES} parts")
        number = element_number(element)
        label = None if number is None else self._labels.get(number)
        if label is None:
            raise UnusableItem("its condition cites an element that its section does not have")
        text = self._text_of(label)
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
            if label not in self._quotables:
                self._quotables[label] = Quotable(self._text_of(label))
            self._found[key] = self._quotables[label].find(quote)
        return self._found[key]


def _joined(operation: type[All[Leaf]] | type[AnyOf[Leaf]], children: list[Condition]) -> Condition:
    unique = tuple(dict.fromkeys(children))
    if not unique:
        raise UnusableItem("its condition has an empty list")
    return unique[0] if len(unique) == 1 else operation(unique)


def checked_meaning(text: str, meaning: str, shown: ShownWords, *, own_clause: bool) -> str:
    """The meaning, if it says what the text says and the page has its words; empty where it only repeats the text.

    ``own_clause``: whether nothing before the text can deny it, as the lead-in of a list item can.

    Raises:
        UnusableItem: it says something else.
    """
    if tokens(meaning) == tokens(text):
        return ""
    if not shown.names(meaning):
        raise UnusableItem(f"not stated: what its condition means, {meaning!r}")
    if not numbers_of(meaning).issuperset(numbers_of(_ONE.sub("", text))):
        raise UnusableItem(f"what its condition means, {meaning!r}, lacks a number of {text!r}")
    wanted, found = content_words(text) - _LEANING, content_words(meaning)
    kept = sum(any(akin(word, other) for other in found) for word in wanted)
    may_deny = not own_clause or len(wanted) < _CLAUSE or not _OTHERWISE.isdisjoint(tokens(text))
    if _denies(text) > _denies(meaning) or (_denies(meaning) > _denies(text) and not may_deny):
        raise UnusableItem(f"what its condition means, {meaning!r}, turns {text!r} round")
    if len(wanted) >= _CLAUSE and kept < _SHARE * len(wanted):
        raise UnusableItem(f"what its condition means, {meaning!r}, is not what {text!r} says")
    return meaning


def _denies(text: str) -> bool:
    return any(word in _DENYING or word.endswith(("n't", "n’t")) for word in tokens(text))


def without_pointers(condition: Condition, introduces: Callable[[str, str], bool]) -> Condition:
    """The condition without the leaves that only point to others beside them ("any of these apply:").

    ``introduces`` tells whether the element of one label introduces that of another.

    Raises:
        UnusableItem: what a leaf points to is not part of the condition.
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
            raise UnusableItem(f"its condition only points to other lines: {condition.words!r}")
    return condition


def _is_said_below(child: Condition, among: tuple[Condition, ...], introduces: Callable[[str, str], bool]) -> bool:
    if not isinstance(child, Leaf) or not _POINTING.search(child.words):
        return False
    return any(introduces(child.anchor, leaf.anchor) for other in among if other is not child for leaf in leaves(other))
