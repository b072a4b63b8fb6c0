"""Which blocks trafilatura takes for main text: its output aligned back to the page's own blocks.

Trafilatura gives text, not DOM elements, so its units (paragraph, heading, item, row) are matched with blocks by
normalised text: in order first, then the units left over (it moves nested tables behind the text) wherever the text
is equal, then parts and wholes, since the two cut text at line breaks differently.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from lxml import etree
from lxml.etree import _Element
from rapidfuzz.distance import LCSseq

from clausegraph.core.pages.blocks import Block

_NOT_WORD = re.compile(r"[\W_]+")
_UNITS = frozenset({"p", "head", "item", "row", "quote", "ab", "code", "fw"})
_MIN_PART = 20  # characters; shorter texts are found inside others by accident
_MAX_COMPARED = 200_000_000  # characters; about 0.2 s. Larger pages are matched by equal text only
_MAX_STEPS = 10_000_000  # of difflib, at most; about a second
_MAX_PAIRS = 400_000_000  # of blocks and units; 50 MB


def trafilatura_blocks(blocks: Sequence[Block], page: str) -> set[int]:
    """Indices of the blocks that trafilatura keeps of the decoded page; empty when it finds no main text."""
    units = [key for key in map(_key, _units(page)) if key]
    keys = [_key(block.text) for block in blocks]
    return _aligned(keys, units) if units else set()


def _key(text: str) -> str:
    return _NOT_WORD.sub("", text).casefold()


def _units(page: str) -> Iterator[str]:
    """Texts of trafilatura's units in its order; a unit ends where one nested in it starts."""
    import trafilatura  # slow to import
    from trafilatura.settings import Document

    # It logs each damaged page as an error; here that only means that structure decides.
    logging.getLogger("trafilatura").setLevel(logging.CRITICAL + 1)
    try:
        found = trafilatura.bare_extraction(page, include_comments=False, include_tables=True, favor_recall=True)
    except etree.LxmlError:
        return  # markup too broken for it
    main = found.body if isinstance(found, Document) else None
    if main is None:
        return
    texts: dict[_Element, list[str]] = {}
    owners: list[_Element | None] = [None]
    for event, node in etree.iterwalk(main, events=("start", "end")):
        if event == "start":
            owner = node if node.tag in _UNITS and not _in_data_row(node) else owners[-1]
            owners.append(owner)
            _add(texts, owner, node.text)
        else:
            owners.pop()
            _add(texts, owners[-1], node.tail)
    yield from ("".join(pieces) for pieces in texts.values())


def _in_data_row(node: _Element) -> bool:
    """Whether a unit is the text of a cell of a plain table, which is read as a row."""
    cell = node.getparent()
    return cell is not None and cell.tag == "cell" and node.tag == "p" and len(cell) == 1


def _add(texts: dict[_Element, list[str]], owner: _Element | None, text: str | None) -> None:
    if text and owner is not None:
        texts.setdefault(owner, []).append(text)


def _aligned(keys: Sequence[str], units: Sequence[str]) -> set[int]:
    kept: set[int] = set()
    left: dict[str, int] = defaultdict(int)
    for unit in units:
        left[unit] += 1
    for index in _in_order(keys, units):
        kept.add(index)
        left[keys[index]] -= 1
    for index, key in enumerate(keys):
        if index not in kept and left[key] > 0:
            kept.add(index)
            left[key] -= 1
    rest = [unit for unit, count in left.items() if count > 0 and len(unit) >= _MIN_PART]
    if len(keys) * sum(map(len, rest)) > _MAX_COMPARED:
        return kept
    return kept | {index for index, key in enumerate(keys) if index not in kept and _overlaps(key, rest)}


def _in_order(keys: Sequence[str], units: Sequence[str]) -> set[int]:
    """Indices of keys that match units in the same order, long runs first; empty where there are too many."""
    counts = Counter(units)
    pairs = sum(counts[key] for key in keys)
    if pairs * min(len(keys), len(units)) <= _MAX_STEPS:
        matcher = SequenceMatcher(None, keys, units, autojunk=False)
        return {i for start, _, length in matcher.get_matching_blocks() for i in range(start, start + length)}
    if len(keys) * len(units) > _MAX_PAIRS:
        return set()
    # Of equal texts that alternate with others difflib takes the cube of their number
    found = LCSseq.opcodes(keys, units)
    return {i for pair in found if pair.tag == "equal" for i in range(pair.src_start, pair.src_end)}


def _overlaps(key: str, rest: Sequence[str]) -> bool:
    """Whether a block's text is part of a unit, or more than half of it consists of units."""
    if len(key) < _MIN_PART:
        return False
    inside = sum(len(unit) for unit in rest if unit in key)
    return 2 * inside > len(key) or any(key in unit for unit in rest)
