"""The words of a page to its lines, in the order in which they are read: columns one after the other.

Coordinates are points, y counted downwards from the top of the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Any

_SPACE = 0.15  # of the letters' size: a wider gap separates words
_GUTTER = 1.2  # of the letters' size: what separates columns is at least as wide
_MIN_COLUMN = 0.2  # of the text's width
_MIN_FILL = 0.55  # of a column's width that its lines usually fill; columns of a table do not
_MIN_ROWS = 5  # that have words on both sides of a gutter
_MAX_CROSSING = 0.4  # share of a page's rows that may cross a gutter: titles, and text in one column
_MAX_DEPTH = 3  # columns in columns
_BOLD = ("bold", "black", "heavy", "semibold", "demi")
UNKNOWN = re.compile(r"\(cid:\d+\)")  # a letter of a font that does not say which it is
_SUPERSCRIPT = 0.75  # of the line's size


@dataclass(frozen=True, slots=True)
class Word:
    """Letters of one font without a space."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a column; ``left`` and ``right`` are the column's edges, ``first`` the width of its first word."""

    text: str
    page: int
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool
    left: float = 0.0
    right: float = 0.0
    first: float = 0.0


def words_of(page: Any) -> list[Word]:
    """The upright words of one of pdfplumber's pages."""
    found = page.extract_words(x_tolerance_ratio=_SPACE, keep_blank_chars=False, extra_attrs=["fontname", "size"])
    return [
        Word(
            word["text"], word["x0"], word["x1"], word["top"], word["bottom"], round(word["size"], 1),
            any(name in word["fontname"].lower() for name in _BOLD),
        )
        for word in found
        if word["upright"]
    ]  # fmt: skip


def columns_of(words: Sequence[Word]) -> list[list[list[Word]]]:
    """The rows of each column of a page, in reading order."""
    return [rows_of(column) for column in _columns(words, 0)]


def lines_of(rows: Sequence[Sequence[Word]], page: int) -> list[Line]:
    """The rows of one column as lines."""
    left = min((row[0].x0 for row in rows), default=0.0)
    right = max((word.x1 for row in rows for word in row), default=0.0)
    return [replace(_line(row, page), left=left, right=right) for row in rows]


def _line(row: Sequence[Word], page: int) -> Line:
    """Words of one row as a line; a number set small and high is a reference to a note."""
    size = Counter(word.size for word in row for _ in word.text).most_common(1)[0][0]
    text, before = "", None
    for word in row:
        raised = word.size <= _SUPERSCRIPT * size and word.text.isdigit()
        gap = before is not None and word.x0 - before.x1 > _SPACE * min(size, word.size)
        text += (" " if gap and not raised else "") + (f"[{word.text}]" if raised else word.text)
        before = word
    usual = [word for word in row if word.size == size]
    return Line(
        text=" ".join(UNKNOWN.sub("", text).split()),
        page=page,
        x0=row[0].x0,
        x1=max(word.x1 for word in row),
        top=min(word.top for word in usual),
        bottom=max(word.bottom for word in usual),
        size=size,
        bold=all(word.bold for word in row if any(map(str.isalnum, word.text))) and any(word.bold for word in row),
        first=row[0].x1 - row[0].x0,
    )


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """Words that stand beside each other, from left to right; rows from top to bottom."""
    rows: list[list[Word]] = []
    middle = height = 0.0
    for word in sorted(words, key=lambda word: ((word.top + word.bottom) / 2, word.x0)):
        if rows and (word.top + word.bottom) / 2 - middle < 0.4 * max(height, word.size):
            rows[-1].append(word)
            if word.size > height:
                middle, height = (word.top + word.bottom) / 2, word.size
        else:
            rows.append([word])
            middle, height = (word.top + word.bottom) / 2, word.size
    return [sorted(row, key=lambda word: word.x0) for row in rows]


def _columns(words: Sequence[Word], depth: int) -> list[list[Word]]:
    """The words in parts to be read one after the other."""
    rows = rows_of(words)
    gutter = _gutter(rows) if depth < _MAX_DEPTH else None
    if gutter is None:
        return [list(words)] if words else []
    parts: list[list[Word]] = []
    left: list[Word] = []
    right: list[Word] = []
    across: list[Word] = []
    for row in [*rows, []]:
        crosses = _covers(row, gutter) or (bool(across) and _goes_on(across, row, gutter))
        if (crosses or not row) and (left or right):
            parts += _columns(left, depth + 1) + _columns(right, depth + 1)
            left, right = [], []
        if (not crosses) and across:
            parts.append(across)
            across = []
        if crosses:
            across += row
        else:
            left += [word for word in row if word.x1 <= gutter]
            right += [word for word in row if word.x0 >= gutter]
    return parts


def _goes_on(above: Sequence[Word], row: Sequence[Word], gutter: float) -> bool:
    """Whether a row left of the gutter is the last one of a title or paragraph that stands across it."""
    if not row or row[-1].x1 > gutter:
        return False
    gap = min(word.top for word in row) - max(word.bottom for word in above)
    return row[0].size == above[-1].size and gap < 0.6 * row[0].size


def _gutter(rows: Sequence[Sequence[Word]]) -> float | None:
    """Where the page is split into two columns of running text, if it is: the middle of the white between them."""
    if len(rows) < _MIN_ROWS:
        return None
    words = [word for row in rows for word in row]
    size = median(word.size for word in words)
    start, end = min(word.x0 for word in words), max(word.x1 for word in words)
    places: Counter[int] = Counter()
    for row in rows:
        for word, after in pairwise(row):
            if after.x0 - word.x1 >= _GUTTER * size:
                places[round((word.x1 + after.x0) / 2)] += 1
    for place, _ in places.most_common(8):
        narrow = _MIN_COLUMN * (end - start)
        if start + narrow < place < end - narrow and _parts_columns(rows, place):
            return float(place)
    return None


def _parts_columns(rows: Sequence[Sequence[Word]], place: float) -> bool:
    both = [row for row in rows if row[0].x1 <= place <= row[-1].x0 and not _covers(row, place)]
    if len(both) < _MIN_ROWS or sum(_covers(row, place) for row in rows) > _MAX_CROSSING * len(rows):
        return False
    return all(
        _fill([(row_side[0].x0, row_side[-1].x1) for row_side in sides]) >= _MIN_FILL
        for sides in (
            [[word for word in row if word.x1 <= place] for row in both],
            [[word for word in row if word.x0 >= place] for row in both],
        )
    )


def _covers(row: Sequence[Word], place: float) -> bool:
    return any(word.x0 < place < word.x1 for word in row)


def _fill(extents: Sequence[tuple[float, float]]) -> float:
    """Share of a column's width that its lines usually fill."""
    width = max(end for _, end in extents) - min(start for start, _ in extents)
    return median(end - start for start, end in extents) / width if width else 0.0
