"""The formats that are read besides HTML, how they are told apart, and how their files become readings.

Each is one conversion, a pure function from a file's bytes to HTML, which is then read as every page. The file's own
bytes are what is stored; the conversion is part of reading them, and so are the versions of the libraries that do it:
a change re-reads the files of that format only.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from zipfile import BadZipFile, ZipFile

from clausegraph.core.extraction import Reject
from clausegraph.core.hashing import content_hash
from clausegraph.core.pages.decode import decode_page
from clausegraph.core.pages.read import HTML, SourceDocument, nothing_read, read_html, read_whole
from clausegraph.core.types import Reading

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MARKDOWN = "text/markdown"
TEXT = "text/plain"
EML = "message/rfc822"
MHTML = "multipart/related"


class Unreadable(Exception):
    """A file that is not read; ``reason`` is what its reject says."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Converted:
    """A file as HTML.

    ``title`` is one that the file itself gives its content; a doubtful one (of a PDF's properties) stands in the
    HTML's ``<title>``, where a heading of the text comes first. ``updated`` is an ISO date of the file's properties,
    which counts where the text states none. ``left_out`` says what of the file was not read, and why. Of a
    ``web_page`` only the main text is read; of other files everything.
    """

    html: str
    title: str = ""
    updated: str | None = None
    url: str | None = None
    left_out: tuple[str, ...] = ()
    web_page: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """How files of one content type become HTML.

    ``version`` is counted up whenever ``convert`` may give something else; ``libraries`` are the distributions that its
    result depends on; a file may take ``patience`` times the seconds of a page. ``convert`` raises ``Unreadable`` with
    the reason of the reject; for a file that its library cannot stand it may raise anything: the reading process ends,
    and that is the reason.
    """

    name: str
    endings: tuple[str, ...]
    convert: Callable[[bytes], Converted]
    version: int = 1
    libraries: tuple[str, ...] = ()
    patience: int = 1


def _lazy(module: str, function: str) -> Callable[[bytes], Converted]:
    """A conversion of this folder; its libraries are slow to import: only who converts pays for that."""

    def convert(raw: bytes) -> Converted:
        found: Converted = getattr(import_module(f"clausegraph.ingestion.formats.{module}"), function)(raw)
        return found

    return convert


# By content type; a new format is one more entry.
FORMATS: dict[str, Format] = {
    PDF: Format("PDF", (".pdf",), _lazy("pdf.convert", "convert_pdf"), 1, ("pdfplumber", "pdfminer.six"), 12),
    DOCX: Format("Word document", (".docx",), _lazy("docx", "convert_docx"), 1, ("mammoth",), 3),
    MARKDOWN: Format(
        "Markdown", (".md", ".markdown"), _lazy("text", "convert_markdown"), 1, ("markdown-it-py", "mdit-py-plugins")
    ),
    TEXT: Format("plain text", (".txt", ".text"), _lazy("text", "convert_text")),
    EML: Format("e-mail", (".eml",), _lazy("mail", "convert_eml")),
    MHTML: Format("saved web page", (".mhtml", ".mht"), _lazy("mail", "convert_mhtml")),
}

_HTML_ENDINGS = (".html", ".htm", ".xhtml", ".xht")


def content_type_by_ending(name: str) -> str | None:
    """The content type that a file's name promises; none for files that are not read."""
    lowered = name.lower()
    if lowered.endswith(_HTML_ENDINGS):
        return HTML
    return next((kind for kind, one in FORMATS.items() if lowered.endswith(one.endings)), None)


@cache
def _library_version(distribution: str) -> str:
    return version(distribution)


def conversion_fingerprint(content_type: str) -> str:
    """What determines the HTML of files of this type; empty for types that are not converted."""
    found = FORMATS.get(content_type)
    if found is None:
        return ""
    libraries = [f"{name} {_library_version(name)}" for name in found.libraries]
    return content_hash("conversion", content_type, str(found.version), *libraries)[:16]


def read_converted(document: SourceDocument) -> tuple[Reading, tuple[Reject, ...]]:
    """Read a document whose content type is one of ``FORMATS``; one that cannot be read has no elements."""
    try:
        converted = FORMATS[document.content_type].convert(document.raw)
    except Unreadable as error:
        return nothing_read(document, error.reason)
    title, url = document.title or converted.title or None, document.url or converted.url
    page = SourceDocument(document.uri, converted.html.encode("utf-8", "replace"), HTML, title, url)
    reading, rejects = read_html(page) if converted.web_page else read_whole(page, converted.updated)
    return reading, tuple(Reject(document.uri, reason) for reason in converted.left_out) + rejects


# --- what a file is -------------------------------------------------------------------------------

_PDF_MARK = b"%PDF-"
_PDF_WITHIN = 1024  # bytes: some programs write a line before it
_MAGIC = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"II*\x00": "a TIFF image",
    b"MM\x00*": "a TIFF image",
    b"\x1f\x8b": "gzip-compressed",
    b"\x7fELF": "a program",
    b"{\\rtf": "an RTF document",
}
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ARCHIVES = (("word/document", ""), ("xl/", "an Excel workbook"), ("ppt/", "a PowerPoint presentation"))
_TAG = re.compile(
    r"<(?:!doctype\s+html|html|head|body|title|meta|main|article|section|div|span|p|h[1-6]|ul|ol|li|dl|table|tr|td|"
    r"a|b|i|br|hr|font|center|form)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_PAGE_START = re.compile(
    r"(?:\s*<\?xml[^<>]*>)?(?:\s|<!--(?:(?!-->).)*+-->)*+<(?:!doctype\s+html|html[\s>])", re.I | re.S
)
_MAX_PARTS = 10_000
END_BYTES = 65_557  # within which an archive ends
_END_RECORD, _ZIP64 = b"PK\x05\x06", b"PK\x06\x07"
_HEADER = re.compile(r"\s*(?:From \S[^\n]*\n)?[A-Za-z][A-Za-z0-9-]{0,60}:[ \t]*\S?")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_SHARE = 0.02  # text has none, a stray NUL or form feed apart; compressed data has about a tenth


def recognised(name: str, raw: bytes) -> str:
    """The content type to read a file as: by its bytes where they tell, since names lie; else by its name, whose ending
    decides between formats of text. ``Unreadable`` of one that is empty, damaged, or in a format that is not read."""
    if not raw.strip():
        raise Unreadable("the file is empty")
    promised = content_type_by_ending(name)
    if raw.startswith(_PDF_MARK) or (promised == PDF and _PDF_MARK in raw[:_PDF_WITHIN]):
        return PDF
    if raw.startswith(b"PK\x03\x04"):
        return _in_archive(raw)
    kind = next((kind for magic, kind in _MAGIC.items() if raw.startswith(magic)), None)
    if raw.startswith(_OLD_OFFICE):
        kind = "an encrypted Office document" if _ENCRYPTED in raw else "an old Office document; save it as .docx"
    if kind is None and promised in (PDF, DOCX):
        kind = "something else"
    text = decode_page(raw) if kind is None else ""
    if kind is None and (not text.strip() or len(_CONTROL.findall(text)) > max(8, _CONTROL_SHARE * len(text))):
        kind = "binary"
    if kind is not None or promised is None:
        raise Unreadable(_not(promised, name, kind or "text"))
    if promised in (EML, MHTML):
        if _HEADER.match(text) is None:
            raise Unreadable(_not(promised, name, "text without the header lines of a message"))
    elif _PAGE_START.match(text):
        return HTML
    elif promised == HTML and _TAG.search(text) is None:
        raise Unreadable(_not(promised, name, "plain text without any HTML tag"))
    return promised


def _not(promised: str | None, name: str, kind: str) -> str:
    """Why a file is not what its name says."""
    if promised is None:
        ending = f"*.{name.rpartition('.')[2]}" if "." in name else "without an ending"
        read = (*_HTML_ENDINGS, *(ending for one in FORMATS.values() for ending in one.endings))
        return f"the content is {kind}; files {ending} are not read, but {', '.join(read)}"
    expected = "HTML" if promised == HTML else FORMATS[promised].name
    return f"not {expected}: the content is {kind}"


def has_more_parts(end: bytes, most: int) -> bool:
    """Whether a ZIP archive, of which this is the end, says that it has more parts than so many, or very long names.

    Listing very many takes long, and memory: they are counted by the end record.
    """
    at = end.rfind(_END_RECORD, max(0, len(end) - END_BYTES))
    if at < 0 or len(end) < at + 22:
        return False
    listed, size = struct.unpack_from("<HI", end, at + 10)
    return bool(listed > most or size > 100 * most or end[max(0, at - 20) : at].startswith(_ZIP64))


def _in_archive(raw: bytes) -> str:
    if has_more_parts(raw, _MAX_PARTS):
        raise Unreadable(f"a ZIP archive with more than {_MAX_PARTS:,} parts")
    try:
        with ZipFile(io.BytesIO(raw)) as archive:
            names = archive.namelist()
    except (BadZipFile, ValueError, EOFError, NotImplementedError) as error:
        raise Unreadable(f"a damaged ZIP archive or Office document: {error}") from None
    kind = next((kind for start, kind in _ARCHIVES if any(name.startswith(start) for name in names)), "a ZIP archive")
    if kind:
        raise Unreadable(f"the content is {kind}, which is not read")
    return DOCX
