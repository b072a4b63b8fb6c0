"""The words of a page to rows and lines.

Coordinates are points, y counted downwards from the top of the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

_SPACE = 0.15  # of the letters' size: a wider gap separates words
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
    left: float = 0.0
    right: float = 0.0
    first: float = 0.0


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


def lines_of(rows: Sequence[Sequence[Word]], page: int) -> list[TextLine]:
    """The rows of one column as lines."""
    left = min((row[0].x0 for row in rows), default=0.0)
    right = max((word.x1 for row in rows for word in row), default=0.0)
    return [replace(_line(row, page), left=left, right=right) for row in rows]


def _line(row: Sequence[Word], page: int) -> TextLine:
    """Words of one row as a line; a number set small and high is a reference to a note."""
    size = Counter(word.size for word in row for _ in word.text).most_common(1)[0][0]
    text, before = "", None
    for word in row:
        raised = word.size <= _SUPERSCRIPT * size and word.text.isdigit()
        gap = before is not None and word.x0 - before.x1 > _SPACE * min(size, word.size)
        text += (" " if gap and not raised else "") + (f"[{word.text}]" if raised else word.text)
        before = word
    usual = [word for word in row if word.size == size]
    return TextLine(
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
