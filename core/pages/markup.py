"""What an element of a DOM is, by its tag, role, class and style: heading, item, note."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from html import escape
from itertools import islice

from lxml.etree import _Element

from clausegraph.core.language.lexicon import WordTable
from clausegraph.core.pages.blocks import Block, OpenablePart, squeeze

_TABLE = WordTable(__file__)

# ruff: noqa: SIM905 (a list of words reads best as a line of words)


HEADINGS = frozenset({"h1", "h2", "h3"})
DEEP_HEADINGS = frozenset({"h4", "h5", "h6"})  # elements have three levels; in the path each has its own
STYLED = 7  # level of what only looks like a heading; of terms and of what opens a section
PARAGRAPHS = frozenset({"p", "pre", "caption", "figcaption"})
ITEMS = frozenset({"li", "dd"})
LISTS = frozenset({"ul", "ol", "dl", "menu", "dir"})
CELLS = frozenset({"td", "th"})
INLINE = _TABLE.words("inline")
SKIPPED = _TABLE.words("skipped")
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


def words_in(name: str) -> set[str]:
    """The words of a name, in lower case: "contentSidebar-2"."""
    return {part.lower() for part in _NAME_PART.findall(name)}


def name_words(node: _Element, *names: str) -> set[str]:
    """Words of the element's class and id, or of the attributes given."""
    return words_in(" ".join(node.get(name) or "" for name in names or ("class", "id")))


def is_inline(tag: str) -> bool:
    """Whether a tag is markup within a line; those of other languages ("o:p") are."""
    return tag in INLINE or ":" in tag


_BOLD_OR_LARGE = _TABLE.pattern("bold_or_large")
_HEADING_WORDS = frozenset({"heading", "headline", "subheading", "subhead", "subtitle"})


@dataclass(slots=True)
class OpenElement:
    """State inside one open DOM element."""

    node: _Element
    container: _Element  # innermost element that is no inline markup, itself included
    owner: Block | None  # the block that text here belongs to
    opened: Block | None = None  # the block that begins here
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
    link: tuple[Block, int] | None = None  # block, and the part where the link's text starts


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
    return style is not None and bool(_BOLD_OR_LARGE.search(style))


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
    return "p" if tag in PARAGRAPHS else "", 0


def _level_of(node: _Element) -> int:
    """Level of a heading, by its tag or role; 0 of anything else."""
    tag = str(node.tag)
    if tag in HEADINGS or tag in DEEP_HEADINGS:
        return int(tag[1])
    if tag in ("dt", "summary"):
        return STYLED
    stated = whole_number(node.get("aria-level"), 2) if (node.get("role") or "").lower() == "heading" else 0
    return max(1, min(6, stated)) if stated else 0


_LETTERS = {"lower-alpha": "a", "upper-alpha": "A", "lower-latin": "a", "lower-roman": "i", "upper-roman": "I"}
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:\s*([\w-]+)", re.IGNORECASE)


def numbering(node: _Element) -> tuple[int, int, str]:
    """Number of the first item of an ``ol``, what is added for the next, and the ``type`` of its numbers if unusual."""
    style = _LIST_STYLE.search(node.get("style") or "")
    letters = node.get("type") or (_LETTERS.get(style[1].lower(), "") if style else "")
    down = node.get("reversed") is not None
    first = whole_number(node.get("start"), sum(1 for _ in node.iterchildren("li")) if down else 1)
    return first, -1 if down else 1, letters if letters in ("a", "A", "i", "I") else ""


def numbered_tag(node: _Element, outer: OpenElement) -> str:
    """Start tag of an item; in a numbered list with its number, as HTML itself would state it, elsewhere with none."""
    if node.tag != "li" or outer.next_number is None:
        return start_tag(node).replace(f' value="{node.get("value")}"', "", 1)
    number = whole_number(node.get("value"), outer.next_number)
    outer.next_number = number + outer.counts
    added = "" if node.get("value") else f' value="{number}"'
    if outer.letters and not node.get("type"):
        added += f' type="{outer.letters}"'
    return start_tag(node)[:-1] + added + ">"


_NOTE_WORDS = frozenset({"footnote", "noteref", "footnotes", "endnote"})
_BACK = ("ref", "back", "top")  # in the address of a link from the note to the text
_LONGEST_MARK = 8  # characters


class Notes:
    """Follows a page in document order: references to notes, and where the notes stand."""

    def __init__(self) -> None:
        self._targets: set[str] = set()
        self._bracketed: set[_Element] = set()
        self._is_pending = False

    def enter(self, node: _Element) -> None:
        """Take note of a block-level element; the first block in it is the note that it names."""
        if self._targets and node.get("id") in self._targets:
            self._is_pending = True

    def marks(self, node: _Element) -> bool:
        """Whether the block that begins at an element, or with it, is a note that the text above refers to."""
        named = bool(self._targets) and (node.get("id") in self._targets or node.get("name") in self._targets)
        found = named or self._is_pending
        self._is_pending = False
        return found

    def before(self, node: _Element) -> str:
        """A bracket where a reference begins that has none: "£20" and a note 1 are not "£201"."""
        href = node.get("href") or ""
        if node.tag != "a" or not href.startswith("#") or any(word in href.lower() for word in _BACK):
            return ""
        if not _is_reference(node):
            return ""
        mark = "".join(part for one in islice(node.iter(), 6) for part in (one.text or "",)).strip()
        if not mark or len(mark) > _LONGEST_MARK:
            return ""
        self._targets.add(href[1:])
        if mark[0] in "[(":
            return ""
        self._bracketed.add(node)
        return "["

    def after(self, node: _Element) -> str:
        """The bracket where a reference ends."""
        return "]" if node in self._bracketed else ""


def _is_reference(node: _Element) -> bool:
    above = node.getparent()
    if above is not None and above.tag == "span":
        above = above.getparent()
    is_raised = (above is not None and above.tag == "sup") or (len(node) > 0 and node[0].tag == "sup")
    return is_raised or node.get("role") == "doc-noteref" or bool(name_words(node) & _NOTE_WORDS)


_FILE = re.compile(r"\S+\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)|(?:img|dsc|image)[-_ ]?\d+", re.IGNORECASE)
_LONGEST_SAID = 500  # characters


def said_by(node: _Element, *, in_link: bool) -> str:
    """The alternative text of a picture; empty where it is decoration, a logo that links, or names a file."""
    said = squeeze((node.get("alt") or "")[: 2 * _LONGEST_SAID])
    if not said or in_link or len(said) > _LONGEST_SAID or _FILE.fullmatch(said):
        return ""
    is_decoration = (node.get("role") or "").lower() in ("presentation", "none") or node.get("aria-hidden") == "true"
    return "" if is_decoration or node.get("width") in ("0", "1") else said
