"""What the pass over a page's DOM keeps of the elements that are open."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml.etree import _Element

from clausegraph.core.pages.blocks import Block, OpenablePart
from clausegraph.core.pages.markup import name_words

_BOLD = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_LARGE = re.compile(
    r"font-size\s*:\s*(?:(?:1[89]|[2-9]\d|\d{3,})(?:\.\d+)?px|(?:1[4-9]|[2-9]\d)(?:\.\d+)?pt|(?:1\.[2-9]|[2-9])\d*r?em|"
    r"(?:1[2-9]|[2-9]\d)\d%|larger|(?:x-|xx-)?large)",
    re.IGNORECASE,
)
_HEADING_WORDS = frozenset({"heading", "headline", "subheading", "subhead", "subtitle"})


@dataclass(slots=True)
class OpenElement:
    """State inside one open DOM element."""

    node: _Element
    container: _Element  # innermost element that is no inline markup, itself included
    owner: Block | None  # the block that text here belongs to
    run: Block | None = None  # the run of loose text that an inline element began in
    item: Block | None = None  # innermost list item
    group: int | None = None
    region: int = 0
    boilerplate: bool = False
    in_head: bool = False
    in_layout: bool = False  # the innermost table only lays out the page
    skipped: bool = False
    is_hidden: bool = False  # skipped, and by more than a button or the head
    is_strong: bool = False  # text here is bold or large
    section: OpenablePart | None = None
    own_section: OpenablePart | None = None  # the one that this element opens
    next_number: int | None = None  # of the next item, in a numbered list
    counts: int = 1  # what is added to it for the one behind
    letters: str = ""  # how its items are numbered, where not 1, 2, 3
    link: tuple[Block, list[str], int] | None = None  # block, its text pieces, where the link's text starts


def is_strong(node: _Element) -> bool:
    """Whether inline markup makes its text bold or large."""
    if node.tag in ("b", "strong"):
        return True
    if node.tag == "font":
        return (node.get("size") or "").strip() in ("4", "5", "6", "7", "+1", "+2", "+3", "+4")
    return looks_strong(node)


def looks_strong(node: _Element) -> bool:
    """Whether the element's own style makes its text bold or large."""
    style = node.get("style")
    return style is not None and bool(_BOLD.search(style) or _LARGE.search(style))


def named_heading(node: _Element) -> bool:
    """Whether the element's class says that it is a heading."""
    return node.get("class") is not None and bool(name_words(node) & _HEADING_WORDS)


def whole_number(text: str | None, usual: int) -> int:
    """A whole number of an attribute."""
    value = (text or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 8 else usual


def is_double_break(node: _Element) -> bool:
    """Whether a line break directly follows another: old pages separate paragraphs so."""
    before = node.getprevious()
    return before is not None and before.tag == "br" and not (before.tail or "").strip()


def span_of(node: _Element, attribute: str, most: int) -> int:
    """Columns or rows that a cell spans, at least 1."""
    return min(most, max(1, whole_number((node.get(attribute) or "1")[:10], 1)))
