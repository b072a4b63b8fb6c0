"""Whether somebody names a thing or a case that a text lists: "my caravan" is one of "a caravan or a trailer"."""

from __future__ import annotations

import re

from clausegraph.query.read.scenario import NEGATIVE, pieces
from clausegraph.query.read.word_match import content_terms, coverage, missing_terms

_OR = re.compile(r"\sor\s", re.IGNORECASE)
_NEXT = re.compile(r",?\s+or\s+|,\s+", re.IGNORECASE)
_EXCEPTED = re.compile(r"[,\s]+(?:other than|except(?: for)?|apart from|but not|excluding|unless)\s", re.IGNORECASE)
_GOVERNING = re.compile(r".*\b(?:of|for|by|through|in|with|from|on|at|as)\s+(?=\S)", re.IGNORECASE)
_OF_ITS_OWN = re.compile(
    r"(?:you|they|it|he|she|your|their|is|are|was|were|have|has|had|do|get|\w+ed)\b", re.IGNORECASE
)


def is_named(text: str, user_text: str, topic: str = "", about: str = "") -> bool:
    """Whether somebody names one of the things that a text lists.

    Args:
        topic: words that say nothing by themselves, since whoever asks has them, too.
        about: what the question asks about: "I use it for farming" is told of the tractor that is asked about.
    """
    listed, *excepted = _EXCEPTED.split(text, maxsplit=1)
    others = content_terms(excepted[0]) - content_terms(listed) if excepted else frozenset()
    if len(missing_terms(others, user_text)) < len(others):
        return False
    return any(
        missing_terms(content_terms(part), topic) and _signs(part, user_text, about) == {True}
        for part in _listed(listed)
    )


def is_said_both_ways(text: str, user_text: str) -> bool:
    """Whether one part of what is told says something and another one denies it, of others perhaps."""
    return any(len(_signs(part, user_text)) > 1 for part in _listed(text))


def _listed(text: str) -> list[str]:
    """The parts of a text with "or": of "left because of illness or pregnancy" both with "left because of".

    A single word that nothing governs ("a red or blue boat") is no part.
    """
    if not _OR.search(text):
        return [text]
    first, *more = _NEXT.split(text)
    governing = _GOVERNING.match(first)
    opening = governing[0] if governing is not None else ""
    made = [part if not opening or _OF_ITS_OWN.match(part) else f"{opening}{part}" for part in more]
    return [first, *(part for part in made if len(part.split()) > 1)]


def _signs(part: str, user_text: str, about: str = "") -> set[bool]:
    """Whether those clauses that have all words of a part affirm it, or deny it."""
    words = frozenset(word for word in content_terms(part) if not NEGATIVE.search(word))
    having = [piece for piece in pieces(user_text) if words and _has(piece, words, about)]
    least = [piece for piece in having if not any(other != piece and other in piece for other in having)]
    return {bool(NEGATIVE.search(part)) == bool(NEGATIVE.search(piece)) for piece in least}


def _has(piece: str, words: frozenset[str], about: str) -> bool:
    """Whether a clause has all of the words; those of the question it need not repeat, if it has another one."""
    left = missing_terms(words, about)
    return coverage(words, piece) == 1.0 or (bool(left) and left != words and coverage(left, piece) == 1.0)
