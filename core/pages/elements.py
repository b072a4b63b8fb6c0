"""Blocks to elements: anchors, heading paths, lead-ins, parents, rows of tables with their headers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from clausegraph.core.hashing import content_hash
from clausegraph.core.pages.blocks import Block, Cell, OpenablePart
from clausegraph.core.types import Element

MAX_NAME = 300  # characters of a title, heading or header cell that are repeated with what stands below it


_BELOW_ALL = 10
MAX_PATH = 5  # headings of a path; of a deeper one the first two and the last three are told


def limited(name: str) -> str:
    """The name as it is repeated: an overlong one is cut, or a page of 1 MB would be read into gigabytes."""
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1].rstrip() + "…"


class HeadingPath:
    """Follows the headings of a page: its blocks in document order.

    A heading inside a section that opens and closes (a tab, an accordion, ``details``, a description) heads what is in
    it and nothing behind it; the headings outside stay above all of it.
    """

    def __init__(self) -> None:
        self._open = [_Scope(None, ())]

    def above(self, block: Block) -> tuple[str, ...]:
        """Texts of the headings above a block, outermost first; a heading is not above itself."""
        while (section := self._open[-1].section) is not None and section.end <= block.order:
            self._open.pop()
        scope = self._open[-1]
        limit = _rank(block) if block.level and block.section is scope.section else _BELOW_ALL
        return _cut((*scope.outer, *(name for level, name in scope.entries if level < limit)))

    def enter(self, block: Block) -> None:
        """Take note of a heading: it ends those of its level and below, in its section."""
        scope = self._open[-1]
        if scope.section is not block.section:
            outer = _cut((*scope.outer, *(name for _, name in scope.entries)))
            scope = _Scope(block.section, outer)
            self._open.append(scope)
        rank = _rank(block)
        scope.entries = [(level, name) for level, name in scope.entries if level < rank]
        scope.entries.append((rank, limited(block.text)))


@dataclass(slots=True)
class _Scope:
    """A section, the path outside it, and level and text of the headings that are open in it."""

    section: OpenablePart | None
    outer: tuple[str, ...]
    entries: list[tuple[int, str]] = field(default_factory=list)


def _cut(path: tuple[str, ...]) -> tuple[str, ...]:
    return path if len(path) <= MAX_PATH else (*path[:2], *path[2 - MAX_PATH :])


def _rank(block: Block) -> int:
    """Its level; what opens a section stands above every heading in it."""
    return 0 if block.section is not None and block.dom_tag in ("summary", "dt", "button") else block.level


_VALUE = re.compile(r"^[£$€]?\d|^\W*$")
_SUM = re.compile(r"[£$€]|\d%")
_MAX_HEADER_WORDS = 15

MAX_COLUMNS = 1000  # a cell may span, as the HTML standard has it
MAX_ROWS = 65534
MAX_REPEATED = 10_000  # cells of a page that are repeated in the rows that they span
MAX_SPANNED = 100_000  # places that all cells of a page may span beyond their own: 30 KB could ask for 10^11


def looks_like_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of texts plainly heads the rows below it.

    It has at least two cells, as many as most rows below; its cells are short and none is a figure (the
    first may be empty); and there is something below it.
    """
    if len(first) < 2 or not body or sum(len(row) == len(first) for row in body) * 2 <= len(body):
        return False
    if any(_VALUE.match(cell) for cell in first if cell) or sum(not cell for cell in first) > 1:
        return False
    return all(len(cell.split()) <= _MAX_HEADER_WORDS for cell in first)


def spanned(rows: Sequence[Block]) -> int:
    """Places that the cells of a table's rows take beyond one each."""
    return sum(
        cell.columns * min(cell.rows, len(rows) - index) - 1 for index, row in enumerate(rows) for cell in row.cells
    )


def repeated(rows: Sequence[Block]) -> int:
    """Cells that ``fill_spans`` would repeat."""
    return sum(min(cell.rows, len(rows) - index) - 1 for index, row in enumerate(rows) for cell in row.cells)


def place_cells(rows: Sequence[Block]) -> None:
    """Tell each cell its column, with ``colspan`` and ``rowspan`` counted."""
    taken: dict[int, int] = {}  # column → rows it is still taken by a cell from above
    for row in rows:
        opened: dict[int, int] = {}
        column = 0
        for cell in row.cells:
            while taken.get(column, 0) > 0:
                column += 1
            cell.column = column
            opened |= {column + i: cell.rows for i in range(cell.columns)}
            column += cell.columns
        taken = {c: n - 1 for c, n in (taken | opened).items() if n > 1}


def lower_spans(rows: Sequence[Block]) -> None:
    """Let no cell of a table span the rows without text: they become no elements."""
    empty = list(accumulate((not row.text for row in rows), initial=0))
    for index, row in enumerate(rows):
        for cell in row.cells:
            if cell.rows > 1:
                cell.rows -= empty[min(index + cell.rows, len(rows))] - empty[index + 1]


def fill_spans(rows: Sequence[Block]) -> None:
    """Repeat each cell that spans rows in the rows below it, so that every row says all that holds for it.

    Of a long text only its beginning is repeated. The rows' texts are made anew.
    """
    running: dict[int, Cell] = {}  # column → cell from above, ``rows`` of which are left
    for row in rows:
        own = {cell.column: cell for cell in row.cells}
        again = {column: cell for column, cell in running.items() if column not in own}
        spanning = again | {column: cell for column, cell in own.items() if cell.rows > 1}
        running = {
            column: replace(cell, text=limited(cell.text), said=[], rows=cell.rows - 1)
            for column, cell in spanning.items()
            if cell.rows > 1
        }
        if again:
            row.cells = [cell for _, cell in sorted((own | again).items())]
            row.join_cells()


def names_rows_below(row: Block, rows: Sequence[Block]) -> bool:
    """Whether a row has one cell, over several columns, that heads the rows below it."""
    if len(row.cells) != 1 or row.cells[0].columns < 2 or row is rows[-1] or row.in_head:
        return False
    return row.cells[0].is_header or row.cells[0].is_bold


def row_headers(rows: Sequence[Block]) -> list[tuple[str, ...]]:
    """Header texts of each row of one table, one per cell; empty for header rows and tables without a header.

    Header rows are those of ``thead`` or with only ``th`` cells; else the first row, when it is all bold,
    or looks like a header and differs from the rows below by having no digits where they have some.
    """
    count = _header_rows(rows)
    if count == 0:
        return [() for _ in rows]
    names: dict[int, str] = {}
    for cell in (cell for row in rows[:count] for cell in row.cells):
        for column in range(cell.column, cell.column + cell.columns):
            above = names.get(column)
            if above != cell.text:
                names[column] = limited(" ".join(filter(None, [above, cell.text])))
    return [()] * count + [tuple(names.get(cell.column, "") for cell in row.cells) for row in rows[count:]]


def _header_rows(rows: Sequence[Block]) -> int:
    """How many of the first rows are header rows; 0 when none is, or when nothing would be left."""
    count = 0
    for index, row in enumerate(rows):
        if index and names_rows_below(row, rows):
            break
        if not (row.in_head or all(cell.is_header for cell in row.cells)):
            break
        count += 1
    if count == 0 and rows and _is_plain_header(rows[0].cells, rows[1:]):
        count = 1
    return count if count < len(rows) else 0


def _is_plain_header(first: Sequence[Cell], rest: Sequence[Block]) -> bool:
    texts = [[cell.text for cell in row.cells] for row in rest]
    bold = all(cell.is_bold for cell in first if cell.text)
    apart = bold and not any(cell.is_bold for row in rest for cell in row.cells[1:])
    # A row that is set apart may count: "6 months". A sum is none even then.
    counted = ["x" if apart and not _SUM.search(cell.text) and cell.text else cell.text for cell in first]
    if not looks_like_header(counted, texts) or any(len(cell.text.split()) > _MAX_HEADER_WORDS for cell in first):
        return False
    if bold:
        return True
    return any(
        not _has_digit(cell.text) and any(_has_digit(row[i]) for row in texts if i < len(row))
        for i, cell in enumerate(first)
    )


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


_INTRODUCES = frozenset({"p", "li"})


def elements_of(blocks: Sequence[Block], *, with_headers: bool = True) -> tuple[Element, ...]:
    """Make the elements of the blocks that are main text, in document order; the rows of tables with their headers."""
    tables = tables_of(blocks)
    for rows in tables if with_headers else ():
        place_cells(rows)
    if with_headers and sum(map(repeated, tables)) <= MAX_REPEATED:
        for rows in tables:
            fill_spans(rows)
    headers: dict[int, tuple[str, ...]] = {}
    for rows in tables if with_headers else ():
        headers |= {id(row): found for row, found in zip(rows, row_headers(rows), strict=True)}
    groups = _groups(tables)
    anchors: Counter[str] = Counter()
    path = HeadingPath()
    names: dict[int, str] = {}  # id of block → anchor
    lead_ins: dict[int, str | None] = {}  # list or table → anchor of what introduces it
    elements: list[Element] = []
    term: Block | None = None  # the last one of a definition list
    for index, block in enumerate(blocks):
        text = block.text
        term = block if block.dom_tag == "dt" else term
        # counted by tag and short hash, so that two texts whose short hashes collide still differ
        stem = f"{block.tag}-{content_hash(text)[:8]}"
        anchor = names[id(block)] = f"{stem}-{anchors[stem]}"
        anchors[stem] += 1
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
