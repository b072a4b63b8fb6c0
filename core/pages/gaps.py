"""Main text that a judge of whole pages leaves out: the page's title, and what stands between kept text as it does."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from clausegraph.core.pages.blocks import Block
from clausegraph.core.pages.furniture import is_label, is_sentence

_WORD = re.compile(r"\w+")
_CLASS = re.compile(r'\sclass="([^"]+)"')
_SENTENCE = 15  # characters
_STANDFIRST = 40  # characters
_MOSTLY_TEXT = 0.5  # share of links
_SAME_NAME = 0.5  # share of the heading's words that the title has


def title_of(blocks: Sequence[Block], kept: set[int], title: str) -> int | None:
    """The page's own h1, where none is kept: the one that the page's title names, else the last before the text.

    Of a page without a title its only h1, wherever it stands.
    """
    if not kept or any(blocks[i].level == 1 for i in kept):
        return None
    heads = [i for i, block in enumerate(blocks) if block.level == 1 and block.link_share < _MOSTLY_TEXT]
    named = [i for i in heads if _says(blocks[i].text, title)]
    if named:
        return min(named, key=lambda i: abs(i - min(kept)))
    before = [i for i in heads if not blocks[i].boilerplate and i < min(kept)]
    if before:
        return before[-1]
    return heads[0] if len(heads) == 1 and not title else None


def _says(heading: str, title: str) -> bool:
    words = {word.casefold() for word in _WORD.findall(heading)}
    others = {word.casefold() for word in _WORD.findall(title)}
    return bool(words) and len(words & others) >= _SAME_NAME * len(words)


def between(blocks: Sequence[Block], candidates: set[int], kept: set[int]) -> set[int]:
    """Candidates between the first and the last kept block that belong to the text.

    Sentences whose container holds kept text as well, also behind the last kept one, and those right below the title;
    captions and pictures next to kept text; tables of data, whole; the other lines of a paragraph that breaks part.
    """
    if not kept:
        return set()
    first, last = min(kept), max(kept)
    inside = [i for i in sorted(candidates - kept) if first < i < last]
    text = [blocks[i] for i in kept if blocks[i].tag == "p" and not blocks[i].level]
    places = {block.place for block in text} - {0}
    looks = {look for block in text if (look := _look(block))}
    found = {i for i in candidates - kept if first < i and _is_text(blocks[i]) and blocks[i].place in places}
    found |= {i for i in inside if _is_text(blocks[i]) and _look(blocks[i]) in looks}
    found |= {i for i in candidates - kept if first < i and _is_telling_item(blocks[i]) and blocks[i].around in places}
    found |= _below_title(blocks, candidates, kept)
    found |= {i for i in inside if _is_caption(blocks[i]) and _has_neighbour(blocks, i, kept | found)}
    found |= _tables(blocks, inside)
    orders = {blocks[i].order for i in kept | found if blocks[i].order}
    found |= {i for i in candidates - kept if blocks[i].order in orders}
    return found | _labels(blocks, candidates, kept | found)


def headings_like(blocks: Sequence[Block], candidates: set[int], kept: set[int]) -> set[int]:
    """Headings that look like kept ones and have kept text before the next heading."""
    looks = {_look(blocks[i]) for i in kept if blocks[i].level} - {""}
    found: set[int] = set()
    has_text = False
    for index in range(len(blocks) - 1, -1, -1):
        if blocks[index].level:
            if has_text and index in candidates and index not in kept and _look(blocks[index]) in looks:
                found.add(index)
            has_text = False
        has_text = has_text or index in kept
    return found


def _look(block: Block) -> str:
    """Its tag and class: what a style sheet goes by; empty without a class."""
    named = _CLASS.search(block.html_pieces[0]) if block.html_pieces else None
    return f"{block.dom_tag} {named[1]}" if named else ""


def _is_text(block: Block) -> bool:
    return block.tag == "p" and len(block.text) >= _SENTENCE and is_sentence(block.text) and _is_no_link(block)


def _is_telling_item(block: Block) -> bool:
    return block.tag == "li" and len(block.text) >= _STANDFIRST and is_sentence(block.text) and _is_no_link(block)


def _is_no_link(block: Block) -> bool:
    return block.link_share < _MOSTLY_TEXT


def _labels(blocks: Sequence[Block], candidates: set[int], kept: set[int]) -> set[int]:
    """Short lines right before a kept item that stands in the same container."""
    return {
        i - 1
        for i in kept
        if blocks[i].tag == "li" and i - 1 in candidates and i - 1 not in kept
        and is_label(blocks[i - 1]) and _is_no_link(blocks[i - 1]) and blocks[i - 1].place == blocks[i].place
    }  # fmt: skip


def _below_title(blocks: Sequence[Block], candidates: set[int], kept: set[int]) -> set[int]:
    """Sentences between the title and the first other kept block."""
    heads = [i for i in kept if blocks[i].level == 1]
    after = [i for i in kept if heads and i > min(heads)]
    if not after:
        return set()
    between_them = range(min(heads) + 1, min(after))
    return {
        i
        for i in between_them
        if i in candidates and len(blocks[i].text) >= _STANDFIRST and is_sentence(blocks[i].text)
        and blocks[i].tag != "tr" and blocks[i].link_share < _MOSTLY_TEXT
    }  # fmt: skip


def _is_caption(block: Block) -> bool:
    return block.dom_tag in ("figcaption", "caption", "img")


def _has_neighbour(blocks: Sequence[Block], index: int, kept: set[int]) -> bool:
    """Whether kept text stands right before or behind, other captions and pictures apart."""
    for step in (-1, 1):
        other = index + step
        if 0 <= other < len(blocks) and _is_caption(blocks[other]):
            other += step
        if other in kept:
            return True
    return False


def _tables(blocks: Sequence[Block], inside: Sequence[int]) -> set[int]:
    """Rows of tables of data: two rows and more, two columns and more, mostly no links."""
    rows: dict[int | None, list[int]] = defaultdict(list)
    for index in inside:
        if blocks[index].tag == "tr":
            rows[blocks[index].group].append(index)
    found: set[int] = set()
    for indices in rows.values():
        wide = sum(len(blocks[i].cells) > 1 for i in indices)
        links = sum(blocks[i].link_share * len(blocks[i].text) for i in indices)
        if wide > 1 and 2 * wide > len(indices) and 2 * links < sum(len(blocks[i].text) for i in indices):
            found.update(indices)
    return found
