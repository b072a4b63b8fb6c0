"""Names that people give to corpora and sources: told apart by eye, and safe to show."""

from __future__ import annotations

import re
import unicodedata

from clausegraph.core.errors import InputError

LONGEST = 100
# What is letter or symbol to Unicode and yet nothing to the eye; format characters are not printable anyway
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def checked_name(name: str, what: str, fix: str) -> str:
    """The name in Unicode's composed form (NFC), in which equal letters are equal characters.

    Args:
        what: what is named, for the message.
        fix: what to do about a name that cannot be used.

    Raises:
        InputError: it is empty or longer than 100 characters, has "/", white space at an end or twice in a row, or
            something that is not printable or not visible.
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
