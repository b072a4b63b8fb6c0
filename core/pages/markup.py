"""What HTML's tags mean to the reader."""

from __future__ import annotations

# ruff: noqa: SIM905 (a list of words reads best as a line of words)
import re
from html import escape

from lxml.etree import _Element

HEADINGS = frozenset({"h1", "h2", "h3"})
DEEP_HEADINGS = frozenset({"h4", "h5", "h6"})  # elements have three levels; in the path each has its own
STYLED = 7  # level of what only looks like a heading; of terms and of what opens a section
PARAGRAPHS = frozenset({"p", "pre", "caption", "figcaption"})
ITEMS = frozenset({"li", "dd"})
LISTS = frozenset({"ul", "ol", "dl", "menu", "dir"})
CELLS = frozenset({"td", "th"})
INLINE = frozenset(
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img input ins kbd label mark nobr output "
    "q rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split()
)
SKIPPED = frozenset(
    "script style noscript template head title select option textarea button svg math iframe object embed canvas "
    "audio video map datalist".split()
)
VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
# Containers that stand within the text around them rather than apart from it.
NO_REGIONS = LISTS | {"table", "thead", "tbody", "tfoot", "tr", "blockquote", "center"}

_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def start_tag(node: _Element) -> str:
    """The start tag as the DOM has it, attributes in order, values escaped."""
    attributes = "".join(f' {name!s}="{escape(str(value))}"' for name, value in node.attrib.items())
    return f"<{node.tag}{attributes}>"


def end_tag(node: _Element) -> str:
    """The end tag; empty for void elements."""
    return "" if node.tag in VOID else f"</{node.tag}>"


def is_hidden(node: _Element) -> bool:
    """Whether the page itself never shows the element (``hidden`` whatever its value, ``display: none``, …)."""
    return node.get("hidden", "until-found").lower() != "until-found" or bool(
        _HIDDEN_STYLE.search(node.get("style") or "")
    )


_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def name_words(node: _Element, *names: str) -> set[str]:
    """Words of the element's class and id, or of the attributes given, in lower case."""
    values = " ".join(node.get(name) or "" for name in names or ("class", "id"))
    return {part.lower() for part in _NAME_PART.findall(values)}


def is_inline(tag: str) -> bool:
    """Whether a tag is markup within a line; Word's own ("o:p", "st1:place") are."""
    return tag in INLINE or ":" in tag
