"""Running heads and feet: what stands at the same place of many pages, page numbers; and lines of a contents page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

from clausegraph.ingestion.formats.pdf.lines import Line
from clausegraph.ingestion.formats.pdf.tables import PageTable

_MARGIN = 0.12  # of the page's height, above and below
_SHARE = 0.45  # of the pages: odd and even ones may differ
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:page|p\.?)?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*(?:(?:of|/)\s*\d{1,4})?[-–—\s]*", re.IGNORECASE
)
_AT_AN_END = re.compile(r"^(\d{1,4})\b|\b(\d{1,4})$")
_CONTENTS = re.compile(r".{2,}?(?:\s?[.…·]){5,}\s*(?:\d{1,4}|[ivxlc]{1,6})")


def without_furniture(pieces: Sequence[Line | PageTable], heights: Mapping[int, float]) -> list[Line | PageTable]:
    """The pieces but running heads, feet, page numbers, and entries of a table of contents.

    Args:
        heights: of the pages by number.
    """
    margin = [piece for piece in pieces if isinstance(piece, Line) and _in_margin(piece, heights)]
    pages: dict[Hashable, set[int]] = defaultdict(set)
    for line in margin:
        for sign in _signs(line):
            pages[sign].add(line.page)
    needed = max(2, _SHARE * len(heights))
    out = {
        id(line)
        for line in margin
        if _PAGE_NUMBER.fullmatch(line.text) or any(len(pages[sign]) >= needed for sign in _signs(line))
    }
    return [
        piece
        for piece in pieces
        if isinstance(piece, PageTable) or not (id(piece) in out or _CONTENTS.fullmatch(piece.text))
    ]


def _in_margin(line: Line, heights: Mapping[int, float]) -> bool:
    height = heights[line.page]
    return line.bottom < _MARGIN * height or line.top > (1 - _MARGIN) * height


def _signs(line: Line) -> Iterator[Hashable]:
    """What a running head has in common with those of other pages: its words, or a number that counts the pages."""
    place = round(line.top / 4)
    yield place, _NUMBER.sub("#", line.text.lower())
    for first, last in _AT_AN_END.findall(line.text):
        yield place, int(first or last) - line.page
