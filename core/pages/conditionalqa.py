"""Read a ConditionalQA page: its serialised elements are kept to the letter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from itertools import groupby

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.anchors import AnchorMaker
from clausegraph.core.pages.blocks import squeeze
from clausegraph.core.pages.dates import stated_update
from clausegraph.core.pages.document import SourceDocument
from clausegraph.core.pages.headings import HeadingPath, limited
from clausegraph.core.pages.markup import HEADINGS
from clausegraph.core.pages.tables import looks_like_header
from clausegraph.core.types import Element, Link, Reading

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
    anchors = AnchorMaker()
    path = HeadingPath()
    headers = _headers(parsed)
    elements: list[Element] = []
    lead_in: str | None = None
    for index, (tag, text, html) in enumerate(parsed):
        anchor = anchors.make(tag, text)
        if tag in ("li", "tr") and (index == 0 or parsed[index - 1][0] != tag):
            before = elements[-1] if elements else None
            lead_in = before.anchor if before is not None and before.tag == "p" else None
        elements.append(
            Element(
                anchor=anchor,
                tag=tag,
                html=html,
                text=text,
                headings=path.above(tag),
                lead_in=lead_in if tag in ("li", "tr") else None,
                headers=headers.get(index, ()),
                links=tuple(_links(html)),
            )
        )
        if tag in HEADINGS:
            path.enter(tag, text)
    return tuple(elements)


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
