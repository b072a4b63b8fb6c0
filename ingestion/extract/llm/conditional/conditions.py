"""The ``if`` of a triple as a condition tree whose leaves are spans of elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from clausegraph.core.language.quotes import Quotable
from clausegraph.core.language.stated import clean_name
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not
from clausegraph.ingestion.extract.llm.items import element_number

MAX_DEPTH = 8
MAX_LEAVES = 50
_OPERATORS = ("all", "any", "not")
_LEAF_KEYS = frozenset({"element", "quote", "text", "means"})
_LONGEST_QUOTE = 8000
_LONGEST_MEANING = 300
_MOST_QUOTES = 2000  # different ones that are looked for in a chunk


class UnusableCondition(Exception):
    """The condition cannot be used, so that its triple cannot either."""


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
            UnusableCondition: it is malformed or too large, or cites what the chunk does not say.
        """
        if value is None or value in ([], {}, "", {"all": []}):
            return None
        self._leaves = 0
        return self._tree(value, 1)

    def _tree(self, value: Any, depth: int) -> Condition:
        if depth > MAX_DEPTH:
            raise UnusableCondition(f"its condition is nested more than {MAX_DEPTH} deep")
        if isinstance(value, list):
            return _joined(All, [self._tree(item, depth + 1) for item in value])
        if not isinstance(value, dict):
            return self._leaf(value, None)
        given = {key: item for key, item in value.items() if item is not None}
        if any(key in given for key in _OPERATORS):
            return self._operation(given, depth)
        if "element" not in given or not _LEAF_KEYS.issuperset(given):
            raise UnusableCondition("its condition cannot be read")
        leaf = self._leaf(given["element"], given.get("quote", given.get("text")))
        return replace(leaf, meaning=self._meaning(leaf, given["means"])) if "means" in given else leaf

    def _meaning(self, leaf: Leaf, means: Any) -> str:
        meaning = clean_name(means, _LONGEST_MEANING)
        if meaning is None:
            raise UnusableCondition("what its condition means is no text, empty or too long")
        return self._clear(leaf.anchor, leaf.text, meaning)

    def _operation(self, given: dict[str, Any], depth: int) -> Condition:
        if not set(given) <= set(_OPERATORS):
            raise UnusableCondition("its condition cannot be read")
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
            raise UnusableCondition(f"its condition has more than {MAX_LEAVES} parts")
        number = element_number(element)
        label = None if number is None else self._labels.get(number)
        if label is None:
            raise UnusableCondition("its condition cites an element that its section does not have")
        text = self._text_of(label)
        place = (0, len(text)) if quote is None else self._place(label, quote)
        if place is None or place[0] == place[1]:
            raise UnusableCondition(f"the quote of its condition is not in element {number}")
        return Leaf(label, place[0], place[1], text[place[0] : place[1]])

    def _place(self, label: str, quote: Any) -> tuple[int, int] | None:
        if not isinstance(quote, str) or len(quote) > _LONGEST_QUOTE:
            return None
        key = (label, quote)
        if key not in self._found:
            if len(self._found) >= _MOST_QUOTES:
                raise UnusableCondition(f"its section is quoted in more than {_MOST_QUOTES:,} ways")
            if label not in self._quotables:
                self._quotables[label] = Quotable(self._text_of(label))
            self._found[key] = self._quotables[label].find(quote)
        return self._found[key]


def _joined(operation: type[All[Leaf]] | type[AnyOf[Leaf]], children: list[Condition]) -> Condition:
    unique = tuple(dict.fromkeys(children))
    if not unique:
        raise UnusableCondition("its condition has an empty list")
    return unique[0] if len(unique) == 1 else operation(unique)
