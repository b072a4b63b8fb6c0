"""Read HTML of which everything is main text: what a document was converted to."""

from __future__ import annotations

import re
from dataclasses import replace

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.dates import stated_update
from clausegraph.core.pages.document import SourceDocument
from clausegraph.core.pages.headings import limited
from clausegraph.core.pages.page_facts import page_title
from clausegraph.core.pages.parse import parse_page
from clausegraph.core.pages.relations import elements_of, tables_of
from clausegraph.core.pages.tables import MAX_SPANNED, spanned
from clausegraph.core.pages.walk import page_blocks
from clausegraph.core.types import Element, Reading

PAGE_NUMBER = "data-page-number"
"""Attribute of an element's start tag: the page of the document, from 1, that it begins on."""

_PAGE_NUMBER = re.compile(rf'<\w+ {PAGE_NUMBER}="(\d{{1,9}})"')


def read_whole(document: SourceDocument, updated: str | None = None) -> tuple[Reading, tuple[Reject, ...]]:
    """Read all text of a UTF-8 document.

    Args:
        updated: ISO date of the document where its text states none.
    """
    root, truncated = parse_page(document.raw.decode("utf-8"))
    blocks = [] if root is None else page_blocks(root)
    said = [truncated] if truncated else []
    if root is None or not blocks:
        reading = Reading(title=document.title or document.uri, url=document.url, elements=())
        return reading, (Reject(document.uri, truncated or "the document has no text"),)
    flat = sum(map(spanned, tables_of(blocks))) <= MAX_SPANNED
    if not flat:
        said.append(f"the cells of its tables span more than {MAX_SPANNED:,} places: read without column headers")
    elements = tuple(_numbered(element) for element in elements_of(blocks, with_headers=flat))
    reading = Reading(
        title=limited(document.title or page_title(root, elements, _stem(document.uri))),
        url=document.url,
        elements=elements,
        updated=stated_update([block.text for block in blocks if block.tag == "p"]) or updated,
    )
    return reading, tuple(Reject(document.uri, reason) for reason in said)


def _numbered(element: Element) -> Element:
    """The element with its page number, which then stands no more in its HTML."""
    found = _PAGE_NUMBER.match(element.html)
    if found is None:
        return element
    html = element.html.replace(f' {PAGE_NUMBER}="{found[1]}"', "")
    return replace(element, html=html, page_number=int(found[1]))


def _stem(uri: str) -> str:
    """A file's name without folders and ending, as a title."""
    name = uri.rpartition("/")[2]
    return name.rpartition(".")[0] or name
