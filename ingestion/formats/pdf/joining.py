"""Lines to running text: hyphens at the ends of lines are mended."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

_SOFT = "\u00ad"
_BROKEN = re.compile(r"(?:^|[\s(“\"'‘])([^\W\d_]+)[-\u2010\u00ad]$")
_REST = re.compile(r"[^\W\d_]+")


def joined(lines: Sequence[str], words: Container[str] = ()) -> str:
    """The lines as one text.

    A word broken at the end of a line is put together where the document has it so, or has no such parts; a hyphen
    that belongs to the word stays.

    Args:
        words: of the document, in lower case, with those written with hyphens.
    """
    text = ""
    for line in lines:
        if not text:
            text = line
        elif text.endswith(_SOFT):
            text = text[:-1] + line
        elif text.endswith(("-", "\u2010")):
            text = _mended(text, line, words)
        else:
            text = f"{text} {line}"
    return text


def _mended(text: str, line: str, words: Container[str]) -> str:
    before, after = _BROKEN.search(text), _REST.match(line)
    if before is None or after is None:
        return text + line if text[-2:-1].isalnum() else f"{text} {line}"
    first, second = before[1].lower(), after[0].lower()
    if f"{first}-{second}" in words:
        return text + line
    if first + second in words:
        return text[:-1] + line
    stays = after[0][0].isupper() or (first in words and second in words)
    return text + line if stays else text[:-1] + line


def vocabulary(lines: Sequence[str]) -> set[str]:
    """The words of the lines, in lower case: those inside lines, since at their ends they may be broken."""
    found: set[str] = set()
    for line in lines:
        for word in line.split()[: None if not line.endswith(("-", "\u2010", _SOFT)) else -1]:
            found.add(word.strip(".,;:!?()[]“”‘’\"'").lower())
    return found
