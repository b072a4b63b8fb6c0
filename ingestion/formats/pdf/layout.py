"""The words of a page to rows, lines and columns, in the order in which they are read, and lines to running text.

Coordinates are points, y counted downwards from the top of the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby
from statistics import median, quantiles
from typing import Any

UNKNOWN = re.compile(r"\(cid:\d+\)")  # a letter of a font that does not say which it is
_SOFT = "\u00ad"
_HYPHENS = ("-", "\u2010")
_BROKEN = re.compile(r"(?:^|[\s(“\"'‘])([^\W\d_]+)[-\u2010\u00ad]$")
_REST = re.compile(r"[^\W\d_]+")
_SPACE = 0.15  # of the letters' size: a wider gap separates words
_BOLD = ("bold", "black", "heavy", "semibold", "demi")
_SUPERSCRIPT = 0.75  # of the line's size
_GUTTER = 0.9  # of the letters' size: what separates columns is at least as wide
_MIN_COLUMN = 0.2  # of the text's width
_MIN_FILL = 0.55  # of a column's width that its lines usually fill; the cells of a table do not
_FULL = 0.8  # of the width that a quarter of its lines fill, where the usual line is an item
_MIN_ROWS = 5  # that have words on both sides of a gutter
_MAX_CROSSING = 0.4  # share of a page's rows that may cross a gutter: titles, and text in one column
_MAX_NARROW = 0.1  # share of the rows in which the gap at a gutter may be one between words
_MAX_DEPTH = 3  # columns in columns
_NEAR = 8.0  # points that the gutter of a page may be off that of pages before


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
class TextLine:
    """A line of a column; ``left`` and ``right`` are the column's edges, ``first`` the width of its first word."""

    text: str
    page: int
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool
    left: float
    right: float
    first: float


Row = Sequence[Word]


def words_of(page: Any) -> tuple[list[Word], int]:
    """The upright words of one of pdfplumber's pages, and how many others it has."""
    found = page.extract_words(x_tolerance_ratio=_SPACE, keep_blank_chars=False, extra_attrs=["fontname", "size"])
    words = [
        Word(
            word["text"], word["x0"], word["x1"], word["top"], word["bottom"], round(word["size"], 1),
            any(name in word["fontname"].lower() for name in _BOLD),
        )
        for word in found
        if word["upright"]
    ]  # fmt: skip
    return words, len(found) - len(words)


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """Words that stand beside each other, from left to right; rows from top to bottom."""
    rows: list[list[Word]] = []
    middle = height = 0.0
    for word in sorted(words, key=lambda word: ((word.top + word.bottom) / 2, word.x0)):
        begins = not rows or (word.top + word.bottom) / 2 - middle >= 0.4 * max(height, word.size)
        if begins:
            rows.append([])
        rows[-1].append(word)
        if begins or word.size > height:
            middle, height = (word.top + word.bottom) / 2, word.size
    return [sorted(row, key=lambda word: word.x0) for row in rows]


def lines_of(rows: Sequence[Row], page: int) -> list[TextLine]:
    """The rows of one column as lines; a number set small and high is a reference to a note."""
    left = min((row[0].x0 for row in rows), default=0.0)
    right = max((word.x1 for row in rows for word in row), default=0.0)
    lines = []
    for row in rows:
        size = Counter(word.size for word in row for _ in word.text).most_common(1)[0][0]
        text, before = "", None
        for word in row:
            raised = word.size <= _SUPERSCRIPT * size and word.text.isdigit()
            gap = before is not None and word.x0 - before.x1 > _SPACE * min(size, word.size)
            text += (" " if gap and not raised else "") + (f"[{word.text}]" if raised else word.text)
            before = word
        usual = [word for word in row if word.size == size]
        lines.append(
            TextLine(
                text=" ".join(UNKNOWN.sub("", text).split()),
                page=page,
                x0=row[0].x0,
                x1=max(word.x1 for word in row),
                top=min(word.top for word in usual),
                bottom=max(word.bottom for word in usual),
                size=size,
                bold=any(w.bold for w in row) and all(w.bold for w in row if any(map(str.isalnum, w.text))),
                left=left,
                right=right,
                first=row[0].x1 - row[0].x0,
            )
        )
    return lines


class ColumnFinder:
    """Finds the columns of the pages of one document: running text on both sides of a white gutter.

    What one page has, a later one with few lines may have too.
    """

    def __init__(self) -> None:
        self._known: list[float] = []

    def columns_of(self, words: Sequence[Word]) -> list[list[list[Word]]]:
        """The rows of each column of a page, in reading order."""
        return [rows_of(column) for column in self._columns(words, 0)]

    def _columns(self, words: Sequence[Word], depth: int) -> list[list[Word]]:
        rows = rows_of(words)
        gutter = self._gutter(rows) if depth < _MAX_DEPTH else None
        if gutter is None:
            return [list(words)] if words else []
        parts: list[list[Word]] = []
        left: list[Word] = []
        right: list[Word] = []
        across: list[Word] = []
        for row in [*rows, []]:
            crosses = _covers(row, gutter) or (bool(across) and _goes_on(across, row, gutter))
            if (crosses or not row) and (left or right):
                parts += self._columns(left, depth + 1) + self._columns(right, depth + 1)
                left, right = [], []
            if not crosses and across:
                parts.append(across)
                across = []
            if crosses:
                across += row
            else:
                left += [word for word in row if word.x1 <= gutter]
                right += [word for word in row if word.x0 >= gutter]
        return parts

    def _gutter(self, rows: Sequence[Row]) -> float | None:
        """Where the page is split into two columns of running text, if it is: the middle of the white between them."""
        place = _whitest(rows) if len(rows) >= 2 else None
        if place is None:
            return None
        if _parts_columns(rows, place):
            self._known.append(place)
            return place
        again = any(abs(place - known) < _NEAR for known in self._known)
        return place if again and _is_white(rows, place) and not any(_covers(row, place) for row in rows) else None


def _whitest(rows: Sequence[Row]) -> float | None:
    """The middle of the widest strip, away from the margins, that the fewest rows cross."""
    words = [word for row in rows for word in row]
    start, end = int(min(word.x0 for word in words)), int(max(word.x1 for word in words)) + 1
    steps = [0] * (end - start + 2)
    for word in words:
        steps[int(word.x0) - start] += 1
        steps[int(word.x1) + 1 - start] -= 1
    narrow = round(_MIN_COLUMN * (end - start))
    inner = list(accumulate(steps))[narrow : end - start - narrow]
    if not inner:
        return None
    few = min(inner) + max(1, len(rows) // 20)
    strips: list[tuple[int, int]] = []
    at = start + narrow
    for white, run in groupby(count <= few for count in inner):
        width = len(list(run))
        strips += [(width, at)] if white else []
        at += width
    width, at = max(strips)
    return at + width / 2 if width >= _GUTTER * median(word.size for word in words) else None


def _parts_columns(rows: Sequence[Row], place: float) -> bool:
    rows = _levelled(rows, place)
    both = [row for row in rows if row[0].x1 <= place <= row[-1].x0 and not _covers(row, place)]
    if (
        len(both) < _MIN_ROWS
        or not _is_white(both, place, but=1)  # a page's number
        or sum(_covers(row, place) for row in rows) > _MAX_CROSSING * len(rows)
    ):
        return False
    return _is_running_text([[word for word in row if word.x1 <= place] for row in both]) and _is_running_text(
        [[word for word in row if word.x0 >= place] for row in both]
    )


def _levelled(rows: Sequence[Row], place: float) -> Sequence[Row]:
    """The rows; one that stands left of a place and the next, right of it and not wholly below, are one: the lines of
    two columns need not stand at the same heights."""
    levelled: list[Row] = []
    for row in rows:
        above = levelled[-1] if levelled else []
        if _side(above, place) * _side(row, place) < 0 and min(w.top for w in row) < max(w.bottom for w in above):
            levelled[-1] = sorted((*above, *row), key=lambda word: word.x0)
        else:
            levelled.append(row)
    return levelled


def _side(row: Row, place: float) -> int:
    """-1 for a row left of a place, 1 for one right of it, 0 for any other."""
    if not row or row[0].x0 < place < row[-1].x1:
        return 0
    return -1 if row[-1].x1 <= place else 1


def _is_white(rows: Sequence[Row], place: float, but: int = 0) -> bool:
    """Whether the gap at a place is wider than one between words, in nearly all rows that have words on both sides; in
    all ``but`` so many, however few there are."""
    gaps = []
    for row in rows:
        sides = [word.x1 for word in row if word.x1 <= place], [word.x0 for word in row if word.x0 >= place]
        if all(sides):
            gaps.append((min(sides[1]) - max(sides[0])) / row[0].size)
    return sum(gap < _GUTTER for gap in gaps) <= max(but, _MAX_NARROW * len(gaps))


def _is_running_text(rows: Sequence[Row]) -> bool:
    """Whether the rows fill their column as text does."""
    width = max(row[-1].x1 for row in rows) - min(row[0].x0 for row in rows)
    fills = [(row[-1].x1 - row[0].x0) / width if width else 0.0 for row in rows]
    return median(fills) >= _MIN_FILL or quantiles(fills)[2] >= _FULL


def _covers(row: Row, place: float) -> bool:
    return any(word.x0 < place < word.x1 for word in row)


def _goes_on(above: Row, row: Row, gutter: float) -> bool:
    """Whether a row left of the gutter is the last one of a title or paragraph that stands across it."""
    if not row or row[-1].x1 > gutter:
        return False
    gap = min(word.top for word in row) - max(word.bottom for word in above)
    return row[0].size == above[-1].size and gap < 0.6 * row[0].size


# --- running text -----------------------------------------------------------------------------------


def vocabulary(lines: Sequence[str]) -> set[str]:
    """The words of the lines, in lower case: those inside lines, since at their ends they may be broken."""
    return {
        word.strip(".,;:!?()[]“”‘’\"'").lower()
        for line in lines
        for word in line.split()[: -1 if line.endswith((*_HYPHENS, _SOFT)) else None]
    }


def joined(lines: Sequence[str], words: Container[str] = ()) -> str:
    """The lines as one text.

    A word broken at the end of a line is put together where the document has it so, or has no such parts; a hyphen
    that belongs to the word stays. ``words`` are the document's, in lower case, with those written with hyphens.
    """
    text = ""
    for line in lines:
        if not text:
            text = line
        elif text.endswith(_SOFT):
            text = text[:-1] + line
        elif text.endswith(_HYPHENS):
            text = _mended(text, line, words)
        else:
            text = f"{text} {line}"
    return text


def _mended(text: str, line: str, words: Container[str]) -> str:
    before, after = _BROKEN.search(text), _REST.match(line)
    if before is None or after is None:
        return text + line if text[-2:-1].isalnum() else f"{text} {line}"
    first, second = before[1].lower(), after[0].lower()
    if f"{first}-{second}" in words:
        return text + line
    if first + second in words:
        return text[:-1] + line
    stays = after[0][0].isupper() or (first in words and second in words)
    return text + line if stays else text[:-1] + line
