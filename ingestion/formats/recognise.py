"""What a file holds: from its bytes where they tell, since names lie; else from its name."""

from __future__ import annotations

import io
import re
import struct
from zipfile import BadZipFile, ZipFile

from clausegraph.core.pages.decode import decode_page
from clausegraph.core.pages.read import HTML
from clausegraph.ingestion.formats.converted import Unreadable
from clausegraph.ingestion.formats.formats import (
    DOCX,
    EML,
    FORMATS,
    MHTML,
    PDF,
    content_type_by_ending,
    endings_read,
)

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
_XML = re.compile(r"\s*<\?xml[^<>]*>")
_PAGE_START = re.compile(r"<(?:!doctype\s+html|html[\s>])", re.IGNORECASE)
_MAX_PARTS = 10_000
_END_RECORD, _ZIP64 = b"PK\x05\x06", b"PK\x06\x07"
_HEADER = re.compile(r"\s*(?:From \S[^\n]*\n)?[A-Za-z][A-Za-z0-9-]{0,60}:[ \t]*\S?")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_SHARE = 0.02  # text has none, a stray NUL or form feed apart; compressed data has about a tenth


def recognised(name: str, raw: bytes) -> str:
    """The content type to read a file as.

    Args:
        name: of the file; its ending decides between formats of text.

    Raises:
        Unreadable: it is empty, damaged, or in a format that is not read.
    """
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
    if kind is not None or promised in (PDF, DOCX):
        raise Unreadable(_not(promised, name, kind or "something else"))
    return _of_text(name, promised, raw)


def _not(promised: str | None, name: str, kind: str) -> str:
    """Why a file is not what its name says."""
    if promised is None:
        ending = f"*.{name.rpartition('.')[2]}" if "." in name else "without an ending"
        return f"the content is {kind}; files {ending} are not read, but {', '.join(endings_read())}"
    expected = "HTML" if promised == HTML else FORMATS[promised].name
    return f"not {expected}: the content is {kind}"


def _in_archive(raw: bytes) -> str:
    if _is_crowded(raw):
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


def _is_crowded(raw: bytes) -> bool:
    """Whether a ZIP archive lists more parts than any document has, by its end record: listing them all takes long."""
    at = raw.rfind(_END_RECORD, max(0, len(raw) - 65_557))
    if at < 0 or len(raw) < at + 22:
        return False
    listed, size = struct.unpack_from("<HI", raw, at + 10)
    return bool(listed > _MAX_PARTS or size > 100 * _MAX_PARTS or raw[max(0, at - 20) : at].startswith(_ZIP64))


def _of_text(name: str, promised: str | None, raw: bytes) -> str:
    text = decode_page(raw)
    if not text.strip() or len(_CONTROL.findall(text)) > max(8, _CONTROL_SHARE * len(text)):
        raise Unreadable(_not(promised, name, "binary"))
    if promised is None:
        raise Unreadable(_not(promised, name, "text"))
    if promised in (EML, MHTML):
        if _HEADER.match(text) is None:
            raise Unreadable(_not(promised, name, "text without the header lines of a message"))
        return promised
    if _is_whole_page(text):
        return HTML
    if promised == HTML and _TAG.search(text) is None:
        raise Unreadable(_not(promised, name, "plain text without any HTML tag"))
    return promised


def _is_whole_page(text: str) -> bool:
    """Whether a text begins as a page does, behind an XML declaration and comments."""
    declared = _XML.match(text)
    rest = text[declared.end() if declared else 0 :]
    start = len(rest) - len(rest.lstrip())
    while rest.startswith("<!--", start):
        end = rest.find("-->", start)
        if end < 0:
            return False
        start = end + 3
        while rest[start : start + 1].isspace():
            start += 1
    return _PAGE_START.match(rest, start) is not None
