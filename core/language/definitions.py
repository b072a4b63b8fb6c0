"""Other names that a text gives to what it names: "Disclosure and Barring Service (DBS)", "X, also known as Y"."""

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
_CALLED = re.compile(
    r"(?:also|sometimes|usually|often|commonly)? ?(?:known as|called|abbreviated (?:as|to))\s+", re.IGNORECASE
)
_QUOTED = re.compile(r"[‘'“\"]([^‘’'“”\"]{2,60})[’'”\"]")
_SHORT = re.compile(r"(?=[A-Za-z&]*[A-Z][A-Za-z&]*[A-Z])[A-Z][A-Za-z&]{1,7}")
_NAME = re.compile(r"(?:[A-Z][\w’'-]*(?:\s+(?:of|for|and|the|in|on)(?=\s+[A-Z]))?(?:\s+|$))*[A-Z][\w’'-]*$")
_ALSO = re.compile(
    r",?\s+(?:which is |who are |is |are )?also (?:known as|called)\s+(?:the\s+)?"
    r"([‘'“\"][^‘’'“”\"]{2,60}[’'”\"]|[A-Z][\w’'-]*(?:\s+(?:of|for|and)?\s*[A-Z][\w’'-]*)*)"
)
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
    """The names that a text defines, from left to right. Precision comes first: a short form in brackets must be made
    of the initials of what it is for, another name must stand beside a capitalised one."""
    found = [*_bracketed(text), *_also(text)]
    yield from sorted(found, key=lambda one: one.start)


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


def _bracketed(text: str) -> Iterator[Definition]:
    for found in _BRACKET.finditer(text):
        before, inside = text[: found.start()], found[1].strip()
        called = _CALLED.match(inside)
        alias = _unquoted(inside[called.end() :] if called else inside)
        if _SHORT.fullmatch(alias):
            name = _long_form(before, alias)
        elif called:
            name = _name_before(before)
        else:
            name, alias = _expanded(before, inside)
        if name and alias and name.lower() != alias.lower():
            stands_before = alias if name == inside else name
            yield Definition(name, alias, max(0, found.start() - len(stands_before)), found.end())


def _also(text: str) -> Iterator[Definition]:
    for found in _ALSO.finditer(text):
        name, alias = _name_before(text[: found.start()]), _unquoted(found[1])
        if name and name.lower() != alias.lower():
            yield Definition(name, alias, found.start() - len(name), found.end())


def _unquoted(text: str) -> str:
    quoted = _QUOTED.fullmatch(text.strip())
    words = (quoted[1] if quoted else text).split()
    return " ".join(words[1:] if words and words[0].lower() in _ARTICLES else words)


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


def _name_before(before: str) -> str:
    """The capitalised name of several words that a text ends with; "" without one."""
    found = _NAME.search(before.rstrip())
    words = found[0].split() if found else []
    while words and words[0].lower() in _ARTICLES | _FUNCTION_WORDS | {"you", "if", "when", "your", "this"}:
        words = words[1:]
    return " ".join(words) if len(words) > 1 else ""
