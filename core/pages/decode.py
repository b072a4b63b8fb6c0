"""Bytes of a page to text and to a DOM; bounded, whatever encoding and markup the page has."""

from __future__ import annotations

import codecs
import re
from itertools import islice

from lxml import etree, html
from lxml.etree import _Element

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark starts with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""<(?:meta|\?xml)[^>]{0,500}?(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_DECLARED_WITHIN = 4096  # bytes; browsers look at the first 1,024
# What a page calls Latin-1 or ASCII is Windows-1252 in every browser (WHATWG Encoding Standard).
_IMPOSSIBLE = ("utf-16", "utf-32", "utf-7", "idna", "punycode", "undefined")
_WINDOWS_1252 = {"iso8859-1", "ascii", "cp1252"}
_INVISIBLE = str.maketrans("", "", "\x00\ufeff")


def decode_page(raw: bytes, charset: str = "") -> str:
    """Decode a page; never fails. ``charset`` is what the server says, if it says so.

    The order: byte order mark; UTF-8 when the bytes are valid UTF-8, whatever is declared (text in another
    encoding is hardly ever valid UTF-8 by accident); what the server says, then what the page declares, when the
    bytes fit it; UTF-8 with replacement characters when most of its non-ASCII characters are sound; Windows-1252. NUL
    and byte order marks inside the text are dropped.
    """
    return _decode(raw, charset).translate(_INVISIBLE)


def _decode(raw: bytes, charset: str) -> str:
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(encoding, "replace")
    if raw[:1] == b"<" and raw[1:2] == b"\0":
        return raw.decode("utf-16-le", "replace")
    if raw[:2] == b"\0<":
        return raw.decode("utf-16-be", "replace")
    said = [_known_encoding(charset) if charset else None, _declared_encoding(raw)]
    # ISO-2022 text is plain ASCII with escape sequences, so it would pass for UTF-8.
    candidates = [*said, "utf-8"] if b"\x1b" in raw else ["utf-8", *said]
    for candidate in candidates:
        if candidate is not None:
            try:
                return raw.decode(candidate)
            except UnicodeError:  # some codecs raise no UnicodeDecodeError
                continue
    return _damaged(raw)


def _declared_encoding(raw: bytes) -> str | None:
    """Python's name of the declared encoding; ``None`` when none, an unknown or an impossible one is declared."""
    match = _DECLARED.search(raw[:_DECLARED_WITHIN])
    return None if match is None else _known_encoding(match.group(1).decode("ascii", "replace"))


def _known_encoding(label: str) -> str | None:
    """Python's name of an encoding by a label of the web; ``None`` of one that is unknown or cannot be."""
    try:
        info = codecs.lookup(label)
    except LookupError:
        return None
    if not info._is_text_encoding or info.name.startswith(_IMPOSSIBLE):
        return None  # the declaration itself was readable as ASCII, so it cannot be true
    return "cp1252" if info.name in _WINDOWS_1252 else info.name


def _damaged(raw: bytes) -> str:
    """UTF-8 with damage, or Windows-1252: whichever explains more of the bytes above 127."""
    text = raw.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    sound = sum(character > "\x7f" for character in text) - broken
    return text if sound > broken else raw.decode("cp1252", "replace")


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
