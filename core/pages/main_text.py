"""Which blocks of a page are its main text.

The rules, in order (``tests/core/pages/test_main_text.py`` pins their recall and precision on the sample corpus):

1. Out is what the markup calls page furniture (``boilerplate.py``) and what is furniture by its own words and
   links (``furniture.py``). What is left are the candidates.
2. In are the candidates that trafilatura keeps; all candidates, when it keeps less than half of their characters.
3. In again: the page's own h1; what stands between kept text as it does (``gaps.py``); headings that head something
   kept; rows and items that follow what is kept in the same list, table or container, unless the list is links.
4. Out again: the little that stands before the page's first h1 and says nothing; labels that announce only what is out.
"""

from __future__ import annotations

from collections.abc import Sequence

from clausegraph.core.pages.blocks import Block
from clausegraph.core.pages.furniture import furniture, is_label, is_sentence
from clausegraph.core.pages.gaps import between, headings_like, title_of
from clausegraph.core.pages.markup import STYLED
from clausegraph.core.pages.trafilatura_text import trafilatura_blocks

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
