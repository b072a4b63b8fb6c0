"""Subordinators: the words that open a condition, with their sign, and the look-alikes that do not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_PLAIN = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00a0": " "})

# In order: the first alternative that matches at a position wins. The group name says what it does.
_MARKER = re.compile(
    r"""
    (?P<neutral>\b(?:even\s+(?:if|when|though|where)|whether\s+or\s+not|as\s+if
        |(?:does\s+not|doesn't)\s+matter\s+(?:if|when|where)|if\s+(?:possible|necessary|not|any|so)(?=\s*(?:[,.;:)]|$))
        |although|because|so\s+that|regardless\s+of|what\s+if
        |(?:for\s+example|including|such\s+as|especially),?\s+(?:if|when|where)(?![^.]{0,40}:\s*$))\b)
  | (?P<not>(?<=\()(?:this|it)\s+does\s+not\s+apply\s+if\b
        |\b(?:but\s+not\s+(?:if|when|where|while|until)|(?:but\s+)?unless|except\s+(?:if|when|where|that|for|while)
        |excluding|other\s+than\s+(?:if|when|where)|except|not\s+(?:if|when))\b)
  | (?P<if>\b(?:but\s+)?(?:only\s+(?:if|when|where|while|after|once)
        |if\s+and\s+only\s+if|(?:if|as\s+long\s+as|so\s+long\s+as
        |on\s+(?:the\s+)?condition\s+that|providing(?:\s+that)?(?=\s+(?:you|they|it|the|your|we|he|she|a|an|all|any|both|:))
        |provided(?:\s+that|(?=\s*:|\s+(?:you|they|it|your|he|she|there|no)\b)))(?=\W))
    )
  | (?P<weak>\b(?:when(?:ever)?|while|where|once)\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# One of these is in every marker: looking for them first spares most sentences the pattern.
_WORDS_OF_MARKERS = (
    *("if", "whe", "while", "once", "unless", "except", "excluding", "other", "long", "condition", "provid"),
    *("although", "because", "so that", "regardless"),
)
# Verbs that ask about something: "check if" opens a question, not a condition.
_ASKING = re.compile(
    r"\b(?:check(?:s|ed|ing)?|ask(?:s|ed|ing)?|see|find(?:ing)?\s+out|decides?|deciding|knows?|sure|wonder|say|show|shows|explain|confirm|tells?\s+you|ask(?:s|ing)?\s+(?:them|him|her|us|the\s+\w+|your\s+\w+)"
    r"|establish|consider|work\s+out|unsure|determine)\s*$",
    re.IGNORECASE,
)
# "a further check if": the noun asks nothing.
_NOUN_CHECK = re.compile(
    r"\b(?:an?|the|this|any|no|another|further|repeat|credit)\s+(?:\w+\s+)?(?:check|checks|show|say)\s*$", re.IGNORECASE
)
_INTRO = re.compile(
    r"\s*(?:(?:but|and|or|so|also|however|otherwise|then|instead|for\s+example|in\s+addition|similarly)[,\s]\s*)*",
    re.IGNORECASE,
)
# A noun right before "where" or "when" makes it relative ("the country where you live").
_WEAK_FOLLOW = re.compile(r"\s*(?::|(?!we\b|in\b|at\b|on\b|to\b|we're\b|and\b|or\b)[A-Za-z£])", re.IGNORECASE)
_ONCE_FOLLOW = re.compile(r"\s+(?:you|they|the|your|it|he|she)\b|\s*:", re.IGNORECASE)
# "the date when you moved", "depends on when …": a noun's clause or a question.
_TIME_NOUN = re.compile(
    r"\b(?:the\s+(?:date|day|time|year|month|week|point|tax year)"
    r"|depends?\s+on|including|and|from|of|about|on|how|to)\s*$",
    re.IGNORECASE,
)
_CONTRACTIONS = (
    (re.compile(r"\bcan't\b", re.IGNORECASE), "cannot"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"(?<=\w)n't\b"), " not"),
    (re.compile(r"(?<=\w)'ll\b"), " will"),
    (re.compile(r"(?<=\w)'re\b"), " are"),
    (re.compile(r"(?<=\w)'ve\b"), " have"),
    (re.compile(r"\b(it|he|she|that|there|who)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\bcan not\b"), "cannot"),
)
_BRACKETS = re.compile(r"\s*\((?![A-Z][A-Za-z0-9&/ -]{0,14}\))[^()]*(?:\)|$)")  # an acronym's stay
_JOINED = re.compile(r"\b(or|and|but)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marker:
    """A subordinator ``[start, end)``: ``negated`` opens an exception, ``neutral`` no condition at all.

    ``temporal`` for "when", "while", "where", "once"; ``joined`` is how its
    clause joins the one before; ``fronted`` when it opens the sentence.
    """

    start: int
    end: int
    negated: bool = False
    neutral: bool = False
    fronted: bool = False
    joined: str = "all"
    temporal: bool = False


@lru_cache(maxsize=16)
def plain(text: str) -> str:
    """Plain quotes, dashes and spaces, of equal length, so that offsets hold.

    Asked for clause by clause with the text of the whole element, so the last ones are kept.
    """
    return text if text.isascii() else text.translate(_PLAIN)


@lru_cache(maxsize=4096)
def expand(text: str) -> str:
    """A clause with plain quotes, its contractions written out, and without brackets but those of an acronym."""
    text = plain(text)
    text = " ".join((_BRACKETS.sub("", text) if "(" in text else text).split())
    if "'" in text or "can not" in text:
        for pattern, written in _CONTRACTIONS:
            text = pattern.sub(written, text)
    return text


def find_markers(text: str, start: int, end: int, temporal: bool = True) -> list[Marker]:
    """The subordinators of ``text[start:end]`` in order; without ``temporal`` no "when", "while", "where", "once".

    ``text`` must be ``plain``.
    """
    lowered = text[start:end].lower()
    if not any(word in lowered for word in _WORDS_OF_MARKERS):
        return []
    intro = _INTRO.match(text, start, end)
    first = intro.end() if intro else start
    found: list[Marker] = []
    for match in _MARKER.finditer(text, start, end):
        kind = match.lastgroup or ""
        if (kind == "weak" and not temporal) or _is_look_alike(text, start, match, kind):
            continue
        if found and not found[-1].neutral and _gives_its_reason(text, match):
            continue
        fronted = match.start() == first or _after_short_intro(text, start, match.start())
        marker_start = match.start()
        conjunction = _JOINED.search(text, start, match.start())
        operator = "all"
        if conjunction and found and not found[-1].neutral:
            marker_start = conjunction.start()
            operator = "any" if conjunction[1].lower() == "or" else "all"
        marker = Marker(
            marker_start, match.end(), kind == "not", kind == "neutral", fronted and not found, operator, kind == "weak"
        )
        found.append(marker)
    return _without_idle_weak(found)


def _is_look_alike(text: str, start: int, match: re.Match[str], kind: str) -> bool:
    """ "check if", "the country where you live", "provided by": words that open no condition."""
    before = text[start : match.start()]
    word = match[0].lower()
    if kind == "not":
        return word == "excluding"
    asked = bool(_ASKING.search(before)) and not _NOUN_CHECK.search(before)
    if kind != "weak":
        return asked and kind == "if"
    if asked or not _WEAK_FOLLOW.match(text, match.end()):
        return True
    if word == "where":
        return bool(before.strip()) and not before.rstrip().endswith((",", "("))
    if word == "once" and before.strip() and not _ONCE_FOLLOW.match(text, match.end()):
        return True
    return bool(_TIME_NOUN.search(before))


def _gives_its_reason(text: str, match: re.Match[str]) -> bool:
    """Whether "because" goes on with the condition before it: "unless you left because of illness"."""
    return match[0].lower() == "because" and not text[: match.start()].rstrip().endswith((",", "-", ";", ":", ")"))


def _after_short_intro(text: str, start: int, position: int) -> bool:
    """ "In England, if …": a marker after a short opening phrase and its comma is fronted too."""
    before = text[start:position].rstrip()
    return (
        before.endswith(",")
        and len(before.split()) <= 6
        and bool(re.match(r"(?:in|at|for|from|on|under|after|before)\s", before, re.IGNORECASE))
    )


def _without_idle_weak(found: list[Marker]) -> list[Marker]:
    """Drop "when", "while" and "where" beside a strong subordinator, unless they open the sentence."""
    strong = any(not marker.temporal and not marker.neutral for marker in found)
    return [marker for marker in found if not marker.temporal or marker.fronted or not strong]
