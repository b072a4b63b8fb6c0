"""What a crawl needs of a page before anybody reads it: where it leads, what it calls itself, its words.

Found here for small pages, and for larger ones in the process with limits that reads them too (``process.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree, html

from clausegraph.core.pages.decode import decode_page, few_attributes
from clausegraph.core.pages.read import SourceDocument, read_html
from clausegraph.ingestion.fetch import joined

MOST_LINKS = 5000  # of one page
_MOST_WALL = 64 * 1024  # bytes
_NO_TEXT = {"script", "style", "noscript", "template", "nav", "header", "footer", "aside", "svg", "head"}


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Links in the order of the page, each once; the address that it calls its own; its pieces of text.

    ``problem`` is why there may be links that are not among these; empty where all are.
    """

    links: tuple[str, ...] = ()
    canonical: str = ""
    pieces: tuple[str, ...] = ()
    problem: str = ""


def page_facts(raw: bytes, address: str) -> PageFacts:
    """Look at a page of HTML; one that is none has no facts."""
    try:
        # huge_tree: what is nested deeply still has links; attributes without end take libxml2 quadratic time
        parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
        root = html.document_fromstring(few_attributes(decode_page(raw)).encode("utf-8"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return PageFacts()
    base = address
    links: dict[str, None] = {}
    canonical, problem = "", ""
    for element in root.iter("base", "a", "area", "link"):
        href = element.get("href")
        if not href:
            continue
        if element.tag == "base":
            base = joined(address, href) or address
        elif element.tag == "link":
            if "canonical" in (element.get("rel") or "").lower().split() and not canonical:
                canonical = joined(address, href) or ""
        elif (found := joined(base, href)) and found not in links:
            if len(links) == MOST_LINKS:
                problem = f"it has more than {MOST_LINKS} links"
                break
            links[found] = None
    return PageFacts(tuple(links), canonical, tuple(_pieces(root)), problem)


def wall(raw: bytes, address: str) -> str:
    """What stands before a page in its place (a wall, a script's shell, "not found" with a 200); empty where nothing.

    A page of links alone is none: it leads on. Nor is a large page looked at; a reader of it has limits of its own.
    """
    if len(raw) > _MOST_WALL:
        return ""
    reading, rejects = read_html(SourceDocument(address, raw))
    if reading.elements or not rejects or "navigation" in rejects[0].reason:
        return ""
    return rejects[0].reason


def is_shell(raw: bytes, address: str) -> bool:
    """Whether a page has scripts and no text, or says that it needs them."""
    return b"<script" in raw.lower() and any(words in wall(raw, address) for words in ("script fills", "has no text"))


def _pieces(root: html.HtmlElement) -> Iterator[str]:
    """The text between tags, piece by piece, without what is on every page of a site."""
    inside = 0  # how many elements without text are open
    for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        without = isinstance(element.tag, str) and element.tag in _NO_TEXT
        inside += (event == "start" and without) - (event == "end" and without)
        text = element.text if event == "start" else element.tail
        if not inside and text and (piece := " ".join(text.split())):
            yield piece
