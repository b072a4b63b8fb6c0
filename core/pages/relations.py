"""Blocks to elements: anchors, heading paths, lead-ins, parents, row headers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clausegraph.core.pages.anchors import AnchorMaker
from clausegraph.core.pages.blocks import Block
from clausegraph.core.pages.headings import MAX_PATH, ScopedPath, limited
from clausegraph.core.pages.tables import MAX_REPEATED, fill_spans, names_rows_below, repeated, row_headers
from clausegraph.core.types import Element

_INTRODUCES = frozenset({"p", "li"})


def elements_of(blocks: Sequence[Block], *, with_headers: bool = True) -> tuple[Element, ...]:
    """Make the elements of the blocks that are main text, in document order; the rows of tables with their headers."""
    tables = tables_of(blocks)
    if with_headers and sum(map(repeated, tables)) <= MAX_REPEATED:
        for rows in tables:
            fill_spans(rows)
    headers = _headers(tables) if with_headers else {}
    groups = _groups(tables)
    anchors = AnchorMaker()
    path = ScopedPath()
    names: dict[int, str] = {}  # id of block → anchor
    lead_ins: dict[int, str | None] = {}  # list or table → anchor of what introduces it
    elements: list[Element] = []
    term: Block | None = None  # the last one of a definition list
    for index, block in enumerate(blocks):
        text = block.text
        term = block if block.dom_tag == "dt" else term
        anchor = names[id(block)] = anchors.make(block.tag, text)
        element = Element(
            anchor=anchor,
            tag=block.tag,
            html=block.html,
            text=text,
            headings=_with_group(path.above(block), groups.get(id(block))),
            lead_in=_lead_in(blocks, index, term, names, lead_ins),
            parent=names.get(id(block.item)) if block.item is not None else None,
            headers=headers.get(id(block), ()),
            links=tuple(block.links),
        )
        if block.level:
            path.enter(block)
        elements.append(element)
    return tuple(elements)


def _lead_in(
    blocks: Sequence[Block], index: int, term: Block | None, names: dict[int, str], lead_ins: dict[int, str | None]
) -> str | None:
    """Anchor of what introduces the list or table of a block: its parent item, or the paragraph right before.

    All items of a list share it. In a definition list each description has its term.
    """
    block = blocks[index]
    if block.tag not in ("li", "tr") or block.group is None:
        return None
    if block.dom_tag == "dd":
        return names[id(term)] if term is not None and term.group == block.group else None
    if block.group not in lead_ins:
        before = block.item if block.item is not None else (blocks[index - 1] if index else None)
        fits = before is not None and before.tag in _INTRODUCES and id(before) in names
        if before is not block.item and before is not None and before.tag == "li":
            fits = False  # the last item of another list
        lead_ins[block.group] = names[id(before)] if fits else None
    return lead_ins[block.group]


def _groups(tables: Iterable[Sequence[Block]]) -> dict[int, str]:
    """By id of a row: the text of the row that heads it within its table."""
    found: dict[int, str] = {}
    for rows in tables:
        name: str | None = None
        for index, row in enumerate(rows):
            if index and names_rows_below(row, rows):
                name = limited(row.text)
            elif name is not None:
                found[id(row)] = name
    return found


def _with_group(path: tuple[str, ...], name: str | None) -> tuple[str, ...]:
    return path if name is None else (*path[: MAX_PATH - 1], name)


def tables_of(blocks: Iterable[Block]) -> list[list[Block]]:
    """The rows of each table."""
    tables: dict[int | None, list[Block]] = {}
    for block in blocks:
        if block.tag == "tr":
            tables.setdefault(block.group, []).append(block)
    return list(tables.values())


def _headers(tables: Iterable[Sequence[Block]]) -> dict[int, tuple[str, ...]]:
    """Headers by id of the row."""
    return {
        id(row): headers
        for rows in tables
        for row, headers in zip(rows, row_headers(rows), strict=True)
    }  # fmt: skip
