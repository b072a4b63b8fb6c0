"""Blocks to elements: anchors, heading paths, lead-ins, parents, row headers."""

from __future__ import annotations

from collections.abc import Sequence

from clausegraph.core.pages.anchors import AnchorMaker
from clausegraph.core.pages.blocks import Block
from clausegraph.core.pages.headings import HeadingPath
from clausegraph.core.pages.markup import HEADINGS
from clausegraph.core.pages.tables import row_headers
from clausegraph.core.types import Element

_INTRODUCES = frozenset({"p", "li"})


def elements_of(blocks: Sequence[Block]) -> tuple[Element, ...]:
    """Make the elements of the blocks that are main text, in document order."""
    headers = _headers(blocks)
    anchors = AnchorMaker()
    path = HeadingPath()
    names: dict[int, str] = {}  # id of block → anchor
    lead_ins: dict[int, str | None] = {}  # list or table → anchor of what introduces it
    elements: list[Element] = []
    for index, block in enumerate(blocks):
        text = block.text
        anchor = names[id(block)] = anchors.make(block.tag, text)
        element = Element(
            anchor=anchor,
            tag=block.tag,
            html=block.html,
            text=text,
            headings=path.above(block.tag),
            lead_in=_lead_in(blocks, index, names, lead_ins),
            parent=names.get(id(block.item)) if block.item is not None else None,
            headers=headers.get(id(block), ()),
            links=tuple(block.links),
        )
        if block.tag in HEADINGS:
            path.enter(block.tag, text)
        elements.append(element)
    return tuple(elements)


def _lead_in(blocks: Sequence[Block], index: int, names: dict[int, str], lead_ins: dict[int, str | None]) -> str | None:
    """Anchor of what introduces the list or table of a block: its parent item, or the paragraph right before.

    All items of a list share it. In a definition list each description has its term.
    """
    block = blocks[index]
    if block.tag not in ("li", "tr") or block.group is None:
        return None
    if block.dom_tag == "dd":
        term = next((b for b in map(blocks.__getitem__, range(index - 1, -1, -1)) if b.dom_tag == "dt"), None)
        return names[id(term)] if term is not None and term.group == block.group else None
    if block.group not in lead_ins:
        before = block.item if block.item is not None else (blocks[index - 1] if index else None)
        fits = before is not None and before.tag in _INTRODUCES and id(before) in names
        if before is not block.item and before is not None and before.tag == "li":
            fits = False  # the last item of another list
        lead_ins[block.group] = names[id(before)] if fits else None
    return lead_ins[block.group]


def _headers(blocks: Sequence[Block]) -> dict[int, tuple[str, ...]]:
    tables: dict[int | None, list[Block]] = {}
    for block in blocks:
        if block.tag == "tr":
            tables.setdefault(block.group, []).append(block)
    return {
        id(row): headers
        for rows in tables.values()
        for row, headers in zip(rows, row_headers(rows), strict=True)
    }  # fmt: skip
