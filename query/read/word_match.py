"""How much of a question a place of a page says, in the words of everyday speech too: "boss" is an employer.

Stricter than search: what is not covered here is something that the place may not be about. Words for the one who
asks and those of small talk say nothing about a page and are left out.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import Prefix

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import WordTable, word_set
from clausegraph.core.language.normalise import content, normalise_text, tokens

_TABLE = WordTable(__file__)

_GROUPS = tuple(frozenset(group.split()) for group in re.split(r"[;\n]", _TABLE.file["same"].strip()))
_FAMILY = word_set("family relative relatives")  # each of the next is of it, and none is another
_KIN = _TABLE.words("kin")
_SILENT = content(_TABLE.file["words"]["silent"]) | frozenset({"do", "dos", "don", "doe", "hav", "ha"})
_ENDINGS = tuple(frozenset(row.split(" ")) for row in (" s es ed ing 's", "e es ed ing", "y ies ied ying"))
# Of a longer word, those that make another word of the same thing, too.
_LONGER = tuple(frozenset(row.split(" ")) for row in _TABLE.file["longer"])
_LONG = 4  # letters from which a word may have those endings
NEGATIVE = _TABLE.pattern("negative")
_CLAUSES = re.compile(r"[,;:]\s|\s(?:but|and|so|because|although|while|though|who|which)\s", re.IGNORECASE)
_NEXT_SENTENCE = re.compile(r"[.!?…]\s+[a-z]")  # where a sentence begins that is typed without a capital
_FIGURE = re.compile(r"£?\d[\d.,]*\s*-?(?:years?|months?|weeks?|days?|hours?|yr|yrs)?(?:[\s-]olds?)?\b", re.IGNORECASE)
_EXCEPTED = re.compile(r"[,\s]+(?:other than|except(?: for)?|apart from|but not|excluding|unless)\s", re.IGNORECASE)
_GOVERNING = re.compile(r".*\b(?:of|for|by|through|in|with|from|on|at|as)\s+(?=\S)", re.IGNORECASE)
_OF_ITS_OWN = _TABLE.pattern("of_its_own")


@lru_cache(maxsize=65536)
def same_word(first: str, second: str) -> bool:
    """Whether two words are forms of one, or say the same in everyday speech."""
    if first == second or _inflected(first, second) or any({first, second} <= group for group in _GROUPS):
        return True
    return bool({first, second} & _FAMILY and {first, second} & _KIN)


def _inflected(first: str, second: str) -> bool:
    """Whether two words are the same but for their endings."""
    shared = Prefix.similarity(first, second)
    for cut in range(shared, max(shared - 2, _LONG - 2), -1):  # "stop" and "stopped" differ behind a letter twice
        rests = first[cut:], second[cut:]
        doubled = [rest[1:] if rest[:1] == first[cut - 1] and len(rest) > 2 else rest for rest in rests]
        if any(row.issuperset(doubled) for row in (_LONGER if cut >= _LONG else _ENDINGS)):
            return True
    return False


@lru_cache(maxsize=16384)
def terms(text: str) -> frozenset[str]:
    """A text's content words, those of a hyphenated word one by one."""
    words = tokens(text.replace("-", " ").replace("/", " "))
    return frozenset(word.removesuffix("'s") for word in words if content(word))


def content_terms(text: str) -> frozenset[str]:
    """The words that say what is asked about, without figures."""
    words = terms(_FIGURE.sub(" ", text))
    return frozenset(word for word in words if not (content(word) & _SILENT or any(map(str.isdigit, word))))


@lru_cache(maxsize=65536)
def _found(word: str, text: str) -> bool:
    return any(same_word(word, other) for other in terms(text))


def missing_terms(wanted: frozenset[str], text: str) -> frozenset[str]:
    """The words that a text does not say."""
    return frozenset(word for word in wanted if not _found(word, text))


def coverage(wanted: frozenset[str], text: str) -> float:
    """Share of the words that a text says; 1 without words."""
    return 1.0 - len(missing_terms(wanted, text)) / len(wanted) if wanted else 1.0


@lru_cache(maxsize=512)
def as_sentences(*texts: str) -> str:
    """Texts as sentences that can be told apart, however they were typed: "i owe rent. im 25" has two."""
    ended = (text if text[-1] in ".!?…" else f"{text}." for text in map(str.strip, texts) if text)
    return _NEXT_SENTENCE.sub(lambda found: found[0].upper(), " ".join(ended))


@lru_cache(maxsize=512)
def pieces(user_text: str) -> tuple[str, ...]:
    """The sentences of a text and their clauses."""
    text = normalise_text(user_text)
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    parts = (part for sentence in sentences for part in (sentence, *_CLAUSES.split(sentence)) if part.strip())
    return tuple(dict.fromkeys(parts))


def is_named(text: str, user_text: str, topic: str = "", about: str = "") -> bool:
    """Whether somebody names one of the things that a text lists.

    Args:
        topic: words that say nothing by themselves, since whoever asks has them, too.
        about: what the question asks about: "I use it for farming" is told of the tractor that is asked about.
    """
    listed, *excepted = _EXCEPTED.split(text, maxsplit=1)
    others = content_terms(excepted[0]) - content_terms(listed) if excepted else frozenset()
    if missing_terms(others, user_text) != others:
        return False
    named = (part for part in _listed(listed) if missing_terms(content_terms(part), topic))
    return any(_signs(part, user_text, about) == {True} for part in named)


def is_said_both_ways(text: str, user_text: str) -> bool:
    """Whether one part of what is told says something and another one denies it, of others perhaps."""
    return any(len(_signs(part, user_text)) > 1 for part in _listed(text))


def _listed(text: str) -> list[str]:
    """The parts of a text with "or": of "left because of illness or pregnancy" both with "left because of".

    A single word that nothing governs ("a red or blue boat") is no part.
    """
    if " or " not in text:
        return [text]
    first, *more = re.split(r",?\s+or\s+|,\s+", text)
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
