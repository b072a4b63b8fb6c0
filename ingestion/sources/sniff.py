"""Does this file hold HTML? Decided from its bytes, since names lie."""

from __future__ import annotations

import re

from clausegraph.core.pages.decode import decode_page

_MAGIC = {
    b"%PDF-": "a PDF",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"PK\x03\x04": "a ZIP archive or an Office document",
    b"\x1f\x8b": "gzip-compressed",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"\x7fELF": "a program",
    b"{\\rtf": "an RTF document",
}
_TAG = re.compile(
    r"<(?:!doctype\s+html|html|head|body|title|meta|main|article|section|div|span|p|h[1-6]|ul|ol|li|dl|table|tr|td|"
    r"a|b|i|br|hr|font|center|form)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_CONTROL_SHARE = 0.02  # text has none, a stray NUL or form feed apart; compressed data has about a tenth


def why_not_html(raw: bytes) -> str | None:
    """Return why ``raw`` cannot be read as an HTML page, or ``None`` when it can."""
    if not raw.strip():
        return "the file is empty"
    for magic, kind in _MAGIC.items():
        if raw.startswith(magic):
            return f"not HTML: the content is {kind}"
    text = decode_page(raw)
    if not text.strip() or len(_CONTROL.findall(text)) > max(8, _CONTROL_SHARE * len(text)):
        return "not HTML: the content is binary"
    if _TAG.search(text) is None:
        return "not HTML: the content is plain text without any HTML tag"
    return None
