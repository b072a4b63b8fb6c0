"""Texts and words made comparable: plain characters, tokens, entity keys, stems and base forms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from clausegraph.core.language.lexicon import WordTable, base_form, word_set

_TABLE = WordTable(__file__)

_ARTICLES = {"a", "an", "the", "your", "their", "his", "her", "its", "our", "my", "this", "these", "any"}
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})
_WORD = re.compile(r"[£$€]?[^\W_]+(?:[.,'-][^\W_]+)*%?")
_IRREGULAR = {"children": "child", "people": "person", "men": "man", "women": "woman", "wives": "wife", "lives": "life"}
UNSEEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}  # control, bidirectional and private characters
_KEEP_S = ("ss", "us", "is", "ews", "ies")
_SHORT_FORMS = {"can't": "cannot", "can not": "cannot", "won't": "will not", "n't": " not"} | {
    "'ll": " will",
    "'re": " are",
    "'ve": " have",
}
_CONTRACTION = _TABLE.pattern("contraction")
_BRACKETS = re.compile(r"\s*\((?![A-Z][A-Za-z0-9&/ -]{0,14}\))[^()]*(?:\)|$)")  # an acronym's stay
_STOP = _TABLE.words("stop")
_SUFFIXES = ("ation", "ment", "ing", "ion", "ed", "ly", "er", "al")
BEGINNING = 4  # letters of a stem by which words are taken for one
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|[£$€]?\d[\d,.]*%?")
_GREETING = _TABLE.words("greeting")
_OPENING = word_set("hello hi hey hiya howdy greetings good thanks thank cheers bye goodbye")


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
    return " ".join("".join(" " if unicodedata.category(c) in UNSEEN else c for c in text).split())


def clean_name(value: object, longest: int) -> str | None:
    """A name on one line without invisible characters; none when it is no text, empty, or too long."""
    if not isinstance(value, str) or len(value) > 4 * longest:
        return None
    name = " ".join(visible(value).split())
    return name if name and len(name) <= longest and any(c.isalnum() for c in name) else None


@lru_cache(maxsize=16)
def plain(text: str) -> str:
    """Plain quotes, dashes and spaces, of equal length, so that offsets hold.

    Asked for clause by clause with the text of the whole element, so the last ones are kept.
    """
    return text if text.isascii() else text.translate(_QUOTES)


@lru_cache(maxsize=4096)
def expand(text: str) -> str:
    """A clause with plain quotes, its contractions written out, and without brackets but those of an acronym."""
    text = plain(text)
    text = " ".join((_BRACKETS.sub("", text) if "(" in text else text).split())
    return _CONTRACTION.sub(lambda m: f"{m['who']} is" if m["who"] else _SHORT_FORMS[m[0].lower()], text)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A crude stem, so that "claim", "claims", "claimed" and "claiming" meet."""
    base = singular(word.removesuffix("'s"))
    cut = base.removesuffix(next(filter(base.endswith, _SUFFIXES), ""))
    return cut.rstrip("e") if len(cut) >= 3 else base


@lru_cache(maxsize=16384)
def content(text: str) -> frozenset[str]:
    """Stems of the content words of a text."""
    return frozenset(stem(word) for word in tokens(text) if word not in _STOP)


def beginnings(stems: Iterable[str]) -> set[str]:
    """The first letters of stems, by which "application" is what somebody may "apply" for."""
    return {stem[:BEGINNING] for stem in stems}


def common_share(words: frozenset[str], others: frozenset[str]) -> float:
    """Common words of two texts, from 0 to 1."""
    return 2 * len(words & others) / max(len(words) + len(others), 1)


def overlap(needles: frozenset[str], text: str) -> float:
    """Share of the ``needles`` that occur in ``text``; 0 without needles."""
    return len(needles & content(text)) / len(needles) if needles else 0.0


@lru_cache(maxsize=2048)
def lemmas(text: str) -> frozenset[str]:
    """Words of a text in their base forms; kept, since a clause is held against its headings again and again."""
    return frozenset(lemma(word.lower().removesuffix("'s").strip("'.,")) for word in WORD.findall(plain(text)))


@lru_cache(maxsize=16384)
def lemma(word: str) -> str:
    """The base of a verb form, else the singular."""
    return base_form(word) or singular(word)


def is_greeting(text: str) -> bool:
    """Whether a text has no word but those of a greeting, and begins as one."""
    said = tokens(text)
    return bool(said) and said[0] in _OPENING and set(said) <= _GREETING
