"""Serialised page elements: their tag, their text, and when two are the same.

An element is one string such as ``<li>be over 18</li>``. ConditionalQA writes text unescaped
(``B&B``) and table cells joined by ``|``; pages we read ourselves may be escaped and hold inline
tags. ``element_key`` sees through both.
"""

from __future__ import annotations

import html
import re

_OUTER = re.compile(r"\s*<([a-zA-Z][\w-]*)[^>]*>(.*)</\1\s*>\s*", re.DOTALL)
_NEXT_CELL = re.compile(r"</t[dh]\s*>\s*<t[dh]\b[^>]*>", re.IGNORECASE)
# Blocks part words; inline tags (a, b, em ...) may stand in the middle of one.
_PARTING = re.compile(r"</?(?:td|th|tr|li|ul|ol|p|div|br|h[1-6])\b[^>]*>", re.IGNORECASE)
_INLINE = re.compile(r"</?[a-zA-Z][^<>]*>")


def element_tag(element: str) -> str:
    """Return the lower-case name of the outer tag, or ``""`` for text without one."""
    match = _OUTER.fullmatch(element)
    return match[1].lower() if match else ""


def element_text(element: str) -> str:
    """Return the text between the tags: entities resolved, whitespace runs made one space.

    Table cells are joined by ``|``, as ConditionalQA has them.
    """
    match = _OUTER.fullmatch(element)
    inner = match[2] if match else element
    bare = _INLINE.sub("", _PARTING.sub(" ", _NEXT_CELL.sub(" | ", inner)))
    return " ".join(html.unescape(bare).split())


def element_key(element: str) -> tuple[str, str]:
    """Return what two strings share if and only if they count as the same element.

    That is the tag and the whitespace-normalised text, so equal strings always have equal keys.
    An element without text is told apart by its whole string.
    """
    return element_tag(element), element_text(element) or element
