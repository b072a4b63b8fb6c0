"""Text from documents made safe to print: a terminal must never obey it."""

from __future__ import annotations

import re

# C0 and C1 controls but tab and newline; zero-width and bidirectional overrides; lone surrogates
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: object) -> str:
    """The text with each control character shown as U+FFFD; tabs and newlines stay."""
    return _UNSAFE.sub("\ufffd", str(text))


def one_line(text: object, limit: int | None = None) -> str:
    """Clean text on one line, cut to ``limit`` characters with an ellipsis."""
    line = " ".join(clean(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1] + "…"


def clean_json(document: str) -> str:
    """JSON with control characters written as escapes: the same values, nothing for a terminal to obey."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", document)


def clean_xml(text: object) -> str:
    """The text without the characters that XML 1.0 has no way to write."""
    return _NOT_XML.sub("", str(text))
