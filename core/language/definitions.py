"""Short forms that a text gives to what it names: "Disclosure and Barring Service (DBS)"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clausegraph.core.language.lexicon import word_set

_FUNCTION_WORDS = word_set(
    "of for the in on at to a an with by from under over about into within outside against before after and or"
)
_ARTICLES = word_set("a an the your our their his her its my this")
_BRACKET = re.compile(r"\s*\(([^()]{2,60})\)")
_SHORT = re.compile(r"(?=[A-Za-z&]*[A-Z][A-Za-z&]*[A-Z])[A-Z][A-Za-z&]{1,7}")
_EXTRA_WORDS = 5  # of a long name beside those whose initials its short form has
_LONGER = re.compile(r"\b([A-Z])[\w'’-]* of (?:the )?$")  # the name may begin with this word


@dataclass(frozen=True, slots=True)
class Definition:
    """``alias`` is another name for ``name``; ``[start, end)`` is what says so."""

    name: str
    alias: str
    start: int
    end: int


def find_definitions(text: str) -> Iterator[Definition]:
    """The short forms that a text defines, from left to right; each is made of the initials of what it is for."""
    for found in _BRACKET.finditer(text):
        before, inside = text[: found.start()], found[1].strip()
        name, alias = (_long_form(before, inside), inside) if _SHORT.fullmatch(inside) else _expanded(before, inside)
        if name and name.lower() != alias.lower():
            stands_before = alias if name == inside else name
            yield Definition(name, alias, max(0, found.start() - len(stands_before)), found.end())


def initials(surface: str) -> Iterator[str]:
    """What a name of several words may be abbreviated to: with and without its function words, and with words
    in capitals or of two letters taken whole ("HM Revenue and Customs" → "hmrac", "hmrc", "hrac", "hrc")."""
    words = re.findall(r"[^\W_]+", surface)
    while words and words[0].lower() in _ARTICLES:
        words = words[1:]
    for chosen in (words, [word for word in words if word.lower() not in _FUNCTION_WORDS]):
        if len(chosen) > 1:
            yield "".join(word[0] for word in chosen).lower()
            yield "".join(word if _is_short_form(word) else word[0] for word in chosen).lower()


def _is_short_form(word: str) -> bool:
    return word.lower() not in _FUNCTION_WORDS and (len(word) <= 2 or (word.isupper() and len(word) <= 4))


def _long_form(before: str, short: str) -> str:
    """The words before a bracket whose initials make the short form, without an article; "" where none do."""
    letters = short.lower().replace("&", "")
    wanted = {letters, letters.removesuffix("s") if short.endswith("s") else letters}
    starts = [match.start() for match in re.finditer(r"\S+", before)]
    sentence = before.rstrip()
    for start in reversed(starts[-(len(letters) + _EXTRA_WORDS) :]):
        words = sentence[start:]
        if re.search(r"[.;:,()]", words):
            return ""
        opening = words.split()[0].lower()
        fits = opening[0] == letters[0] and opening not in _FUNCTION_WORDS and opening not in _ARTICLES
        if fits and wanted & set(initials(words)):
            longer = _LONGER.search(sentence[:start])  # "Officer of the Order of the British Empire (OBE)"
            return "" if longer and longer[1].lower() == letters[0] else words
    return ""


def _expanded(before: str, inside: str) -> tuple[str, str]:
    """ "DBS (Disclosure and Barring Service)": the name in the brackets, and its short form before them."""
    last = before.rsplit(maxsplit=1)[-1] if before.split() else ""
    if _SHORT.fullmatch(last) and last.lower() in set(initials(inside)) and inside[:1].lower() == last[:1].lower():
        return inside, last
    return "", ""
