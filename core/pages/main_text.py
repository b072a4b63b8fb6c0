"""Which blocks of a page are its main text.

The rules, in order (``tests/core/pages/test_main_text.py`` pins their recall and precision on the sample corpus):

1. Out is what the markup calls page furniture (``layout.py``) and what is furniture by its own words and links
   (``furniture.py``). What is left are the candidates.
2. In are the candidates that trafilatura keeps; all candidates, when it keeps less than half of their characters.
3. In again: the page's own h1; what stands between kept text as it does; headings that head something kept; rows and
   items that follow what is kept in the same list, table or container, unless the list is links.
4. Out again: the little that stands before the page's first h1 and says nothing; labels that announce only what is out.

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
from clausegraph.core.pages.furniture import furniture, is_label, is_sentence
from clausegraph.core.pages.markup import STYLED

_LOST = 0.5  # share of the candidates' characters below which trafilatura is taken to have lost the page
_ABOVE_TITLE = 0.2  # share of the kept characters, from which what stands above an h1 is text of the page


def main_blocks(blocks: Sequence[Block], page: str, use_trafilatura: bool = True, title: str = "") -> list[Block]:
    """The blocks that are main text, in document order; ``page`` is the decoded page they come from.

    ``title`` is what the page's head calls it. ``use_trafilatura=False`` leaves the decision to structure alone: for
    pages too wide to hand on, and for measuring.
    """
    out = furniture(blocks)
    candidates = {i for i, block in enumerate(blocks) if not block.boilerplate and i not in out}
    kept = candidates
    if use_trafilatura:
        chosen = candidates & trafilatura_blocks(blocks, page)
        if _characters(blocks, chosen) >= _LOST * _characters(blocks, candidates):
            kept = chosen
    heading = title_of(blocks, kept, title)
    kept = kept if heading is None else kept | {heading}
    kept = kept | between(blocks, candidates, kept)
    kept = kept | _list_rest(blocks, candidates, kept)
    kept = kept | headings_like(blocks, candidates, kept)
    kept = kept | _heading_rest(blocks, candidates, kept)
    kept = kept - _before_title(blocks, kept)
    kept = kept - _empty_labels(blocks, kept)
    return [blocks[i] for i in sorted(kept)]


def _characters(blocks: Sequence[Block], indices: set[int]) -> int:
    return sum(len(blocks[i].text) for i in indices)


def _list_rest(blocks: Sequence[Block], candidates: set[int], kept: set[int]) -> set[int]:
    """Items and rows that directly follow a kept block of their container or list, links apart."""
    found: set[int] = set()
    for index in sorted(candidates - kept):
        block, before = blocks[index], blocks[index - 1] if index else None
        if before is None or block.tag not in ("li", "tr") or block.link_share > 0.5:
            continue
        near = before.region == block.region or (before.group is not None and before.group == block.group)
        if near and (index - 1 in kept or index - 1 in found):
            found.add(index)
    return found


def _heading_rest(blocks: Sequence[Block], candidates: set[int], kept: set[int]) -> set[int]:
    """Headings with a kept block, or such a heading, right below."""
    found: set[int] = set()
    below_is_kept = False
    for index in range(len(blocks) - 1, -1, -1):
        if blocks[index].level and index in candidates and below_is_kept:
            found.add(index)
        below_is_kept = index in kept or index in found
    return found


def _before_title(blocks: Sequence[Block], kept: set[int]) -> set[int]:
    """What stands before the first kept h1 and says nothing: the site's name, a menu.

    A late h1 heads only what is below it: much text above it stays, and so do sentences, rows, items under headings.
    """
    title = next((i for i in sorted(kept) if blocks[i].level == 1), 0)
    before = {i for i in kept if i < title}
    if _characters(blocks, before) >= _ABOVE_TITLE * _characters(blocks, kept):
        return set()
    first_heading = next((i for i in sorted(before) if blocks[i].level), title)
    found: set[int] = set()
    for index in sorted(before, reverse=True):
        block = blocks[index]
        is_text = block.tag == "tr" or is_sentence(block.text) or (block.tag == "li" and index > first_heading)
        if not (is_text or (block.level and index + 1 in before - found)):
            found.add(index)
    return found


def _empty_labels(blocks: Sequence[Block], kept: set[int]) -> set[int]:
    """Labels right before something that is out, in the same container; headings over sections that are all out."""
    found: set[int] = set()
    for index in sorted(kept, reverse=True):
        block = blocks[index]
        if not is_label(block) or index + 1 == len(blocks):
            continue
        if block.level:
            section = _section(blocks, index)
            if section and not any(i in kept and i not in found for i in section):
                found.add(index)
                continue
        if (
            block.level in (0, STYLED)
            and blocks[index + 1].region == block.region
            and (index + 1 not in kept or index + 1 in found)
        ):
            found.add(index)
    return found


def _section(blocks: Sequence[Block], heading: int) -> range:
    """Indices below a heading, up to the next of its level or above."""
    level = blocks[heading].level
    end = heading + 1
    while end < len(blocks) and not 0 < blocks[end].level <= level:
        end += 1
    return range(heading + 1, end)


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
    found |= {i for i in candidates - kept if first < i and _is_told_item(blocks[i]) and blocks[i].around in places}
    found |= {i for i in inside if _is_text(blocks[i]) and _look(blocks[i]) in looks}
    found |= _below_title(blocks, candidates, kept)
    found |= {i for i in inside if _is_caption(blocks[i]) and _has_neighbour(blocks, i, kept | found)}
    found |= _tables(blocks, inside)
    orders = {blocks[i].order for i in kept | found if blocks[i].order}
    return found | {i for i in candidates - kept if blocks[i].order in orders}


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
    named = _CLASS.search(block.start)
    return f"{block.dom_tag} {named[1]}" if named else ""


def _is_text(block: Block) -> bool:
    return block.tag == "p" and len(block.text) >= _SENTENCE and _is_sentence(block)


def _is_told_item(block: Block) -> bool:
    return block.tag == "li" and len(block.text) >= _STANDFIRST and _is_sentence(block)


def _is_sentence(block: Block) -> bool:
    return is_sentence(block.text) and block.link_share < _MOSTLY_TEXT


def _below_title(blocks: Sequence[Block], candidates: set[int], kept: set[int]) -> set[int]:
    """Sentences between the title and the first other kept block."""
    title = min((i for i in kept if blocks[i].level == 1), default=None)
    first = min((i for i in kept if title is not None and i > title), default=0)
    between_them = range((title or 0) + 1, first)
    return {
        i
        for i in between_them
        if i in candidates and blocks[i].tag != "tr" and len(blocks[i].text) >= _STANDFIRST and _is_sentence(blocks[i])
    }


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
