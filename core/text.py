"""Text from documents and people made safe to print: a terminal must never obey it, and names are told apart by eye."""

from __future__ import annotations

import re
import unicodedata

from clausegraph.core.errors import InputError

# C0 and C1 controls but tab and newline; line separators; what is invisible or turns the direction of writing
# (but not the two joiners that Persian, Indic scripts and emoji are written with); tag characters; lone surrogates
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: object) -> str:
    """The text with each control character shown as U+FFFD; tabs and newlines stay."""
    return _UNSAFE.sub("\ufffd", str(text))


def counted(count: int, what: str) -> str:
    """A count of things in words: "1 entity", "2 entities", "3 facts"."""
    if count == 1 or what.endswith("s"):
        return f"{count} {what}"
    return f"{count} {what.removesuffix('y')}ies" if what.endswith("y") else f"{count} {what}s"


def one_line(text: object, limit: int | None = None) -> str:
    """Clean text on one line, cut to ``limit`` characters with an ellipsis."""
    line = " ".join(clean(text).split())
    return line if limit is None or len(line) <= limit else line[: limit - 1] + "…"


def clean_json(document: str) -> str:
    """JSON with control characters written as escapes: the same values, nothing for a terminal to obey.

    Nothing ends a line either that is not a newline: a reader may cut lines as Unicode has them.
    """
    return _UNSAFE.sub(_escape, document)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def clean_xml(text: object) -> str:
    """The text without the characters that XML 1.0 has no way to write."""
    return _NOT_XML.sub("", str(text))


LONGEST = 100
# What is letter or symbol to Unicode and yet nothing to the eye; format characters are not printable anyway
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def checked_name(name: str, what: str, fix: str) -> str:
    """The name in Unicode's composed form (NFC), in which equal letters are equal characters.

    Args:
        what: what is named, for the message.
        fix: what to do about a name that cannot be used.
    """
    composed = unicodedata.normalize("NFC", name)
    if wrong := _wrong(composed):
        raise InputError(f"{what} name {name[:40]!a} is not usable: it {wrong}; {fix}")
    return composed


def _wrong(name: str) -> str:
    if not name.strip():
        return "is empty"
    if len(name) > LONGEST:
        return f"has {len(name)} characters, the limit is {LONGEST}"
    if "/" in name:
        return "has a '/'"
    if name != name.strip() or "  " in name:
        return "begins or ends with a space, or has two in a row"
    if not name.isprintable() or _BLANK.search(name):
        return "has a character that cannot be seen"
    return ""


def is_text(value: str) -> bool:
    """Whether the string is text: bytes of the command line that are no UTF-8 become lone surrogates in it."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
