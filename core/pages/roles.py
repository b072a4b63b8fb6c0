"""What an element of a page is, heading, item, row or paragraph: by its tag, its role or by what Word writes."""

from __future__ import annotations

import re
from collections.abc import Container

from lxml.etree import _Element

from clausegraph.core.pages.frames import OpenElement
from clausegraph.core.pages.markup import DEEP_HEADINGS, HEADINGS, ITEMS, PARAGRAPHS, STYLED

_OUTLINE = re.compile(r"mso-outline-level\s*:\s*([1-9])", re.IGNORECASE)
_WORD_HEADING = re.compile(r"Mso(?:Heading|Title)(\d?)|Heading(\d)", re.IGNORECASE)
_WORD_ITEM = re.compile(r"mso-list\s*:\s*(l\d+)\s+level(\d)", re.IGNORECASE)


def role_of(frame: OpenElement, layout: Container[_Element]) -> tuple[str, int]:
    """Tag and heading level of the block that a frame's element opens; an empty tag when it opens none."""
    tag = str(frame.node.tag)
    if tag == "tr":
        return "" if frame.in_layout else "tr", 0
    if frame.owner is not None:
        return "", 0  # a block swallows what is inside; lists and tables inside a list item have left it already
    level = _level_of(frame.node)
    if level:
        return f"h{min(3, level)}", level
    if tag in ITEMS:
        return "" if frame.node in layout else "li", 0
    if word_item(frame.node):
        return "li", 0
    return "p" if tag in PARAGRAPHS else "", 0


def _level_of(node: _Element) -> int:
    """Level of a heading; 0 of anything else."""
    tag = str(node.tag)
    if tag in HEADINGS or tag in DEEP_HEADINGS:
        return int(tag[1])
    return STYLED if tag in ("dt", "summary") else heading_level(node)


def heading_level(node: _Element) -> int:
    """Level of an element that is a heading by its role or by what Word writes; 0 where it is none."""
    if (node.get("role") or "").lower() == "heading":
        level = (node.get("aria-level") or "2").strip()
        return min(6, max(1, int(level))) if level.isascii() and level.isdigit() and len(level) < 3 else 2
    if node.tag != "p":
        return 0
    stated = _OUTLINE.search(node.get("style") or "")
    if stated:
        return min(6, int(stated[1]))
    named = _WORD_HEADING.fullmatch((node.get("class") or "").strip())
    return min(6, int(named[1] or named[2] or 1)) if named else 0


def word_item(node: _Element) -> tuple[str, int] | None:
    """List and level of a paragraph that Word means as an item."""
    found = _WORD_ITEM.search(node.get("style") or "") if node.tag == "p" else None
    return (found[1], int(found[2])) if found else None


def is_word_marker(node: _Element) -> bool:
    """Whether an element is the bullet or number that Word writes before an item."""
    return node.tag == "span" and "mso-list:ignore" in (node.get("style") or "").lower().replace(" ", "")
