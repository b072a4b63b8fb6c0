"""Which parts of a page's DOM lay it out, are furniture by their markup, or are panels that a control opens."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from lxml import etree
from lxml.etree import _Element

from clausegraph.core.language.lexicon import WordTable
from clausegraph.core.pages.blocks import squeeze
from clausegraph.core.pages.markup import (
    CELLS,
    DEEP_HEADINGS,
    HEADINGS,
    INLINE,
    ITEMS,
    LISTS,
    SKIPPED,
    is_hidden,
    name_words,
    start_tag,
    words_in,
)

_TABLE = WordTable(__file__)

_LAYOUT_ROLES = frozenset({"presentation", "none"})
_GRID_ROWS, _GRID_SHARE = 8, 0.1
_BLOCKS_IN_CELL = HEADINGS | LISTS | {"p", "div", "form"}


@dataclass(slots=True)
class _OpenPart:
    node: _Element
    blocks: int = 0  # block-level parts inside, for a cell
    has_th: bool = False  # for a table
    has_table: bool = False  # … that holds another one
    has_heading: bool = False  # … an h4 to h6 in a cell
    full_cells: int = 0  # of the table that hold a list or several blocks
    cells: int = 0
    rows: int = 0


def layout_containers(root: _Element) -> set[_Element]:
    """Return the li, dd and table elements below ``root`` that only lay out the page.

    An item does when a heading is inside it. A table does when it has role presentation, when an h1 to h3 is inside
    it, or when it has no header cell and another table, a cell with a list or several blocks (a heading and what
    follows it are two), or one column with a heading in it; a few such cells in a large grid of others are data.
    """
    found: set[_Element] = set()
    stack: list[_OpenPart] = []  # the open tables, cells and items only
    tables: list[_OpenPart] = []  # the open tables
    for event, node in etree.iterwalk(root, events=("start", "end")):
        if event == "end":
            if stack and stack[-1].node is node:
                _close(stack, tables, found)
            continue
        tag = node.tag
        if tag in HEADINGS:
            _mark(stack, found, in_cells=True)
        elif tag in DEEP_HEADINGS or tag == "summary":
            _mark(stack, found, in_cells=False)
        if tables:
            table = tables[-1]
            table.has_table = table.has_table or tag == "table"
            table.has_th = table.has_th or tag == "th"
            table.rows += tag == "tr"
            if stack[-1].node.tag in CELLS:
                _count(table, stack[-1], node)
        if tag == "table" or tag in CELLS or tag in ITEMS:
            stack.append(_OpenPart(node))
        if tag == "table":
            tables.append(stack[-1])
            if _role(node) in _LAYOUT_ROLES:
                found.add(node)
    return found


def _mark(stack: list[_OpenPart], found: set[_Element], *, in_cells: bool) -> None:
    """Mark the open containers, innermost first, down to one that was marked before (all outer ones are, too).

    A deep heading, unlike a title, may well stand in a cell: then only items inside the innermost cell are marked.
    """
    for entry in reversed(stack):
        if entry.node in found or (entry.node.tag in CELLS and not in_cells):
            return
        if entry.node.tag in ITEMS or (in_cells and entry.node.tag not in CELLS):
            found.add(entry.node)


def _count(table: _OpenPart, cell: _OpenPart, node: _Element) -> None:
    """Count what a cell holds: a list, and a deep heading with what follows it, are two blocks."""
    if node.tag in DEEP_HEADINGS:
        table.has_heading = True
        cell.blocks += 2 if (node.tail or "").strip() else 1
    elif node.tag in _BLOCKS_IN_CELL:
        cell.blocks += 2 if node.tag in LISTS else 1


def _close(stack: list[_OpenPart], tables: list[_OpenPart], found: set[_Element]) -> None:
    entry = stack.pop()
    if entry.node.tag in CELLS and tables:
        tables[-1].cells += 1
        tables[-1].full_cells += entry.blocks > 1
    if entry.node.tag == "table":
        tables.pop()
        grid = entry.rows >= _GRID_ROWS and entry.cells >= 2 * entry.rows  # no page is laid out so …
        is_full = entry.full_cells > (_GRID_SHARE * entry.cells if grid else 0)  # … where hardly a cell is full
        is_column = entry.has_heading and entry.cells <= entry.rows
        if (is_full or is_column or entry.has_table) and not entry.has_th:
            found.add(entry.node)


# ruff: noqa: SIM905 (a list of words reads best as a line of words)


_TAGS = frozenset({"nav", "footer", "aside", "dialog"})
_ROLES = frozenset("navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar".split())
_CONTENT_TAGS = frozenset({"html", "body", "main", "article", *HEADINGS})
_NAMES = _TABLE.words("furniture_names")
_CONTENT_NAMES = frozenset("content main body article wrap wrapper container page has no with without".split())
_MAX_SHARE = 0.3  # of the page's characters outside links


@dataclass(slots=True)
class _OpenNamed:
    """An open element that is furniture by its name, with the characters outside links read before it."""

    node: _Element
    plain_before: int
    has_title: bool = False


def furniture_containers(root: _Element) -> set[_Element]:
    """Return the elements below ``root`` whose content is page furniture.

    Tags and roles are trusted; a ``header`` inside ``main`` or ``article`` heads the content, elsewhere it is the
    site's. A class or id is not ("content-sidebar-wrap" wraps the content as well): an element is not furniture by
    its name when it holds an h1 or more than 30 % of the page's characters outside links.
    """
    found: set[_Element] = set()
    named: dict[_Element, int] = {}  # furniture by name → its characters outside links
    stack: list[_OpenNamed] = []
    plain = content_depth = link_depth = skip_depth = 0
    for event, node in etree.iterwalk(root, events=("start", "end")):
        step = 1 if event == "start" else -1
        tag = node.tag
        link_depth += step * (tag == "a")
        skip_depth += step * (tag in SKIPPED)
        content_depth += step * (tag in ("main", "article"))
        if event == "start":
            if _by_tag(node, content_depth > 0):
                found.add(node)
            elif _by_name(node):
                stack.append(_OpenNamed(node, plain))
            if tag == "h1":
                for entry in reversed(stack):
                    if entry.has_title:
                        break  # so have all around it
                    entry.has_title = True
        elif stack and stack[-1].node is node:
            entry = stack.pop()
            if not entry.has_title:
                named[node] = plain - entry.plain_before
        text = node.text if event == "start" else node.tail
        if text and not link_depth and not skip_depth:
            plain += len(text.strip())
    return found | {node for node, characters in named.items() if characters <= _MAX_SHARE * plain}


def _by_tag(node: _Element, inside_content: bool) -> bool:
    tag = node.tag
    if tag in _CONTENT_TAGS:
        return False
    if tag in _TAGS or (tag == "header" and not inside_content):
        return True
    return _role(node) in _ROLES


def _by_name(node: _Element) -> bool:
    if node.tag in _CONTENT_TAGS:
        return False
    names = f"{node.get('class') or ''} {node.get('id') or ''}".split()
    return any(words & _NAMES and not words & _CONTENT_NAMES for words in map(words_in, names))


_POINTS_AT = ("aria-controls", "data-target", "data-bs-target", "href")
_PANEL_WORDS = _TABLE.words("panel")
_OVERLAY_WORDS = _TABLE.words("overlay")
_OVERLAY_ROLES = _ROLES | {"alert", "status", "listbox", "tooltip"}
_NO_NAME = _TABLE.pattern("no_name")
_LONGEST_NAME = 150  # characters
_LARGEST_CONTROL = 40  # elements inside


@dataclass(frozen=True, slots=True)
class Opener:
    """The name of a panel, and the start tag of the control that opens it."""

    name: str
    tag: str


def opened_panels(root: _Element) -> dict[_Element, Opener | None]:
    """The parts below ``root`` that a control opens, with the control where its text names the part: tabs, and what is
    hidden but has a control that names it or stands before it, or is called a panel."""
    nodes = [node for node in root.iter() if isinstance(node.tag, str)]
    controls: dict[str, _Element] = {}
    for node in nodes:
        for target in _targets(node):
            controls.setdefault(target, node)
    found: dict[_Element, Opener | None] = {}
    for node in nodes:
        control = controls.get(node.get("id") or "")
        if node.tag in ("html", "body", "input", "form"):
            continue
        is_tab = _role(node) == "tabpanel" or (control is not None and _is_tab(control))
        is_panel = control is not None or bool(name_words(node) & _PANEL_WORDS) or _has_control_before(node)
        if is_tab or (is_panel and is_hidden(node) and not _is_overlay(node, control)):
            found[node] = _opener(control)
    return found


def _targets(node: _Element) -> list[str]:
    """Ids of what a control opens: in any of its attributes; a link only where it points into the page."""
    if node.get("aria-haspopup") not in (None, "false"):
        return []
    values = [value for name in _POINTS_AT if (value := node.get(name)) and (name != "href" or value.startswith("#"))]
    return [name for value in values for target in value.split()[:8] if (name := target.lstrip("#"))]


def _has_control_before(node: _Element) -> bool:
    before = node.getprevious()
    return before is not None and any(one.get("aria-expanded") is not None for one in islice(before.iter(), 3))


def _is_tab(control: _Element) -> bool:
    toggles = (control.get("data-toggle"), control.get("data-bs-toggle"))
    return control.get("role") == "tab" or not {"tab", "pill"}.isdisjoint(toggles)


def is_kept_from_readers(node: _Element) -> bool:
    """Whether what is not to be read aloud is not to be read at all: a symbol, a closed dialog.

    Other text that is so marked may well be shown: a price in large digits, what lies behind an open dialog.
    """
    if (node.get("aria-hidden") or "").lower() != "true":
        return False
    if node.tag not in INLINE:
        return _is_overlay(node, None) and next(node.iter("main", "h1", "article"), None) is None
    text = "".join(map(str, node.itertext())).strip()
    return bool(text) and not any(character.isalnum() for character in text)


def _role(node: _Element) -> str:
    return (node.get("role") or "").strip().lower()


def _is_overlay(node: _Element, control: _Element | None) -> bool:
    """Whether a part is brought up over the page: by its role, or by its names.

    The id of a panel that a control names may be made of its heading: "search-fees".
    """
    words = name_words(node)
    if control is not None and control.get("aria-controls") and words & _PANEL_WORDS:
        words = name_words(node, "class")
    return _role(node) in _OVERLAY_ROLES or node.tag in ("dialog", "nav") or bool(words & _OVERLAY_WORDS)


def _opener(control: _Element | None) -> Opener | None:
    """The control, where its text is a name, and is not read as a heading anyway."""
    if control is None:
        return None
    above = [control, *islice(control.iterancestors(), 2)]
    if any(node.tag in HEADINGS or node.tag in DEEP_HEADINGS or node.tag in ("dt", "summary") for node in above):
        return None
    is_small = next(islice(control.iter(), _LARGEST_CONTROL, None), None) is None
    name = squeeze("".join(map(str, control.itertext()))) if is_small else ""
    if not name or len(name) > _LONGEST_NAME or _NO_NAME.fullmatch(name):
        return None
    return Opener(name, start_tag(control))
