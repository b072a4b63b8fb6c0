"""Tables of a page: ruled ones by pdfplumber, others by words that are aligned in columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from clausegraph.ingestion.formats.pdf.layout import Row, TextLine, Word, joined, lines_of, rows_of

_MAX_EDGES = 3000  # lines drawn on a page: a map or a chart; looking for tables takes the square
_WIDE = 1.5  # of the letters' size: a gap between cells of a table without rules
_OFF = 2.0  # points that what is in line may be off
_FAR = 1.6  # of the letters' size: a gap between rows that ends such a table
_MIN_ALIGNED = 3  # rows
_MARK = re.compile(r"\(?\w{1,4}[.)]|[^\w\s]")  # of an item: a list, no table
_MAX_CELL = 0.6  # of the page's height: what is larger is a frame around text

Cells = Sequence[Row]  # of one row


@dataclass(frozen=True, slots=True)
class TableCell:
    """Text, columns and rows it spans, and whether all of it is bold."""

    text: str
    columns: int
    rows: int
    bold: bool


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table, or a page's part of one; ``columns`` are the left edges of its columns."""

    page: int
    top: float
    bottom: float
    x0: float
    x1: float
    columns: tuple[int, ...]
    rows: tuple[tuple[TableCell, ...], ...]

    def holds(self, word: Word) -> bool:
        """Whether a word stands in it."""
        x, y = (word.x0 + word.x1) / 2, (word.top + word.bottom) / 2
        return self.x0 <= x <= self.x1 and self.top <= y <= self.bottom


def ruled_tables(page: Any, words: Sequence[Word], number: int) -> list[PageTable]:
    """Tables with at least two rows and two columns of text."""
    if len(page.edges) > _MAX_EDGES:
        return []
    found = (_ruled_table(table, words, number, float(page.height)) for table in page.find_tables())
    return [table for table in found if table is not None]


def _ruled_table(table: Any, words: Sequence[Word], number: int, height: float) -> PageTable | None:
    x0, top, x1, bottom = table.bbox
    boxes = sorted({cell for cell in table.cells if cell is not None}, key=lambda cell: (round(cell[1]), cell[0]))
    lefts, tops = _edges(cell[0] for cell in boxes), _edges(cell[1] for cell in boxes)
    if len(lefts) < 2 or len(tops) < 2 or any(cell[3] - cell[1] > _MAX_CELL * height for cell in boxes):
        return None
    inside = [word for word in words if x0 <= (word.x0 + word.x1) / 2 <= x1 and top <= word.top + 1 <= bottom]
    rows: list[list[TableCell]] = [[] for _ in tops]
    for left, upper, right, lower in boxes:
        own = [w for w in inside if left <= (w.x0 + w.x1) / 2 < right and upper <= (w.top + w.bottom) / 2 < lower]
        columns = _place(lefts, right - 5) - _place(lefts, left) + 1
        spanned = _place(tops, lower - 5) - _place(tops, upper) + 1
        rows[_place(tops, upper)].append(_cell(own, number, columns, spanned))
    filled = [row for row in rows if any(cell.text for cell in row)]
    if len(filled) < 2 or not any(sum(bool(cell.text) for cell in row) > 1 for row in filled):
        return None
    return PageTable(number, top, bottom, x0, x1, tuple(round(left) for left in lefts), tuple(map(tuple, filled)))


def _cell(words: Sequence[Word], number: int, columns: int = 1, rows: int = 1) -> TableCell:
    lines = lines_of(rows_of(words), number)
    bold = bool(lines) and all(line.bold for line in lines)
    return TableCell(joined([line.text for line in lines]), columns, rows, bold)


def _edges(values: Iterable[float]) -> list[float]:
    """Different values, apart from rounding."""
    edges: list[float] = []
    for value in sorted(values):
        if not edges or value - edges[-1] > _OFF:
            edges.append(value)
    return edges


def _place(edges: Sequence[float], value: float) -> int:
    """Number of the last edge at or before a value."""
    return max(0, bisect_right(edges, value + _OFF) - 1)


# --- aligned words ----------------------------------------------------------------------------------


def pieces_of(rows: Sequence[Row], number: int) -> Iterator[TextLine | PageTable]:
    """Lines and tables without rules, in reading order, of a column's words that stand in no ruled table."""
    lines = lines_of(rows, number)
    parts = [_segments(row) for row in rows]
    index = 0
    while index < len(rows):
        end = _aligned(parts, index)
        if end > index:
            yield _aligned_table(parts[index:end], number)
            index = end
        else:
            yield lines[index]
            index += 1


def _segments(row: Row) -> list[list[Word]]:
    """The words of a row between wide gaps."""
    segments = [[row[0]]]
    for word, after in pairwise(row):
        if after.x0 - word.x1 >= _WIDE * word.size:
            segments.append([])
        segments[-1].append(after)
    return segments


def _aligned(parts: Sequence[Cells], start: int) -> int:
    """Index behind the rows of a table that starts here; ``start`` when none does."""
    first = parts[start]
    if len(first) < 2:
        return start
    full, end, bottom = 0, start, float("inf")
    for index in range(start, len(parts)):
        row = [word for segment in parts[index] for word in segment]
        found = [_column(segment, first) for segment in parts[index]]
        places = [place for place in found if place is not None]
        far = min(word.top for word in row) - bottom > _FAR * first[0][0].size
        if far or len(places) < len(found) or places != sorted(set(places)):
            break
        if len(places) == len(first):
            full += 1
        elif places[0] == 0:
            break
        end = index + 1  # with fewer, a cell goes on in a second line
        bottom = max(word.bottom for word in row)
    marks = all(
        _MARK.fullmatch(row[0][0].text) and len(row[0]) == 1 for row in parts[start:end] if len(row) == len(first)
    )
    return end if full >= _MIN_ALIGNED and not marks else start


def _column(segment: Row, first: Cells) -> int | None:
    """Number of the column that a segment begins or ends in line with."""
    for number, model in enumerate(first):
        if abs(segment[0].x0 - model[0].x0) <= _OFF or abs(segment[-1].x1 - model[-1].x1) <= _OFF:
            return number
    return None


def _aligned_table(rows: Sequence[Cells], number: int) -> PageTable:
    first = rows[0]
    cells: list[list[list[Word]]] = []
    for row in rows:
        if len(row) == len(first):
            cells.append([[] for _ in first])
        for segment in row:
            cells[-1][_column(segment, first) or 0] += segment
    words = [word for row in rows for segment in row for word in segment]
    return PageTable(
        number,
        top=min(word.top for word in words),
        bottom=max(word.bottom for word in words),
        x0=min(word.x0 for word in words),
        x1=max(word.x1 for word in words),
        columns=tuple(round(segment[0].x0) for segment in first),
        rows=tuple(tuple(_cell(cell, number) for cell in row) for row in cells),
    )
