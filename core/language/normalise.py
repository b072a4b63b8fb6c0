"""Names and words made comparable: the keys by which mentions meet. Pure and deterministic."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_ARTICLES = {"a", "an", "the", "your", "their", "his", "her", "its", "our", "my", "this", "these", "any"}
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})
_WORD = re.compile(r"[£$€]?[^\W_]+(?:[.,'-][^\W_]+)*%?")
_IRREGULAR = {"children": "child", "people": "person", "men": "man", "women": "woman", "wives": "wife", "lives": "life"}
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}  # control, bidirectional and private characters
_KEEP_S = ("ss", "us", "is", "ews", "ies")


def normalise_text(text: str) -> str:
    """Unicode NFKC, plain quotes and dashes, single spaces; case is kept."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).split())


def tokens(text: str) -> list[str]:
    """Lower-case word, number and money tokens of a text in any script, without accents, in order."""
    return _WORD.findall(_without_accents(normalise_text(text)).lower())


def _without_accents(text: str) -> str:
    """Letters without their marks, so that café and cafe meet."""
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not "\u0300" <= c <= "\u036f"))


def singular(word: str) -> str:
    """A plain singular of an English noun; other words come back unchanged."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(_KEEP_S):
        return word[:-1]
    return word


@lru_cache(maxsize=8192)
def entity_key(surface: str) -> str:
    """The normalised name of an entity: case, articles, possessives and plurals removed.

    Never begins with "=", which marks a literal among the objects of facts.
    """
    words = [word.removesuffix("'s").removesuffix("'") for word in tokens(surface)]
    content = [singular(word) for word in words if word not in _ARTICLES]
    key = " ".join(content or words) or normalise_text(surface).lower()
    return f"({key})" if key.startswith("=") else key


def visible(text: str) -> str:
    """The text on one line, without control, bidirectional and private-use characters."""
    if text.isprintable():  # nothing but letters, marks, numbers, signs and plain spaces
        return text if text.isascii() else " ".join(text.split())
    return " ".join("".join(" " if unicodedata.category(c) in _UNSEEN else c for c in text).split())
