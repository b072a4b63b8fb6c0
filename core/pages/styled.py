"""Headings by their look: a short bold or large line of its own with text below."""

from __future__ import annotations

from collections.abc import Sequence

from clausegraph.core.pages.blocks import Block
from clausegraph.core.pages.markup import STYLED

_LONGEST = 100  # characters
_MOST_WORDS = 14
_TEXT = frozenset({"p", "li", "tr"})


def name_headings(blocks: Sequence[Block]) -> list[Block]:
    """The blocks: lines that look like headings are some; deep headings that head nothing, or are sentences, are none.

    The name of a panel that its own first heading says again is left out.
    """
    looks = [_looks_like_one(block) for block in blocks]
    for index, block in enumerate(blocks):
        after = blocks[index + 1] if index + 1 < len(blocks) else None
        if looks[index]:
            if after is not None and after.tag in _TEXT and not looks[index + 1] and after.section is block.section:
                block.tag, block.level = "h3", STYLED
        elif 4 <= block.level <= 6 and (after is None or 0 < after.level <= block.level or _is_sentence(block.text)):
            block.tag, block.level = "p", 0
    return [block for index, block in enumerate(blocks) if not _is_said_again(blocks, index)]


def _looks_like_one(block: Block) -> bool:
    if (
        block.tag != "p"
        or block.item is not None
        or block.group is not None
        or (block.is_plain and not block.is_styled)
    ):
        return False
    text = block.text
    if len(text) > _LONGEST or len(text.split()) > _MOST_WORDS or text[-1] in ".;,:!)":
        return False
    return block.dom_tag not in ("img", "caption", "figcaption") and block.link_share < 0.5 and _has_word(text)


def _has_word(text: str) -> bool:
    return sum(character.isalpha() for character in text) >= 3


def _is_sentence(text: str) -> bool:
    return text[-1] in ".;," or len(text) > 2 * _LONGEST


def _is_said_again(blocks: Sequence[Block], index: int) -> bool:
    block = blocks[index]
    if block.dom_tag != "button" or index + 1 == len(blocks):
        return False
    after = blocks[index + 1]
    return after.level > 0 and after.text == block.text
