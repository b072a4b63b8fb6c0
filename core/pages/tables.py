"""Rows of tables: their column headers, and what spans them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate

from clausegraph.core.pages.blocks import Block, Cell
from clausegraph.core.pages.headings import limited

_VALUE = re.compile(r"^[£$€]?\d|^\W*$")
_DIGIT = re.compile(r"\d")
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


def columns_of(rows: Sequence[Block]) -> list[list[int]]:
    """Column number of each cell of each row, with ``colspan`` and ``rowspan`` counted."""
    taken: dict[int, int] = {}  # column → rows it is still taken by a cell from above
    result: list[list[int]] = []
    for row in rows:
        numbers: list[int] = []
        opened: dict[int, int] = {}
        column = 0
        for cell in row.cells:
            while taken.get(column, 0) > 0:
                column += 1
            numbers.append(column)
            opened |= {column + i: cell.rows for i in range(cell.columns)}
            column += cell.columns
        taken = {c: n - 1 for c, n in (taken | opened).items() if n > 1}
        result.append(numbers)
    return result


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
    columns = columns_of(rows)
    running: dict[int, tuple[Cell, int]] = {}  # column → cell from above, rows it still spans
    for row, numbers in zip(rows, columns, strict=True):
        own = dict(zip(numbers, row.cells, strict=True))
        repeated = {column: _again(cell) for column, (cell, _) in running.items() if column not in own}
        if repeated:
            merged = own | repeated
            row.cells = [merged[column] for column in sorted(merged)]
            row.join_cells()
        running = {column: (cell, left - 1) for column, (cell, left) in running.items() if left > 1}
        running |= {column: (cell, cell.rows - 1) for column, cell in own.items() if cell.rows > 1}
    for row in rows:
        for cell in row.cells:
            cell.rows = 1


def _again(cell: Cell) -> Cell:
    return Cell(limited(cell.text), is_header=cell.is_header, is_bold=cell.is_bold, columns=cell.columns)


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
    columns = columns_of(rows)
    names: dict[int, str] = {}
    for row, numbers in zip(rows[:count], columns[:count], strict=True):
        for cell, column in zip(row.cells, numbers, strict=True):
            for spanned in range(column, column + cell.columns):
                above = names.get(spanned)
                if above != cell.text:
                    names[spanned] = limited(" ".join(filter(None, [above, cell.text])))
    below = [tuple(names.get(column, "") for column in numbers) for numbers in columns[count:]]
    return [()] * count + below


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
        not _DIGIT.search(cell.text) and any(_DIGIT.search(row[i]) for row in texts if i < len(row))
        for i, cell in enumerate(first)
    )
