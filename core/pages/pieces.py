"""A reading cut into pieces that can be shown one by one: a few sentences, or some rows of a table in Markdown.

After ElectricSheep's chunks for CRAG: a question keeps the text that follows it, other sentences go by three, tables
stand apart from text under the page's name, and a large one is split by rows with its header repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from clausegraph.core.hashing import content_hash
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.types import Chunk, Element, Reading, Span

CHARACTERS = 600  # of a piece's sentences, and of a piece of a table beyond its header
TOGETHER = 3  # sentences of a piece
_CELL = " | "
_MOST_HEADER = 300  # characters of a header that is repeated
_MIN_CELLS = 2  # of a row of a table; what has one is text
_ASKS = re.compile(r"(?:who|whom|whose|what|when|where|why|which|how)\b", re.IGNORECASE)
_MOST_ASKED = 15  # words of a heading that asks without a question mark


_APPARATUS = frozenset(
    """references|notes and references|citations|footnotes|works cited|bibliography|external links|further reading
see also""".replace("\n", "|").split("|")
)  # headings under which a page lists others


@dataclass(frozen=True, slots=True)
class PagePiece:
    """Some sentences, or some rows of a table.

    Args:
        text: the sentences joined by spaces; of a table the page's name, then Markdown with the header's row.
        headings: path above it, outermost first.
        parts: where it stands, in the page's order; a repeated header is no part.
    """

    text: str
    headings: tuple[str, ...]
    parts: tuple[Span, ...]
    is_table: bool = False


@dataclass(frozen=True, slots=True)
class _Sentence:
    element: Element
    start: int
    end: int
    text: str
    asks: bool


def pieces_of(
    reading: Reading, *, characters: int = CHARACTERS, name: str = "", grouped: bool = True
) -> tuple[PagePiece, ...]:
    """The pieces of a page in its order; every sentence and every row with text is in one.

    Args:
        characters: a longer sentence, or row, is cut there, and that of a piece which would grow longer begins another.
        name: of the page, above its tables; none means its title.
        grouped: else each sentence is a piece.
    """
    found: list[PagePiece] = []
    for is_table, run in groupby(reading.elements, key=_is_row):
        if is_table:
            for table in _tables(list(run)):
                found += _table_pieces(table, name or reading.title, characters)
        else:
            found += _text_pieces(list(run), characters, grouped)
    return tuple(found)


def with_pieces(reading: Reading, *, characters: int = CHARACTERS, name: str = "", grouped: bool = True) -> Reading:
    """The reading with its pieces as chunks, in the same order; their keys are p0, p1, …"""
    title = name or reading.title
    chunks = []
    for number, piece in enumerate(pieces_of(reading, characters=characters, name=name, grouped=grouped)):
        lines = [*([] if piece.is_table else [title]), *(h for h in piece.headings if h != title), piece.text]
        text = "\n".join(lines)
        chunks.append(Chunk(f"p{number}", piece.headings, piece.parts, text, content_hash("piece", text)))
    return replace(reading, title=title, chunks=tuple(chunks))


def is_apparatus(headings: Sequence[str]) -> bool:
    """Whether what stands under these headings only lists other works and pages: an encyclopedia's references."""
    return any(heading.partition("[")[0].strip().lower() in _APPARATUS for heading in headings[1:])


def _is_row(element: Element) -> bool:
    return element.tag == "tr" and len(_cells(element)) >= _MIN_CELLS


def _cells(row: Element) -> list[str]:
    return row.text.split(_CELL)


# --- text -----------------------------------------------------------------------------------------


def _text_pieces(elements: Sequence[Element], characters: int, grouped: bool) -> Iterator[PagePiece]:
    for _, under in groupby(_sentences(elements, characters), key=lambda one: _path(one.element)):
        held: list[_Sentence] = []
        for sentence in under:
            if held and not (grouped and _joins(held, sentence, characters)):
                yield _piece(held)
                held = []
            held.append(sentence)
        if held:
            yield _piece(held)


def _path(element: Element) -> tuple[str, ...]:
    """The headings over a sentence; a heading that asks stands under itself, with what follows it."""
    return (*element.headings, element.text) if element.is_heading else element.headings


def _joins(held: Sequence[_Sentence], sentence: _Sentence, characters: int) -> bool:
    if sentence.asks or sum(len(one.text) + 1 for one in held) + len(sentence.text) > characters:
        return False
    return held[0].asks or len(held) < TOGETHER


def _sentences(elements: Sequence[Element], characters: int) -> Iterator[_Sentence]:
    for element in elements:
        if element.is_heading and not _asks(element.text, is_heading=True):
            continue  # it is in the path of what it heads
        spans = [(0, len(element.text))] if element.is_heading else sentence_spans(element.text)
        for start, end in spans:
            cut = _cut(element.text, start, end, characters)
            text = element.text[start:cut]
            yield _Sentence(element, start, cut, text, _asks(text, is_heading=element.is_heading))


def _asks(text: str, *, is_heading: bool) -> bool:
    if text.rstrip("\"'”’) ").endswith("?"):
        return True
    return is_heading and bool(_ASKS.match(text)) and len(text.split()) <= _MOST_ASKED


def _cut(text: str, start: int, end: int, characters: int) -> int:
    """Where a sentence ends that may have so many characters: before a word."""
    if end - start <= characters:
        return end
    space = text.rfind(" ", start, start + characters + 1)
    return space if space > start else start + characters


def _piece(held: Sequence[_Sentence]) -> PagePiece:
    parts = tuple(Span(one.element.anchor, one.start, one.end) for one in held)
    return PagePiece(" ".join(one.text for one in held), held[-1].element.headings, parts)


# --- tables ---------------------------------------------------------------------------------------


def _tables(rows: Sequence[Element]) -> Iterator[list[Element]]:
    """Rows that follow each other, parted where another table begins: its header, other headings, another lead-in."""
    held: list[Element] = []
    for row in rows:
        if held and _begins_table(held[-1], row):
            yield held
            held = []
        held.append(row)
    if held:
        yield held


def _begins_table(before: Element, row: Element) -> bool:
    if before.headers and row.headers:
        return before.headers != row.headers and len(before.headers) == len(row.headers)
    return bool(before.headers) or (before.headings, before.lead_in) != (row.headings, row.lead_in)


def _table_pieces(rows: Sequence[Element], name: str, characters: int) -> Iterator[PagePiece]:
    header = next((row.headers for row in rows if any(row.headers)), ())
    body = [row for row in rows if row.headers or not header] if header else list(rows)
    filled = [row for row in body if any(cell.strip(" -–—") for cell in _cells(row))]
    if not filled:
        return
    head = _head_lines(header, max(len(_cells(row)) for row in filled))
    held: list[Element] = []
    size = 0
    for row in filled:
        if held and (size + len(row.text) > characters or row.headings != held[-1].headings):
            yield _table_piece(held, name, head, characters)
            held, size = [], 0
        held.append(row)
        size += len(row.text)
    yield _table_piece(held, name, head, characters)


def _head_lines(header: Sequence[str], columns: int) -> list[str]:
    names = list(header) or [""] * columns
    if len(_CELL.join(names)) > _MOST_HEADER:
        names = [one[: max(3, _MOST_HEADER // len(names))] for one in names]
    return [_line(names), "|" + " --- |" * len(names)]


def _table_piece(rows: Sequence[Element], name: str, head: Sequence[str], characters: int) -> PagePiece:
    cuts = [_cut(row.text, 0, len(row.text), characters) for row in rows]
    lines = [_line(row.text[:cut].split(_CELL)) for row, cut in zip(rows, cuts, strict=True)]
    parts = tuple(Span(row.anchor, 0, cut) for row, cut in zip(rows, cuts, strict=True))
    return PagePiece("\n".join([name, *head, *lines]), rows[0].headings, parts, is_table=True)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.strip().replace("|", "\\|") for cell in cells) + " |"
