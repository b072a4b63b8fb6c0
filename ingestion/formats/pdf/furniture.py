"""Running heads and feet: what stands at the same place of many pages, page numbers; and lines of a contents page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from clausegraph.ingestion.formats.pdf.lines import TextLine
from clausegraph.ingestion.formats.pdf.tables import PageTable

_MARGIN = 0.12  # of the page's height, above and below
_LARGER = 1.1  # times the text's size
_SHARE = 0.45  # of the pages: odd and even ones may differ
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:page|p\.?)?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*(?:(?:of|/)\s*\d{1,4})?[-–—\s]*", re.IGNORECASE
)
_AT_AN_END = re.compile(r"^(\d{1,4})\b|\b(\d{1,4})$")
_CONTENTS = re.compile(r".{2,}?(?:\s?[.…·]){5,}\s*(?:\d{1,4}|[ivxlc]{1,6})")


def without_furniture(
    pieces: Sequence[TextLine | PageTable], heights: Mapping[int, float]
) -> list[TextLine | PageTable]:
    """The pieces but running heads, feet, page numbers, and entries of a table of contents.

    Args:
        heights: of the pages by number.
    """
    lines = [piece for piece in pieces if isinstance(piece, TextLine)]
    margin = [line for line in lines if _in_margin(line, heights)]
    usual = _usual_size(lines)
    pages: dict[Hashable, set[int]] = defaultdict(set)
    for line in margin:
        for sign in _signs(line, usual):
            pages[sign].add(line.page)
    needed = max(2, _SHARE * len(heights))
    out = {
        id(line)
        for line in margin
        if _PAGE_NUMBER.fullmatch(line.text) or any(len(pages[sign]) >= needed for sign in _signs(line, usual))
    }
    return [
        piece
        for piece in pieces
        if isinstance(piece, PageTable) or not (id(piece) in out or _CONTENTS.fullmatch(piece.text))
    ]


def _in_margin(line: TextLine, heights: Mapping[int, float]) -> bool:
    height = heights[line.page]
    return line.bottom < _MARGIN * height or line.top > (1 - _MARGIN) * height


def _usual_size(lines: Iterable[TextLine]) -> float:
    """Of the letters of most of the text."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def _signs(line: TextLine, usual: float) -> Iterator[Hashable]:
    """What a running head has in common with those of other pages: its words, or a number that counts the pages.

    Of larger letters only the words as they are: "Chapter 3" may begin a page.
    """
    place = round(line.top / 4)
    if line.size > _LARGER * usual:
        yield place, line.text
        return
    yield place, _NUMBER.sub("#", line.text.lower())
    for first, last in _AT_AN_END.findall(line.text):
        yield place, int(first or last) - line.page
