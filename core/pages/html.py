"""Read an HTML page: decode, parse once, leave out boilerplate, name the elements."""

from __future__ import annotations

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.decode import decode_page
from clausegraph.core.pages.document import SourceDocument
from clausegraph.core.pages.headings import limited
from clausegraph.core.pages.main_text import main_blocks
from clausegraph.core.pages.page_facts import page_dates, page_language, page_title, page_url, stated_title
from clausegraph.core.pages.parse import few_attributes, is_wide, parse_page
from clausegraph.core.pages.relations import elements_of, tables_of
from clausegraph.core.pages.shells import no_page
from clausegraph.core.pages.tables import MAX_SPANNED, spanned
from clausegraph.core.pages.walk import page_blocks
from clausegraph.core.types import Reading


def read_html(document: SourceDocument) -> tuple[Reading, tuple[Reject, ...]]:
    """Read an HTML page; a page without usable text has no elements and one reject that says why."""
    page = few_attributes(decode_page(document.raw, document.charset))
    root, truncated = parse_page(page)
    if root is None:
        return _nothing(document, "no HTML element could be parsed")
    blocks = page_blocks(root)
    if not blocks:
        return _nothing(document, truncated or "the page has no text")
    places = sum(map(spanned, tables_of(blocks)))
    flat = places <= MAX_SPANNED
    kept = main_blocks(blocks, page, use_trafilatura=flat and not is_wide(root), title=stated_title(root))
    if not kept:
        return _nothing(document, "no main text: everything on the page is navigation, cookie notices or the like")
    why_not = no_page(kept, blocks, root)
    if why_not:
        return _nothing(document, f"no main text: {why_not}")
    elements = elements_of(kept, with_headers=flat)
    dates = page_dates(root, [block.text for block in blocks if block.tag == "p"])
    reading = Reading(
        title=limited(document.title or page_title(root, elements, document.uri)),
        url=document.url or page_url(root),
        elements=elements,
        updated=dates.updated,
        published=dates.published,
        reviewed=dates.reviewed,
        language=page_language(root),
    )
    said = [truncated] if truncated else []
    if not flat:
        said.append(
            f"the cells of its tables span {places:,} places; the limit is {MAX_SPANNED:,}: "
            "its rows were read without column headers"
        )
    return reading, tuple(Reject(document.uri, reason) for reason in said)


def _nothing(document: SourceDocument, reason: str) -> tuple[Reading, tuple[Reject, ...]]:
    reading = Reading(title=document.title or document.uri, url=document.url, elements=())
    return reading, (Reject(document.uri, reason),)
