"""Parts of a page that a control of it opens: tabs, accordions, "show more". Hidden or not, they are text.

What only a script brings up over the page (dialogs, menus, cookie notices) is none.
"""

from __future__ import annotations

# ruff: noqa: SIM905 (a list of words reads best as a line of words)
import re
from dataclasses import dataclass
from itertools import islice

from lxml.etree import _Element

from clausegraph.core.pages.blocks import squeeze
from clausegraph.core.pages.markup import DEEP_HEADINGS, HEADINGS, INLINE, is_hidden, name_words, start_tag

_POINTS_AT = ("aria-controls", "data-target", "data-bs-target", "href")
_PANEL_WORDS = frozenset(
    "accordion accordions tab tabs tabpanel panel panels pane collapse collapsible collapsed expand expandable "
    "expander toggle toggled faq answer reveal".split()
)
_OVERLAY_WORDS = frozenset(
    "modal popup popover dialog tooltip overlay lightbox cookie cookies consent menu submenu nav navbar navigation "
    "dropdown search login signin signup share toast banner newsletter subscribe".split()
)
_OVERLAY_ROLES = frozenset("dialog alertdialog alert status menu menubar listbox tooltip search navigation".split())
_SHOWS = re.compile(r"toggle|show|open|expand|collaps|reveal|display|hidden|slide", re.IGNORECASE)  # in a script
_NO_NAME = re.compile(
    r"\W*(?:(?:show|read|see|view|load|learn|expand|collapse|open|close|toggle|more)\b.{0,20}|menu|details|[\W\d]*)\W*",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")
_LONGEST_NAME = 150  # characters
_LARGEST_CONTROL = 40  # elements inside


@dataclass(frozen=True, slots=True)
class Opener:
    """The name of a panel, and the start tag of the control that opens it."""

    name: str
    tag: str


def opened_panels(root: _Element) -> dict[_Element, Opener | None]:
    """The parts below ``root`` that a control opens, with the control where its text names the part."""
    controls: dict[str, _Element] = {}
    for node in root.iter():
        if isinstance(node.tag, str):
            for target in _targets(node):
                controls.setdefault(target, node)
    found: dict[_Element, Opener | None] = {}
    for node in root.iter():
        if not isinstance(node.tag, str) or node.tag in ("html", "body", "input", "form"):
            continue
        control = controls.get(node.get("id") or "")
        if _role(node) == "tabpanel" or (control is not None and _is_tab(control)):
            found[node] = _opener(control)
        elif is_hidden(node) and not _is_overlay(node, control):
            before = _control_before(node)
            if control is not None or before is not None or name_words(node) & _PANEL_WORDS:
                found[node] = _opener(control if control is not None else before)
    return found


def _targets(node: _Element) -> list[str]:
    """Ids of what a control opens: in any of its attributes; a link only where it points into the page."""
    if node.get("aria-haspopup") not in (None, "false"):
        return []
    values = [value for name in _POINTS_AT if (value := node.get(name)) and (name != "href" or value.startswith("#"))]
    return [name for value in values for target in value.split()[:8] if (name := target.lstrip("#"))]


def _is_tab(control: _Element) -> bool:
    toggles = (control.get("data-toggle"), control.get("data-bs-toggle"))
    return control.get("role") == "tab" or not {"tab", "pill"}.isdisjoint(toggles)


def is_kept_from_readers(node: _Element) -> bool:
    """Whether what is marked as nothing to be read aloud is nothing to be read at all: a closed dialog, a symbol.

    Other text that is so marked may well be shown: a price in large digits, what lies behind an open dialog.
    """
    if (node.get("aria-hidden") or "").lower() != "true":
        return False
    if node.tag in INLINE:
        text = "".join(map(str, node.itertext())).strip()
        return bool(text) and _WORD.search(text) is None
    return _is_overlay(node, None) and next(node.iter("main", "h1", "article"), None) is None


def _role(node: _Element) -> str:
    return (node.get("role") or "").lower()


def _is_overlay(node: _Element, control: _Element | None) -> bool:
    """Whether a part is brought up over the page: by its role, or by its names.

    The id of a panel that a control names may be made of its heading: "search-fees".
    """
    words = name_words(node)
    if control is not None and control.get("aria-controls") and words & _PANEL_WORDS:
        words = name_words(node, "class")
    return _role(node) in _OVERLAY_ROLES or node.tag in ("dialog", "nav") or bool(words & _OVERLAY_WORDS)


def _control_before(node: _Element) -> _Element | None:
    """The control right before an element: what says that it shows something, or a button that heads a panel."""
    before = node.getprevious()
    headed = False
    for _ in range(3):
        if before is None or not isinstance(before.tag, str):
            return None
        if before.get("aria-haspopup") not in (None, "false"):
            return None
        headed = headed or before.tag in HEADINGS | DEEP_HEADINGS
        says_so = before.get("aria-expanded") is not None or _SHOWS.search(before.get("onclick") or "") is not None
        is_button = before.tag == "button" or before.get("role") == "button"
        if says_so or (is_button and (headed or (name_words(before) | name_words(node)) & _PANEL_WORDS)):
            return before
        before = before[0] if len(before) else None
    return None


def _opener(control: _Element | None) -> Opener | None:
    """The control, where its text is a name, and is not read as a heading anyway."""
    if control is None or control.tag in HEADINGS:
        return None
    above = control.getparent()
    for _ in range(2):
        if above is not None and above.tag in (*HEADINGS, "h4", "h5", "h6", "dt", "summary"):
            return None
        above = above.getparent() if above is not None else None
    is_small = next(islice(control.iter(), _LARGEST_CONTROL, None), None) is None
    name = squeeze("".join(map(str, control.itertext()))) if is_small else ""
    if not name or len(name) > _LONGEST_NAME or _NO_NAME.fullmatch(name):
        return None
    return Opener(name, start_tag(control))
