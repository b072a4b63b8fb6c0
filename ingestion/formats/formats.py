"""The formats that are read besides HTML: each is one conversion, a pure function from a file's bytes to HTML.

The file's own bytes are what is stored; the conversion is part of reading them, and so are the versions of the
libraries that do it: a change re-reads the files of that format only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from clausegraph.core.hashing import content_hash
from clausegraph.core.pages.read import HTML
from clausegraph.ingestion.formats.converted import Converted

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
MARKDOWN = "text/markdown"
TEXT = "text/plain"
EML = "message/rfc822"
MHTML = "multipart/related"


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


# The libraries are slow to import: only who converts pays for that.


def _pdf(raw: bytes) -> Converted:
    from clausegraph.ingestion.formats.pdf.convert import convert_pdf

    return convert_pdf(raw)


def _docx(raw: bytes) -> Converted:
    from clausegraph.ingestion.formats.docx import convert_docx

    return convert_docx(raw)


def _markdown(raw: bytes) -> Converted:
    from clausegraph.ingestion.formats.markdown import convert_markdown

    return convert_markdown(raw)


def _text(raw: bytes) -> Converted:
    from clausegraph.ingestion.formats.text import convert_text

    return convert_text(raw)


def _eml(raw: bytes) -> Converted:
    from clausegraph.ingestion.formats.mail import convert_eml

    return convert_eml(raw)


def _mhtml(raw: bytes) -> Converted:
    from clausegraph.ingestion.formats.mail import convert_mhtml

    return convert_mhtml(raw)


# By content type; a new format is one more entry.
FORMATS: dict[str, Format] = {
    PDF: Format("PDF", (".pdf",), _pdf, 1, ("pdfplumber", "pdfminer.six"), 12),
    DOCX: Format("Word document", (".docx",), _docx, 1, ("mammoth",), 3),
    MARKDOWN: Format("Markdown", (".md", ".markdown"), _markdown, libraries=("markdown-it-py", "mdit-py-plugins")),
    TEXT: Format("plain text", (".txt", ".text"), _text),
    EML: Format("e-mail", (".eml",), _eml),
    MHTML: Format("saved web page", (".mhtml", ".mht"), _mhtml),
}

HTML_ENDINGS = (".html", ".htm", ".xhtml", ".xht")


def content_type_by_ending(name: str) -> str | None:
    """The content type that a file's name promises; none for files that are not read."""
    lowered = name.lower()
    if lowered.endswith(HTML_ENDINGS):
        return HTML
    return next((kind for kind, one in FORMATS.items() if lowered.endswith(one.endings)), None)


def endings_read() -> list[str]:
    """The endings of the files that are read."""
    return [*HTML_ENDINGS, *(ending for one in FORMATS.values() for ending in one.endings)]


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
