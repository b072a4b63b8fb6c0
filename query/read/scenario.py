"""What a scenario says about a condition: met, unmet or nothing. Figures first, then words and negation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import content, normalise_text
from clausegraph.core.types import ConditionState
from clausegraph.query.read.figures import compare

NEGATIVE = re.compile(
    r"\b(?:not|never|no|none|without|neither|cannot|nor|no longer|nobody|refused|lack|lacks|isnt|dont|doesnt|didnt"
    r"|cant|havent|hasnt|wont|wasnt|arent)\b|n't\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[,;:]\s|\s(?:but|and|so|because|although|while|though|who|which)\s", re.IGNORECASE)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_NEXT = re.compile(r"[.!?…]\s+[a-z]")  # where a sentence begins that is typed without a capital
_GETS = content("gets getting")  # who tells that they get something says neither
_FEWEST = 2  # content words of a condition that words can judge
_SURELY = 0.75  # share of them that a denial must have


@dataclass(frozen=True, slots=True)
class LeafJudgement:
    """The state of a condition for a scenario, the share of its words that occur there, and why."""

    state: ConditionState
    overlap: float
    reason: str


def judge(condition: str, user_text: str, today: date | None = None, enough: float = 0.6) -> LeafJudgement:
    """Judge a condition by what is told: a comparison of figures, else one clause that has its words.

    Args:
        today: the day from which ages are seen.
    """
    needles = content(condition) - _GETS
    comparison = compare(condition, user_text, today)
    said, share = _said(needles, user_text)
    if comparison is not None:
        state = ConditionState.MET if comparison.holds else ConditionState.UNMET
        return LeafJudgement(state, share, f"{comparison.figure.text} is told")
    if share < enough or len(needles) < _FEWEST:
        return LeafJudgement(ConditionState.UNKNOWN, share, "not mentioned")
    if bool(NEGATIVE.search(condition)) == bool(NEGATIVE.search(said)):
        return LeafJudgement(ConditionState.MET, share, "said")
    if share < _SURELY or _OR.search(condition):
        return LeafJudgement(ConditionState.UNKNOWN, share, "said in part, with the other sign")
    return LeafJudgement(ConditionState.UNMET, share, "said with the other sign")


def _said(needles: frozenset[str], user_text: str) -> tuple[str, float]:
    """The part of what is told that has most of the words, and their share: a clause where it has as many."""
    if not needles:
        return "", 0.0
    best = max(pieces(user_text), key=lambda piece: (len(needles & content(piece)), -len(piece)), default="")
    return best, len(needles & content(best)) / len(needles)


@lru_cache(maxsize=512)
def as_sentences(*texts: str) -> str:
    """Texts as sentences that can be told apart, however they were typed: "i owe rent. im 25" has two."""
    ended = (text if text[-1] in ".!?…" else f"{text}." for text in map(str.strip, texts) if text)
    return _NEXT.sub(lambda found: found[0].upper(), " ".join(ended))


@lru_cache(maxsize=512)
def pieces(user_text: str) -> tuple[str, ...]:
    """The sentences of a text and their clauses."""
    text = normalise_text(user_text)
    found: dict[str, None] = {}
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        found |= dict.fromkeys([sentence, *(part for part in _CLAUSES.split(sentence) if part.strip())])
    return tuple(found)
