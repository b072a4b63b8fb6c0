"""The columns of a page, in the order in which they are read: running text on both sides of a white gutter."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, groupby
from statistics import median, quantiles

from clausegraph.ingestion.formats.pdf.lines import Word, rows_of

_GUTTER = 0.9  # of the letters' size: what separates columns is at least as wide
_MIN_COLUMN = 0.2  # of the text's width
_MIN_FILL = 0.55  # of a column's width that its lines usually fill; the cells of a table do not
_FULL = 0.8  # of the width that a quarter of its lines fill, where the usual line is an item
_MIN_ROWS = 5  # that have words on both sides of a gutter
_MAX_CROSSING = 0.4  # share of a page's rows that may cross a gutter: titles, and text in one column
_NEARLY = 0.9  # of the rows
_MAX_DEPTH = 3  # columns in columns
_NEAR = 8.0  # points that the gutter of a page may be off that of pages before

Rows = Sequence[Sequence[Word]]


class ColumnFinder:
    """Finds the columns of the pages of one document; what one page has, a later one with few lines may have too."""

    def __init__(self) -> None:
        self._known: list[float] = []

    def columns_of(self, words: Sequence[Word]) -> list[list[list[Word]]]:
        """The rows of each column of a page, in reading order."""
        return [rows_of(column) for column in self._columns(words, 0)]

    def _columns(self, words: Sequence[Word], depth: int) -> list[list[Word]]:
        """The words in parts to be read one after the other."""
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

    def _gutter(self, rows: Rows) -> float | None:
        """Where the page is split into two columns of running text, if it is: the middle of the white between them."""
        place = _whitest(rows) if len(rows) >= 2 else None
        if place is None:
            return None
        if _parts_columns(rows, place):
            self._known.append(place)
            return place
        again = any(abs(place - known) < _NEAR for known in self._known)
        return place if again and _is_white(rows, place) and not any(_covers(row, place) for row in rows) else None


def _whitest(rows: Rows) -> float | None:
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


def _parts_columns(rows: Rows, place: float) -> bool:
    rows = _levelled(rows, place)
    both = [row for row in rows if row[0].x1 <= place <= row[-1].x0 and not _covers(row, place)]
    if (
        len(both) < _MIN_ROWS
        or not _is_white(both, place, but=1)  # a page's number
        or sum(_covers(row, place) for row in rows) > _MAX_CROSSING * len(rows)
    ):
        return False
    left = [[word for word in row if word.x1 <= place] for row in both]
    right = [[word for word in row if word.x0 >= place] for row in both]
    return _is_running_text(left) and _is_running_text(right)


def _levelled(rows: Rows, place: float) -> Rows:
    """The rows; one that stands left of a place and the next, right of it and not wholly below, are one: the lines of
    two columns need not stand at the same heights."""
    levelled: list[Sequence[Word]] = []
    for row in rows:
        above = levelled[-1] if levelled else []
        if _sides(above, place) * _sides(row, place) < 0 and min(w.top for w in row) < max(w.bottom for w in above):
            levelled[-1] = sorted((*above, *row), key=lambda word: word.x0)
        else:
            levelled.append(row)
    return levelled


def _sides(row: Sequence[Word], place: float) -> int:
    """-1 for a row left of a place, 1 for one right of it, 0 for any other."""
    if not row or row[0].x0 < place < row[-1].x1:
        return 0
    return -1 if row[-1].x1 <= place else 1


def _is_white(rows: Rows, place: float, but: int = 0) -> bool:
    """Whether the gap at a place is wider than one between words, in nearly all rows that have words on both sides.

    Args:
        but: rows that may have a narrower one, however few there are.
    """
    gaps = []
    for row in rows:
        sides = [word.x1 for word in row if word.x1 <= place], [word.x0 for word in row if word.x0 >= place]
        if all(sides):
            gaps.append((min(sides[1]) - max(sides[0])) / row[0].size)
    narrow = sum(gap < _GUTTER for gap in gaps)
    return narrow <= max(but, (1 - _NEARLY) * len(gaps))


def _is_running_text(rows: Rows) -> bool:
    """Whether the rows fill their column as text does."""
    width = max(row[-1].x1 for row in rows) - min(row[0].x0 for row in rows)
    fills = [(row[-1].x1 - row[0].x0) / width if width else 0.0 for row in rows]
    return median(fills) >= _MIN_FILL or quantiles(fills)[2] >= _FULL


def _covers(row: Sequence[Word], place: float) -> bool:
    return any(word.x0 < place < word.x1 for word in row)


def _goes_on(above: Sequence[Word], row: Sequence[Word], gutter: float) -> bool:
    """Whether a row left of the gutter is the last one of a title or paragraph that stands across it."""
    if not row or row[-1].x1 > gutter:
        return False
    gap = min(word.top for word in row) - max(word.bottom for word in above)
    return row[0].size == above[-1].size and gap < 0.6 * row[0].size
