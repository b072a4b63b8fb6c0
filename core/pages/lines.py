"""Lines of a paragraph: what line breaks part becomes a block each, a short bold or large line a heading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from clausegraph.core.pages.blocks import Block, Break
from clausegraph.core.pages.furniture import is_sentence
from clausegraph.core.pages.markup import STYLED

_MARK = re.compile(r"(?:[-–—•*·▪►○●■]|(\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]))\s+", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:[,–-]|\b(?:and|or|of|the|a|to|in|for|with|if))$", re.IGNORECASE)
_SHORT = 50  # characters; what a mail program wraps is longer
_BOLD_LINE = 100


@dataclass(slots=True)
class _Line:
    text: str
    first: Break  # where it begins
    last: Break  # … and ends
    after_gap: bool  # an empty line stands before it

    @property
    def is_plain(self) -> bool:
        return self.last.is_plain


def split_lines(blocks: Iterable[Block]) -> list[Block]:
    """The blocks, paragraphs cut at the line breaks that part something."""
    found: list[Block] = []
    for block in blocks:
        found.extend(_split(block) if block.breaks else (block,))
    return found


def _split(block: Block) -> Iterator[Block]:
    lines = list(_lines(block))
    block.is_plain = block.is_plain or any(one.is_plain for one in block.breaks)
    block.breaks.clear()
    marked = [bool(_MARK.match(line.text)) for line in lines]
    is_list = sum(marked) > 1
    is_tabular = len(lines) > 2 and 2 * sum(_has_figure(line.text) for line in lines) > len(lines)
    starts = [
        number
        for number in range(1, len(lines))
        if (is_list and marked[number]) or _parts(lines[number - 1], lines[number], is_tabular, is_list)
    ]
    if not starts:
        yield block
        return
    bounds = [0, *starts, len(lines)]
    for first, last in pairwise(bounds):
        yield _part(block, lines[first:last], is_list and marked[first])


def _parts(before: _Line, line: _Line, is_tabular: bool, is_list: bool) -> bool:
    """Whether the break between two lines parts them, rather than wrapping one."""
    if line.after_gap or (line.is_plain and not before.is_plain and len(before.text) <= _BOLD_LINE):
        return True
    if is_list or not (line.text[0].isupper() or not line.text[0].isalpha()):
        return False
    if is_sentence(before.text):
        return True
    return is_tabular and len(before.text) < _SHORT and not _GOES_ON.search(before.text)


def _has_figure(text: str) -> bool:
    return any(character.isdigit() or character == ":" for character in text)


def _lines(block: Block) -> Iterator[_Line]:
    """Its lines that have text."""
    first, gap = Break(0, 0, (), False), False
    for last in (*block.breaks, Break(len(block.parts), len(block.links), (), block.is_plain)):
        text = block.words(first.at, last.at)
        if text:
            yield _Line(text, first, last, gap)
        first, gap = last, not text


def _part(block: Block, lines: Sequence[_Line], is_item: bool) -> Block:
    first, last = lines[0].first, lines[-1].last
    parts = block.parts[first.at : last.at]
    while parts and parts[-1][1] == "<br>":
        parts.pop()
    part = replace(
        block,
        tag="li" if is_item else block.tag,
        group=-1 - block.order if is_item else block.group,
        start="".join((block.start, *first.open_tags)),
        end="".join((*(_end(tag) for tag in reversed(last.open_tags)), block.end)),
        parts=parts,
        links=block.links[first.links : last.links],
        is_plain=any(line.is_plain for line in lines),
        breaks=[],
    )
    part.seal()
    mark = _MARK.match(part.text)
    if is_item and mark is not None and mark[1] is None:
        part.text = part.text[mark.end() :]
    return part


def _end(tag: str) -> str:
    return f"</{re.split(r'[ >]', tag[1:], maxsplit=1)[0]}>"


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
