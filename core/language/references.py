"""What a sentence takes from the ones before it: a pronoun, "this payment", "elsewhere", "longer" than what."""

from __future__ import annotations

import re

from clausegraph.core.language.address import is_role
from clausegraph.core.language.lexicon import (
    AUXILIARIES,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    WORD,
    WordTable,
    phrases,
    word_set,
)
from clausegraph.core.language.normalise import BEGINNING, beginnings, content, plain, tokens

_TABLE = WordTable(__file__)

_POINTS = word_set("this that these those it they he she but however otherwise also then")
_OF_THE_PAGE = word_set("guide page leaflet section guidance policy form")  # "This guide" is no sentence before
_PRONOUN = phrases("it|its|itself|they|them|their|theirs|themselves|he|him|his|she|hers?")
_IDLE = _TABLE.pattern("idle")
_NOUN = re.compile(r"\b(?:an?|the|your|our|any|each|every|no|some|all|another|one|\d+)\s+(?P<rest>[^,;:.()]+)")
_SOMEBODY = phrases("anyone|someone|everyone|anybody|somebody|nobody|people|those|others")
_ELSE = _TABLE.pattern("else")
_DEFINITE = phrases(r"(?:the|that|this|such) (?P<what>[\w'-]+(?: [\w'-]+)?)")
_TOLD = beginnings(content(_TABLE.file["words"]["told"]))
_ENDS_NOUN = PREPOSITIONS | AUXILIARIES | RELATIVES | PRONOUNS


def points_back(text: str) -> bool:
    """Whether a sentence goes on from the one before it: "This includes …", "However, …"."""
    first, second = [*WORD.findall(text.lower())[:2], "", ""][:2]
    return first in _POINTS and second not in _OF_THE_PAGE


def leans_back(text: str) -> bool:
    """Whether a sentence has a word that stands for something told before it, and not in itself."""
    said = plain(text)
    return (
        points_back(said)
        or _ELSE.search(said) is not None
        or any(
            not _is_named(said[: found.start()], found[0].lower()) for found in _PRONOUN.finditer(_IDLE.sub(" ", said))
        )
    )


def takes_up(text: str, before: str, known: str) -> bool:
    """Whether a sentence has a definite noun ("the application") of the sentence before it, which what is ``known``
    from title and headings does not tell."""
    told = (beginnings(content(before)) | _TOLD) - beginnings(content(known))
    nouns = " . ".join(found["what"] for found in _DEFINITE.finditer(plain(text)))
    return any(len(begin) == BEGINNING for begin in told & beginnings(content(nouns)))


def _is_named(before: str, pronoun: str) -> bool:
    """Whether the words before a pronoun have a noun that it may stand for: a thing for "it", anything for "they"."""
    if pronoun.startswith("it"):
        return any(not is_role(head) for head in _heads(before))
    return bool(_SOMEBODY.search(before) or any(True for _ in _heads(before)))


def _heads(before: str) -> list[str]:
    """The nouns of a text: the last word of each noun phrase; a plural or a name that opens it may have no article."""
    phrases_of = [found["rest"] for found in _NOUN.finditer(before)]
    opening = tokens(before)[:3]
    bare = next((word for word in opening if word.endswith("s") and len(word) > 3 and word not in _ENDS_NOUN), "")
    found = [bare] if bare else []
    for phrase in phrases_of:
        words: list[str] = []
        for word in phrase.split():
            if word.lower() in _ENDS_NOUN:
                break
            words.append(word)
        found += words[-1:]
    return found
