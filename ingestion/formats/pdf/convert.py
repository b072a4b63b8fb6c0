"""A PDF's text layer to HTML, by pdfplumber (pdfminer.six reads the file), without running heads, feet and contents."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect
from pdfminer.psparser import PSException
from pdfplumber.utils.exceptions import PdfminerException

from clausegraph.core.pages.page_facts import iso_date
from clausegraph.ingestion.formats.formats import Converted, Unreadable
from clausegraph.ingestion.formats.pdf.blocks import html_of, usual_size
from clausegraph.ingestion.formats.pdf.layout import UNKNOWN, ColumnFinder, TextLine, Word, words_of
from clausegraph.ingestion.formats.pdf.tables import PageTable, pieces_of, ruled_tables

_MAX_PAGES = 2000
_MAX_UNKNOWN = 0.1  # of the words
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})(\d{2})")
_NO_TITLE = re.compile(r"untitled|document\s*\d*|.*\.(?:docx?|pdf|indd|odt|pptx?|xlsx?|rtf|txt)|\W*", re.IGNORECASE)
_PRINTED_BY = re.compile(r"^microsoft (?:word|powerpoint|excel) - ", re.IGNORECASE)
_SCANNED = 0.5  # of the page
_MAX_NAMED = 10  # ranges of pages

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

Piece = TextLine | PageTable


def convert_pdf(raw: bytes) -> Converted:
    """The text of a PDF with headings, lists and tables; each element has its page's number."""
    try:
        with pdfplumber.open(io.BytesIO(raw), unicode_norm="NFC") as pdf:
            return _converted(pdf)
    except (PdfminerException, PSException) as error:
        cause = error.args[0] if isinstance(error, PdfminerException) and error.args else error
        if isinstance(cause, PDFPasswordIncorrect):
            raise Unreadable("an encrypted PDF: it opens with a password only; save it without one") from None
        raise Unreadable(f"a damaged PDF: {' '.join(str(cause).split())[:200] or type(cause).__name__}") from None
    except RecursionError:
        raise Unreadable("a damaged PDF: its objects are nested too deeply") from None


def _converted(pdf: Any) -> Converted:
    if len(pdf.pages) > _MAX_PAGES:
        raise Unreadable(f"the PDF has {len(pdf.pages):,} pages; the limit is {_MAX_PAGES:,}: split it")
    heights: dict[int, float] = {}
    pieces: list[Piece] = []
    pictured: list[int] = []
    sideways: list[int] = []
    words = unknown = 0
    finder = ColumnFinder()
    for page in pdf.pages:
        heights[page.page_number] = float(page.height)
        found, turned = words_of(page)
        words, unknown = words + len(found), unknown + sum(bool(UNKNOWN.search(word.text)) for word in found)
        sideways += [page.page_number] if turned else []
        pictured += [page.page_number] if _is_pictured(page) else []
        pieces += _pieces(page, found, finder)
        page.close()
    if unknown > _MAX_UNKNOWN * words:
        raise Unreadable("its fonts do not say which letters they show; recognise its text first (OCR)")
    kept = _without_contents(_without_running_heads(pieces, heights), len(heights))
    read = {piece.page for piece in kept}
    scans = [number for number in pictured if number not in read]
    if not kept and scans:
        raise Unreadable(f"a scan: none of its {len(heights)} pages has a text layer; recognise its text first (OCR)")
    if not kept:
        raise Unreadable("the PDF has no text")
    title = _title(pdf.metadata)
    opening = " ".join(piece.text for piece in pieces if isinstance(piece, TextLine) and piece.page == 1)
    stated = title if title.casefold() in opening.casefold() else ""  # else somebody may have forgotten to change it
    head = f"<head><title>{escape(title)}</title></head>" if title else ""
    said = [f"{_pages(scans)} a scan without text: recognise it first (OCR)"] if scans else []
    said += [f"words set sideways were not read: {_pages(sideways).rpartition(' ')[0]}"] if sideways else []
    html = f"<html>{head}<body>{html_of(kept)}</body></html>"
    return Converted(html, stated, _date(pdf.metadata), left_out=tuple(said))


def _is_pictured(page: Any) -> bool:
    """Whether a picture covers most of a page, as of a scan."""
    size = float(page.width) * float(page.height)
    return any(
        _SCANNED * size < (image["x1"] - image["x0"]) * (image["bottom"] - image["top"]) for image in page.images
    )


def _pieces(page: Any, words: Sequence[Word], finder: ColumnFinder) -> list[Piece]:
    """Lines and tables of a page in reading order: a ruled table before the first line below it in its column."""
    waiting = sorted(ruled_tables(page, words, page.page_number), key=lambda table: table.top)
    free = [word for word in words if not any(table.holds(word) for table in waiting)]
    pieces: list[Piece] = []
    for piece in (piece for rows in finder.columns_of(free) for piece in pieces_of(rows, page.page_number)):
        right = piece.right if isinstance(piece, TextLine) else piece.x1
        while waiting and waiting[0].bottom <= piece.top + 1 and waiting[0].x0 < right:
            pieces.append(waiting.pop(0))
        pieces.append(piece)
    return [*pieces, *waiting]


def _title(properties: Mapping[str, Any]) -> str:
    """The title of the file's properties, unless a program made it up."""
    title = _PRINTED_BY.sub("", " ".join(str(properties.get("Title") or "").split()))
    return "" if _NO_TITLE.fullmatch(title) else title


def _date(properties: Mapping[str, Any]) -> str | None:
    for key in ("ModDate", "CreationDate"):
        found = _DATE.match(str(properties.get(key) or ""))
        if found and (day := iso_date("-".join(found.groups()))):
            return day
    return None


def _pages(numbers: Sequence[int]) -> str:
    """Page numbers in ranges: "pages 1, 3-5 are"."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    named = ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in ranges[:_MAX_NAMED])
    more = " and others" if len(ranges) > _MAX_NAMED else ""
    return f"pages {named}{more} are" if len(numbers) > 1 else f"page {named} is"


# --- running heads and contents ---------------------------------------------------------------------


def _without_running_heads(pieces: Sequence[Piece], heights: Mapping[int, float]) -> list[Piece]:
    """The pieces but page numbers, and what stands at the same place of many pages; ``heights`` by page number."""
    lines = [piece for piece in pieces if isinstance(piece, TextLine)]
    usual = usual_size(lines)
    margin = [
        line
        for line in lines
        if line.bottom < _MARGIN * heights[line.page] or line.top > (1 - _MARGIN) * heights[line.page]
    ]
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
    return [piece for piece in pieces if id(piece) not in out]


def _signs(line: TextLine, usual: float) -> Iterator[tuple[str, int, str]]:
    """What a running head has in common with those of other pages: its words, also with another number in them.

    The latter only of what is no sentence, heading or item: "Chapter 3" may begin a page, and so may "3. Ask."
    """
    place = round(line.top / 4)
    yield "same", place, line.text
    if line.size <= _LARGER * usual and not line.bold and not _OWN.search(line.text):
        yield "numbered", place, _NUMBER.sub("#", line.text.lower())


def _without_contents(pieces: Sequence[Piece], pages: int) -> list[Piece]:
    """The pieces but runs of lines that lead with dots to ascending page numbers: entries of a table of contents."""
    kept: list[Piece] = []
    run: list[Piece] = []
    last = 0
    for piece in pieces:
        entry = _CONTENTS.fullmatch(piece.text) if isinstance(piece, TextLine) else None
        number = int(entry[1]) if entry else pages + 1
        if number > pages or number < last:
            kept += [] if len(run) >= _ENTRIES else run
            run, last = [], 0
        if number <= pages:
            run.append(piece)
            last = number
        else:
            kept.append(piece)
    return kept + ([] if len(run) >= _ENTRIES else run)
