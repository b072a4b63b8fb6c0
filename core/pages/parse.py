"""Text of a page to a DOM; bounded, whatever the markup."""

from __future__ import annotations

import re
from itertools import islice

from lxml import etree, html
from lxml.etree import _Element

_MAX_WIDTH = 100_000_000  # 10,000 children of one element; about half a second

_MAX_ATTRIBUTES = 256  # of one tag; libxml2 compares each with all before it
_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{16384,}")
_ATTRIBUTE = re.compile(r"""[^\s=<>"'/]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s<>"']++))?+""")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\ud800-\udfff]")


def parse_page(text: str) -> tuple[_Element | None, str | None]:
    """Parse a decoded page.

    Returns the root (``None`` when the parser finds no element at all), and why the parser left part of the
    page unread, if it did: libxml2 stops at 2,048 levels of nesting.
    """
    clean = few_attributes(_CONTROL.sub("", text))
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_pis=True, remove_comments=True)
    try:
        root = html.document_fromstring(clean.encode("utf-8"), parser=parser)
    except etree.ParserError:
        return None, None
    if any(entry.type == etree.ErrorTypes.ERR_NO_MEMORY for entry in parser.error_log):
        raise MemoryError  # libxml2 hands over what it has got by then
    stopped = next((entry for entry in parser.error_log if entry.level == etree.ErrorLevels.FATAL), None)
    if stopped is None:
        return root, None
    why = "markup nested too deep" if "depth" in stopped.message else stopped.message
    return root, f"{why} (line {stopped.line}); what stands further down was not read"


def few_attributes(text: str) -> str:
    """The page with no more attributes of a tag than any page means: parsers take the square of their number."""
    return _LONG_TAG.sub(_cut_attributes, text)


def _cut_attributes(tag: re.Match[str]) -> str:
    """The tag with its first attributes; one long attribute stays."""
    last = next(islice(_ATTRIBUTE.finditer(tag[0], 1), _MAX_ATTRIBUTES, None), None)
    return tag[0] if last is None else tag[0][: last.end()]


def is_wide(root: _Element) -> bool:
    """Whether elements have so many children that what counts them at each one, as trafilatura does, takes too long."""
    return sum(len(node) ** 2 for node in root.iter()) > _MAX_WIDTH
