"""Pages into elements. Start at ``read_document``; ``read_html`` shows the steps for a web page.

An element is h1, h2, h3, p, li or tr. Every deeper heading is an h3, with its own level in the heading path: h4 to h6,
dt, summary, what opens a tab, lines that look like headings. Captions, pre and loose text of a container (td, div,
blockquote) are read as p, dd as li. A list item's own html and text end where its nested lists and tables start. List
items and tables that only lay out the page are no elements themselves. docs/html.md shows it construct by construct.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import groupby

from clausegraph.core.extraction import Reject
from clausegraph.core.hashing import content_hash
from clausegraph.core.pages.blocks import Block, squeeze
from clausegraph.core.pages.decode import decode_page, few_attributes, is_wide, parse_page
from clausegraph.core.pages.elements import MAX_SPANNED, elements_of, limited, looks_like_header, spanned, tables_of
from clausegraph.core.pages.furniture import no_page
from clausegraph.core.pages.main_text import main_blocks
from clausegraph.core.pages.markup import HEADINGS
from clausegraph.core.pages.page_facts import (
    page_dates,
    page_language,
    page_publisher,
    page_title,
    page_url,
    stated_title,
    stated_update,
)
from clausegraph.core.pages.walk import page_blocks
from clausegraph.core.types import Element, Link, Reading

HTML = "text/html"
CONDITIONALQA = "application/x-conditionalqa+json"

_CHARSET = "; charset="  # after a content type: what the server says that the bytes are written in

MAX_PAGE_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One page as its source has it.

    ``uri`` is unique within the source and stable between runs. ``content_type`` is ``HTML``, ``CONDITIONALQA``
    (``raw`` is then the canonical JSON of title, url and contents), or one of ``ingestion.formats``; "; charset=NAME"
    follows it where a server has said so. ``title`` and ``url`` are set only where the source states them, apart from
    the page itself.
    """

    uri: str
    raw: bytes
    content_type: str = HTML
    title: str | None = None
    url: str | None = None

    @property
    def media_type(self) -> str:
        """The content type without its charset."""
        return self.content_type.partition(_CHARSET)[0]

    @property
    def charset(self) -> str:
        """What the server says that the bytes are written in; empty where it does not."""
        return self.content_type.partition(_CHARSET)[2]


def read_html(document: SourceDocument) -> tuple[Reading, tuple[Reject, ...]]:
    """Read an HTML page; a page without usable text has no elements and one reject that says why."""
    page = few_attributes(decode_page(document.raw, document.charset))
    root, truncated = parse_page(page)
    if root is None:
        return nothing_read(document, "no HTML element could be parsed")
    blocks = page_blocks(root)
    if not blocks:
        return nothing_read(document, truncated or "the page has no text")
    flat, said = _limits(blocks, truncated)
    kept = main_blocks(blocks, page, use_trafilatura=flat and not is_wide(root), title=stated_title(root))
    if not kept:
        return nothing_read(document, "no main text: everything on the page is navigation, cookie notices or the like")
    why_not = no_page(kept, blocks, root)
    if why_not:
        return nothing_read(document, f"no main text: {why_not}")
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
        publisher=page_publisher(root),
    )
    return reading, tuple(Reject(document.uri, reason) for reason in said)


def _limits(blocks: Sequence[Block], truncated: str | None) -> tuple[bool, list[str]]:
    """Whether the tables can be read with their headers, and what is to be said of what was left out."""
    places = sum(map(spanned, tables_of(blocks)))
    said = [truncated] if truncated else []
    if places > MAX_SPANNED:
        said.append(
            f"the cells of its tables span {places:,} places; the limit is {MAX_SPANNED:,}: "
            "its rows were read without column headers"
        )
    return places <= MAX_SPANNED, said


def nothing_read(document: SourceDocument, reason: str) -> tuple[Reading, tuple[Reject, ...]]:
    """The reading of a page without any usable text, and why."""
    reading = Reading(title=document.title or document.uri, url=document.url, elements=())
    return reading, (Reject(document.uri, reason),)


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
    if root is None or not blocks:
        return nothing_read(document, truncated or "the document has no text")
    flat, said = _limits(blocks, truncated)
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


_ELEMENT = re.compile(r"\s*<([a-zA-Z][a-zA-Z0-9]*)(?:\s[^>]*)?>(.*)</\1\s*>\s*", re.DOTALL)
_INNER_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
# No piece of a match can run into another "<" or over the end of the link: linear on any text
_LINK = re.compile(r"<a(?=\s)([^<>]*+)>([^<]*+(?:<(?!/?a[\s>])[^<]*+)*+)</a>", re.IGNORECASE)
_HREF = re.compile(r"""\shref=["']?([^"'\s>]+)""", re.IGNORECASE)
_TAGS = frozenset({"h1", "h2", "h3", "p", "li", "tr"})


def read_conditionalqa(document: SourceDocument) -> tuple[Reading, tuple[Reject, ...]]:
    """Read a page of ConditionalQA; contents that are no element or have no text are rejects."""
    page = json.loads(document.raw)
    rejects: list[Reject] = []
    parsed: list[tuple[str, str, str]] = []  # tag, text, html
    for index, html in enumerate(page["contents"]):
        match = _ELEMENT.fullmatch(html)
        tag = match.group(1).lower() if match else ""
        text = _text(match.group(2), tag) if match else ""
        if not text:
            reason = "an element without text" if match else "not one serialised element"
            rejects.append(Reject(f"{document.uri}#{index}", reason))
        else:
            parsed.append((tag if tag in _TAGS else "p", text, html))
    reading = Reading(
        title=limited(squeeze(page["title"])),
        url=page["url"],
        elements=_elements(parsed),
        updated=stated_update([text for tag, text, _ in parsed if tag == "p"]),
    )
    return reading, tuple(rejects)


def _text(inner: str, tag: str) -> str:
    if "<" in inner:
        inner = _INNER_TAG.sub("", inner)
    if "&" in inner:
        inner = unescape(inner)
    if tag != "tr":
        return squeeze(inner)
    cells = [squeeze(cell) for cell in re.split(r"(?:^|\s)\|(?:\s|$)", inner)]
    return " | ".join(cells) if any(cells) else ""


def _elements(parsed: list[tuple[str, str, str]]) -> tuple[Element, ...]:
    blocks: list[Block] = []
    for tag, text, html in parsed:
        starts = not blocks or blocks[-1].tag != tag
        group = None if tag not in ("li", "tr") else len(blocks) if starts else blocks[-1].group
        level = int(tag[1]) if tag in HEADINGS else 0
        blocks.append(Block(tag, tag, group, level=level, text=text, start=html, links=list(_links(html))))
    headers = _headers(parsed)
    made = elements_of(blocks, with_headers=False)
    return tuple(replace(one, headers=headers[at]) if at in headers else one for at, one in enumerate(made))


def _links(html: str) -> Iterator[Link]:
    for attributes, name in _LINK.findall(html):
        href = _HREF.search(attributes)
        if href is not None:
            yield Link(unescape(href[1]), squeeze(_INNER_TAG.sub("", name)))


def _headers(parsed: list[tuple[str, str, str]]) -> dict[int, tuple[str, ...]]:
    """Headers of rows by index: the first row of a run of rows heads the others, where it plausibly does."""
    found: dict[int, tuple[str, ...]] = {}
    for is_table, run in groupby(range(len(parsed)), key=lambda index: parsed[index][0] == "tr"):
        if is_table:
            indices = list(run)
            first, *rows = [parsed[index][1].split(" | ") for index in indices]
            if looks_like_header(first, rows):
                for index, row in zip(indices[1:], rows, strict=True):
                    found[index] = tuple(map(limited, (first + [""] * len(row))[: len(row)]))
    return found


READER_FINGERPRINT = content_hash("reader", "11")[:16]  # count up whenever a page may be read otherwise than before

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
        return nothing_read(document, f"no reader for pages of type {document.content_type!r}")
    return reader(document)
