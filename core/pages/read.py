"""Pages into elements. Start at ``read_document``; ``html.py`` shows the steps for a web page.

An element is h1, h2, h3, p, li or tr. Every deeper heading is an h3, with its own level in the heading path: h4 to h6,
dt, summary, what opens a tab, lines that look like headings. Captions, pre and loose text of a container (td, div,
blockquote) are read as p, dd as li. A list item's own html and text end where its nested lists and tables start. List
items and tables that only lay out the page are no elements themselves. docs/html.md shows it construct by construct.
"""

from __future__ import annotations

from collections.abc import Callable

from clausegraph.core.extraction import Reject
from clausegraph.core.hashing import content_hash
from clausegraph.core.pages.conditionalqa import read_conditionalqa
from clausegraph.core.pages.document import CONDITIONALQA, HTML, SourceDocument
from clausegraph.core.pages.html import read_html
from clausegraph.core.types import Reading

READER_FINGERPRINT = content_hash("reader", "9")[:16]  # count up whenever a page may be read otherwise than before

PageReader = Callable[[SourceDocument], tuple[Reading, tuple[Reject, ...]]]

# By content type; a new page format is one more line here, and a count up of the fingerprint above.
PAGE_READERS: dict[str, PageReader] = {CONDITIONALQA: read_conditionalqa, HTML: read_html}


def read_document(document: SourceDocument) -> tuple[Reading, tuple[Reject, ...]]:
    """Read a page into elements, without chunks; equal documents give equal readings.

    Never raises for bad content: what cannot be used comes back as rejects, and a page without any usable
    text has no elements.
    """
    reader = PAGE_READERS.get(document.media_type)
    if reader is None:
        reading = Reading(title=document.title or document.uri, url=document.url, elements=())
        return reading, (Reject(document.uri, f"no reader for pages of type {document.content_type!r}"),)
    return reader(document)
