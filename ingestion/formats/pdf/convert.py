"""A PDF's text layer to HTML, by pdfplumber (pdfminer.six reads the file)."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFPasswordIncorrect
from pdfminer.psparser import PSException
from pdfplumber.utils.exceptions import PdfminerException

from clausegraph.core.pages.page_facts import iso_date
from clausegraph.ingestion.formats.converted import Converted, Unreadable
from clausegraph.ingestion.formats.pdf.columns import ColumnFinder
from clausegraph.ingestion.formats.pdf.furniture import without_furniture
from clausegraph.ingestion.formats.pdf.html import html_of
from clausegraph.ingestion.formats.pdf.lines import UNKNOWN, TextLine, Word, words_of
from clausegraph.ingestion.formats.pdf.structure import Piece, blocks_of
from clausegraph.ingestion.formats.pdf.tables import pieces_of, ruled_tables

MAX_PAGES = 2000
_MAX_UNKNOWN = 0.1  # of the words
_DATE = re.compile(r"(?:D:)?(\d{4})(\d{2})(\d{2})")
_NO_TITLE = re.compile(r"untitled|document\s*\d*|.*\.(?:docx?|pdf|indd|odt|pptx?|xlsx?|rtf|txt)|\W*", re.IGNORECASE)
_PRINTED_BY = re.compile(r"^microsoft (?:word|powerpoint|excel) - ", re.IGNORECASE)
_SCANNED = 0.5  # of the page
_MAX_NAMED = 10  # ranges of pages


def convert_pdf(raw: bytes) -> Converted:
    """The text of a PDF with headings, lists and ruled tables; each element has its page's number.

    Raises:
        Unreadable: it is encrypted, damaged, a scan without text, or longer than ``MAX_PAGES``.
    """
    try:
        with pdfplumber.open(io.BytesIO(raw), unicode_norm="NFC") as pdf:
            return _converted(pdf)
    except PdfminerException as error:
        raise Unreadable(_why(error.args[0] if error.args else error)) from None
    except PSException as error:
        raise Unreadable(_why(error)) from None
    except RecursionError:
        raise Unreadable("a damaged PDF: its objects are nested too deeply") from None


def _why(error: object) -> str:
    if isinstance(error, PDFPasswordIncorrect):
        return "an encrypted PDF: it opens with a password only; save it without one"
    return f"a damaged PDF: {' '.join(str(error).split())[:200] or type(error).__name__}"


def _converted(pdf: Any) -> Converted:
    if len(pdf.pages) > MAX_PAGES:
        raise Unreadable(f"the PDF has {len(pdf.pages):,} pages; the limit is {MAX_PAGES:,}: split it")
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
    kept = without_furniture(pieces, heights)
    read = {piece.page for piece in kept}
    scans = [number for number in pictured if number not in read]
    if not kept:
        raise Unreadable(_why_nothing(len(heights), scans))
    body = html_of(blocks_of(kept))
    title = _title(pdf.metadata)
    opening = " ".join(piece.text for piece in pieces if isinstance(piece, TextLine) and piece.page == 1)
    stated = title if title.casefold() in opening.casefold() else ""  # else somebody may have forgotten to change it
    head = f"<head><title>{escape(title)}</title></head>" if title else ""
    said = [f"{_pages(scans)} a scan without text: recognise it first (OCR)"] if scans else []
    said += [f"words set sideways were not read: {_pages(sideways).rpartition(' ')[0]}"] if sideways else []
    return Converted(f"<html>{head}<body>{body}</body></html>", stated, _date(pdf.metadata), left_out=tuple(said))


def _is_pictured(page: Any) -> bool:
    """Whether a picture covers most of a page, as of a scan."""
    size = float(page.width) * float(page.height)
    return any(
        _SCANNED * size < (image["x1"] - image["x0"]) * (image["bottom"] - image["top"]) for image in page.images
    )


def _why_nothing(pages: int, scans: Sequence[int]) -> str:
    if not scans:
        return "the PDF has no text"
    return f"a scan: none of its {pages} pages has a text layer; recognise its text first (OCR)"


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
