"""Read an HTML page: decode, parse once, leave out boilerplate, name the elements."""

from __future__ import annotations

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.decode import decode_page
from clausegraph.core.pages.document import SourceDocument
from clausegraph.core.pages.headings import limited
from clausegraph.core.pages.main_text import main_blocks
from clausegraph.core.pages.page_facts import page_title, page_updated, page_url
from clausegraph.core.pages.parse import parse_page
from clausegraph.core.pages.relations import elements_of
from clausegraph.core.pages.walk import page_blocks
from clausegraph.core.types import Reading


def read_html(document: SourceDocument) -> tuple[Reading, tuple[Reject, ...]]:
    """Read an HTML page; a page without usable text has no elements and one reject that says why."""
    page = decode_page(document.raw)
    root, truncated = parse_page(page)
    if root is None:
        return _nothing(document, "no HTML element could be parsed")
    blocks = page_blocks(root)
    if not blocks:
        return _nothing(document, truncated or "the page has no text")
    kept = main_blocks(blocks, page)
    if not kept:
        return _nothing(document, "no main text: everything on the page is navigation, cookie notices or the like")
    elements = elements_of(kept)
    reading = Reading(
        title=limited(document.title or page_title(root, elements, document.uri)),
        url=document.url or page_url(root),
        elements=elements,
        updated=page_updated(root, [block.text for block in blocks if block.tag == "p"]),
    )
    rejects = [Reject(document.uri, truncated)] if truncated else []
    return reading, tuple(rejects)


def _nothing(document: SourceDocument, reason: str) -> tuple[Reading, tuple[Reject, ...]]:
    reading = Reading(title=document.title or document.uri, url=document.url, elements=())
    return reading, (Reject(document.uri, reason),)
