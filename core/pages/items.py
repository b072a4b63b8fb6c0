"""Items of lists: the numbers of numbered ones, and lists as Word writes them."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml.etree import _Element

from clausegraph.core.pages.blocks import Block
from clausegraph.core.pages.frames import OpenElement, whole_number
from clausegraph.core.pages.markup import start_tag
from clausegraph.core.pages.roles import word_item

_LETTERS = {"lower-alpha": "a", "upper-alpha": "A", "lower-latin": "a", "lower-roman": "i", "upper-roman": "I"}
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([\w-]+)", re.IGNORECASE)


def numbering(node: _Element) -> tuple[int, int, str]:
    """Number of the first item of an ``ol``, what is added for the next, and the ``type`` of its numbers if unusual."""
    style = _LIST_STYLE.search(node.get("style") or "")
    letters = node.get("type") or (_LETTERS.get(style[1].lower(), "") if style else "")
    down = node.get("reversed") is not None
    first = whole_number(node.get("start"), sum(1 for _ in node.iterchildren("li")) if down else 1)
    return first, -1 if down else 1, letters if letters in ("a", "A", "i", "I") else ""


def numbered_tag(node: _Element, outer: OpenElement) -> str:
    """Start tag of an item; in a numbered list with its number, as HTML itself would state it, elsewhere with none."""
    if node.tag != "li" or outer.next_number is None:
        return start_tag(node).replace(f' value="{node.get("value")}"', "", 1)
    number = whole_number(node.get("value"), outer.next_number)
    outer.next_number = number + outer.counts
    added = "" if node.get("value") else f' value="{number}"'
    if outer.letters and not node.get("type"):
        added += f' type="{outer.letters}"'
    return start_tag(node)[:-1] + added + ">"


class WordList:
    """The open items of a list that Word wrote as paragraphs."""

    def __init__(self) -> None:
        self._open: list[tuple[int, Block]] = []  # level and item

    def join(self, block: Block, node: _Element, new_group: Callable[[], int]) -> None:
        """Give an item its list, and the item that it is nested in."""
        _, level = word_item(node) or ("", 1)
        if not self._open or self._open[-1][1].order != block.order - 1:
            self._open.clear()
        group = None
        while self._open and self._open[-1][0] >= level:
            group = self._open.pop()[1].group
        block.item = self._open[-1][1] if self._open else None
        block.group = group if group is not None else new_group()
        self._open.append((level, block))
