"""Footnotes: where the text refers to one, and the block that is one."""

from __future__ import annotations

from itertools import islice

from lxml.etree import _Element

from clausegraph.core.pages.markup import name_words

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
    is_raised = above is not None and (above.tag == "sup" or (above.tag == "span" and _is_sup(above.getparent())))
    return (
        is_raised
        or (len(node) > 0 and _is_sup(node[0]))
        or node.get("role") == "doc-noteref"
        or bool(name_words(node) & _NOTE_WORDS)
    )


def _is_sup(node: _Element | None) -> bool:
    return node is not None and node.tag == "sup"
