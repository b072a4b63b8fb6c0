"""What HTML's tags mean to the reader."""

from __future__ import annotations

import re
from html import escape

from lxml.etree import _Element

HEADINGS = frozenset({"h1", "h2", "h3"})
# ConditionalQA knows three levels; deeper headings are read as paragraphs, which may introduce a list.
PARAGRAPHS = frozenset({"p", "h4", "h5", "h6", "dt", "pre"})
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
REGIONS = frozenset({"main", "article", "section", "nav", "aside", "header", "footer", "td", "th", "form"})

_BOILERPLATE_TAGS = frozenset({"nav", "footer", "aside", "dialog"})
_BOILERPLATE_ROLES = frozenset(
    "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar".split()
)
_CONTENT_TAGS = frozenset({"html", "body", "main", "article", "h1"})
_BOILERPLATE_NAMES = frozenset(
    "nav navbar navigation topnav subnav menu breadcrumb breadcrumbs crumb crumbs cookie cookies consent gdpr footer "
    "sidebar share sharing social related pager pagination skip toc feedback advert adverts ads promo newsletter "
    "masthead".split()
)
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none", re.IGNORECASE)


def start_tag(node: _Element) -> str:
    """The start tag as the DOM has it, attributes in order, values escaped."""
    attributes = "".join(f' {name!s}="{escape(str(value))}"' for name, value in node.attrib.items())
    return f"<{node.tag}{attributes}>"


def end_tag(node: _Element) -> str:
    """The end tag; empty for void elements."""
    return "" if node.tag in VOID else f"</{node.tag}>"


def is_hidden(node: _Element) -> bool:
    """Whether the page itself never shows the element (``hidden``, ``display: none``)."""
    return node.get("hidden") in ("", "hidden") or bool(_HIDDEN_STYLE.search(node.get("style") or ""))


def is_boilerplate(node: _Element, inside_content: bool) -> bool:
    """Whether tag, role, class or id say that the element is page furniture.

    A ``header`` inside ``main`` or ``article`` heads the content; elsewhere it is the site's.
    """
    tag = node.tag
    if tag in _CONTENT_TAGS:
        return False
    if tag in _BOILERPLATE_TAGS or (tag == "header" and not inside_content):
        return True
    if (node.get("role") or "").lower() in _BOILERPLATE_ROLES:
        return True
    names = f"{node.get('class') or ''} {node.get('id') or ''}"
    if not names.strip() or tag in HEADINGS:
        return False
    parts = {part.lower() for part in _NAME_PART.findall(names)}
    return not parts.isdisjoint(_BOILERPLATE_NAMES)
