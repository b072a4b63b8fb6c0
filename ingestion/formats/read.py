"""A file of another format to its reading: converted to HTML, then read as HTML."""

from __future__ import annotations

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.read import HTML, SourceDocument, read_html, read_whole
from clausegraph.core.types import Reading
from clausegraph.ingestion.formats.converted import Converted, Unreadable
from clausegraph.ingestion.formats.formats import FORMATS


def read_converted(document: SourceDocument) -> tuple[Reading, tuple[Reject, ...]]:
    """Read a document whose content type is one of ``FORMATS``; one that cannot be read has no elements."""
    try:
        converted = FORMATS[document.content_type].convert(document.raw)
    except Unreadable as error:
        reading = Reading(title=document.title or document.uri, url=document.url, elements=())
        return reading, (Reject(document.uri, error.reason),)
    reading, rejects = _read(document, converted)
    return reading, tuple(Reject(document.uri, reason) for reason in converted.left_out) + rejects


def _read(document: SourceDocument, converted: Converted) -> tuple[Reading, tuple[Reject, ...]]:
    title, url = document.title or converted.title or None, document.url or converted.url
    page = SourceDocument(document.uri, converted.html.encode("utf-8", "replace"), HTML, title, url)
    return read_html(page) if converted.web_page else read_whole(page, converted.updated)
