"""Which list items and tables only lay out the page: they are containers, not elements."""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree
from lxml.etree import _Element

from clausegraph.core.pages.markup import CELLS, DEEP_HEADINGS, HEADINGS, ITEMS, LISTS

_LAYOUT_ROLES = frozenset({"presentation", "none"})
_GRID_ROWS, _GRID_SHARE = 8, 0.1
_BLOCKS_IN_CELL = HEADINGS | LISTS | {"p", "div", "form"}


@dataclass(slots=True)
class _Open:
    node: _Element
    blocks: int = 0  # block-level parts inside, for a cell
    has_th: bool = False  # for a table
    has_table: bool = False  # … that holds another one
    has_heading: bool = False  # … an h4 to h6 in a cell
    full_cells: int = 0  # of the table that hold a list or several blocks
    cells: int = 0
    rows: int = 0


def layout_containers(root: _Element) -> set[_Element]:
    """Return the li, dd and table elements below ``root`` that only lay out the page.

    An item does when a heading is inside it. A table does when it has role presentation, when an h1 to h3 is inside
    it, or when it has no header cell and another table, a cell with a list or several blocks (a heading and what
    follows it are two), or one column with a heading in it; a few such cells in a large grid of others are data.
    """
    found: set[_Element] = set()
    stack: list[_Open] = []  # the open tables, cells and items only
    tables: list[_Open] = []  # the open tables
    for event, node in etree.iterwalk(root, events=("start", "end")):
        tag = node.tag
        if event == "start":
            if tag in HEADINGS:
                _mark(stack, found)
            elif tag in DEEP_HEADINGS or tag == "summary":
                _mark_items(stack, found)
                _count_heading(stack, tables, node)
            if tag == "table" and tables:
                tables[-1].has_table = True
            if tag in _BLOCKS_IN_CELL:
                _count_in_cell(stack, 2 if tag in LISTS else 1)
            if tag == "th" and tables:
                tables[-1].has_th = True
            if tag == "tr" and tables:
                tables[-1].rows += 1
            if tag == "table" or tag in CELLS or tag in ITEMS:
                stack.append(_Open(node))
                if tag == "table":
                    tables.append(stack[-1])
                    if (node.get("role") or "").lower() in _LAYOUT_ROLES:
                        found.add(node)
        elif stack and stack[-1].node is node:
            _close(stack, tables, found)
    return found


def _mark(stack: list[_Open], found: set[_Element]) -> None:
    """Mark the open containers, innermost first, down to one that was marked before (all outer ones are, too)."""
    for entry in reversed(stack):
        if entry.node.tag in CELLS:
            continue
        if entry.node in found:
            return
        found.add(entry.node)


def _mark_items(stack: list[_Open], found: set[_Element]) -> None:
    """Mark the open items down to the innermost cell: a deep heading, unlike a title, may well stand in a cell."""
    for entry in reversed(stack):
        if entry.node.tag in CELLS or entry.node in found:
            return
        if entry.node.tag in ITEMS:
            found.add(entry.node)


def _count_in_cell(stack: list[_Open], blocks: int) -> None:
    if stack and stack[-1].node.tag in CELLS:
        stack[-1].blocks += blocks


def _count_heading(stack: list[_Open], tables: list[_Open], node: _Element) -> None:
    if tables and node.tag in DEEP_HEADINGS and stack[-1].node.tag in CELLS:
        tables[-1].has_heading = True
        stack[-1].blocks += 2 if (node.tail or "").strip() else 1


def _close(stack: list[_Open], tables: list[_Open], found: set[_Element]) -> None:
    entry = stack.pop()
    if entry.node.tag in CELLS and tables:
        tables[-1].cells += 1
        tables[-1].full_cells += entry.blocks > 1
    if entry.node.tag == "table":
        tables.pop()
        is_full = entry.full_cells > 0 and not _is_grid(entry)
        is_column = entry.has_heading and entry.cells <= entry.rows
        if (is_full or is_column or entry.has_table) and not entry.has_th:
            found.add(entry.node)


def _is_grid(table: _Open) -> bool:
    """Whether a table has many rows of two cells or more, hardly any of which is full: no page is laid out so."""
    return table.rows >= _GRID_ROWS and table.cells >= 2 * table.rows and table.full_cells <= _GRID_SHARE * table.cells
