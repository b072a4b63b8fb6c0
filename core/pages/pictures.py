"""What a picture says in words: its alternative text."""

from __future__ import annotations

import re

from lxml.etree import _Element

from clausegraph.core.pages.blocks import squeeze

_FILE = re.compile(r"\S+\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)|(?:img|dsc|image)[-_ ]?\d+", re.IGNORECASE)
_LONGEST = 500  # characters


def said_by(node: _Element, *, in_link: bool) -> str:
    """The alternative text of a picture; empty where it is decoration, a logo that links, or names a file."""
    said = squeeze((node.get("alt") or "")[: 2 * _LONGEST])
    if not said or in_link or len(said) > _LONGEST or _FILE.fullmatch(said):
        return ""
    is_decoration = (node.get("role") or "").lower() in ("presentation", "none") or node.get("aria-hidden") == "true"
    return "" if is_decoration or node.get("width") in ("0", "1") else said
