"""Running heads and feet: what stands at the same place of many pages, page numbers; and lines of a contents page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from clausegraph.ingestion.formats.pdf.lines import TextLine
from clausegraph.ingestion.formats.pdf.tables import PageTable

_MARGIN = 0.12  # of the page's height, above and below
_LARGER = 1.1  # times the text's size
_SHARE = 0.45  # of the pages: odd and even ones may differ
_NUMBER = re.compile(r"\d+|\b[ivxlc]+\b")
_PAGE_NUMBER = re.compile(
    r"[-–—\s]*(?:page|p\.?)?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*(?:(?:of|/)\s*\d{1,4})?[-–—\s]*", re.IGNORECASE
)
_FEWEST = {"same": 2, "numbered": 4}  # pages
_OWN = re.compile(r"[.:;!?][\"'”’)\]]*$|^\(?\w{1,3}[.)]\s")  # a sentence or an item
_CONTENTS = re.compile(r".{2,}?(?:\s?[.…·]){5,}\s*(\d{1,4})")
_ENTRIES = 3  # of a table of contents, at least


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
    pages: dict[tuple[str, int, str], set[int]] = defaultdict(set)
    for line in margin:
        for sign in _signs(line, usual):
            pages[sign].add(line.page)
    share = _SHARE * len(heights)
    out = {
        id(line)
        for line in margin
        if _PAGE_NUMBER.fullmatch(line.text)
        or any(len(pages[sign]) >= max(_FEWEST[sign[0]], share) for sign in _signs(line, usual))
    }
    kept = [piece for piece in pieces if id(piece) not in out]
    contents = _contents(kept, len(heights))
    return [piece for piece in kept if id(piece) not in contents]


def _contents(pieces: Sequence[TextLine | PageTable], pages: int) -> set[int]:
    """Ids of the entries of a table of contents: runs of lines that lead with dots to ascending page numbers."""
    found: set[int] = set()
    run: list[tuple[int, int]] = []
    for piece in [*pieces, None]:
        entry = _CONTENTS.fullmatch(piece.text) if isinstance(piece, TextLine) else None
        number = int(entry[1]) if entry else 0
        if entry is not None and number <= pages and (not run or run[-1][1] <= number):
            run.append((id(piece), number))
            continue
        found |= {which for which, _ in run} if len(run) >= _ENTRIES else set()
        run = [(id(piece), number)] if entry is not None and number <= pages else []
    return found


def _in_margin(line: TextLine, heights: Mapping[int, float]) -> bool:
    height = heights[line.page]
    return line.bottom < _MARGIN * height or line.top > (1 - _MARGIN) * height


def _usual_size(lines: Iterable[TextLine]) -> float:
    """Of the letters of most of the text."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def _signs(line: TextLine, usual: float) -> Iterator[tuple[str, int, str]]:
    """What a running head has in common with those of other pages: its words, also with another number in them.

    The latter only of what is no sentence, heading or item: "Chapter 3" may begin a page, and so may "3. Ask."
    """
    place = round(line.top / 4)
    yield "same", place, line.text
    if line.size <= _LARGER * usual and not line.bold and not _OWN.search(line.text):
        yield "numbered", place, _NUMBER.sub("#", line.text.lower())
