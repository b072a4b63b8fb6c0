"""How much of a question a place of a page says, in the words of everyday speech too: "boss" is an employer.

Stricter than search: what is not covered here is something that the place may not be about. Words for the one who
asks and those of small talk say nothing about a page and are left out.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rapidfuzz.distance import OSA

from clausegraph.query.read.statements import content

_SAME = (
    "cost costs price fee fees charge charges expensive pay paid payable",
    "boss employer company firm work employment",
    "job work employment occupation employed working",
    "kid kids child children baby son daughter boy girl",
    "wife husband spouse partner married",
    "parent parents mother father mum dad mam",
    "money payment amount sum cash pay paid",
    "house home property flat dwelling",
    "car vehicle van motor",
    "wage wages earnings pay salary income earn earning",
    "papers paperwork documents document evidence",
    "buy buying bought purchase purchasing",
    "get receive getting receiving gets",
    "stop stops end ends",
    "need must have required requirement",
    "allowed permitted permission can may",
    "begin start starting beginning",
    "leave quit leaving",
    "die died dead death deceased dies passed",
    "trip holiday travel abroad",
    "notice warning",
    "test exam examination",
    "mark marked grade",
    "deadline date limit latest",
    "refund reimburse money back",
    "send sent post posted submit",
    "tell told report inform notify",
    "buy buying bought purchase",
    "appeal challenge",
    "student study studying course",
    "paid pay pays paying payment payments",
    "bill invoice",
    "ill sick illness unwell",
    "old age aged older",
    "landlord owner letting",
    "renting rent tenant tenancy",
    "penalty fine fined",
    "week weekly weeks",
    "month monthly months",
    "year yearly annual annually years",
    "day daily days",
    "minimum least lowest",
    "maximum most highest",
    "road vehicle",
    "keep keeping kept",
    "given give giving gives",
    "given make made",
    "choose chosen choice",
    "council authority local",
    "decide decision decided decides",
    "cheap cheaper reduced reduction lower",
    "children kids dependants dependant",
    "price amount rate",
    "payout payment compensation",
    "fix repair repairs mend",
    "staff employee employees worker workers",
    "take bring",
    "visitor guest",
    "speak represent appear",
    "study grant course",
)
_GROUPS = tuple(content(line) | frozenset(line.split()) for line in _SAME)
_SILENT = content(
    "mum dad mother father aunt uncle nephew niece gran grandad grandmother brother sister friend mate him her"
    " someone somebody anyone person people definitely really actually please help know want wants wondering think"
    " hello thing things stuff way something anything like good bad new right put take use make see look go come"
    " many long soon far ask say yet even once ever im ive cant dont wont whats able allowed possible though while"
    " before after while got too enough own myself ourselves completely totally ok okay bit max"
    " live lives living lived when what how time up out off over back question still already"
) | frozenset({"do", "dos", "don", "doe", "hav", "ha"})
_PREFIX = 5  # letters that two forms of one word share at least
_SPELLED = 6  # letters from which one may be wrong
_DIGIT = re.compile(r"\d")
_FIGURE = re.compile(r"£?\d[\d.,]*\s*-?(?:years?|months?|weeks?|days?|hours?|yr|yrs)?(?:[\s-]olds?)?\b", re.IGNORECASE)


@lru_cache(maxsize=65536)
def meets(first: str, second: str) -> bool:
    """Whether two stems are of one word, or say the same in everyday speech."""
    if first == second:
        return True
    shorter = min(len(first), len(second))
    if shorter >= _PREFIX and first[:_PREFIX] == second[:_PREFIX]:
        return True
    if shorter >= _SPELLED - 1 and first[0] == second[0] and OSA.distance(first, second, score_cutoff=1) <= 1:
        return True
    return any(first in group and second in group for group in _GROUPS)


@lru_cache(maxsize=16384)
def said(text: str) -> frozenset[str]:
    """Stems of a text's content words, those of a hyphenated word one by one."""
    return content(text.replace("-", " ").replace("/", " "))


def telling(text: str) -> frozenset[str]:
    """The words that say what is asked about, without figures."""
    return frozenset(word for word in said(_FIGURE.sub(" ", text)) - _SILENT if not _DIGIT.search(word))


@lru_cache(maxsize=65536)
def _found(word: str, text: str) -> bool:
    return any(meets(word, other) for other in said(text))


def uncovered(asked: frozenset[str], text: str) -> frozenset[str]:
    """The words that a text does not say."""
    return frozenset(word for word in asked if not _found(word, text))


def coverage(asked: frozenset[str], text: str) -> float:
    """Share of the words that a text says; 1 without words."""
    return 1.0 - len(uncovered(asked, text)) / len(asked) if asked else 1.0
