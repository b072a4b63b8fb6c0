"""What of a text leans on what stands around it: words that point, nouns told before, settings that no condition has.

For whoever must be sure that a clause can be understood by itself. Lists of words, made to refuse rather than to miss.
"""

from __future__ import annotations

import re
from functools import lru_cache

from clausegraph.core.language.markers import expand, plain
from clausegraph.core.language.normalise import singular
from clausegraph.core.language.verbs import base_form
from clausegraph.core.language.words import word_set

WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|[£$€]?\d[\d,.]*%?")
_QUOTED = re.compile(r"[‘“]([^‘’“”]{2,80})[’”](?!\w)")
_NEXT_DUTY = re.compile(r",\s+and (?:must|can|cannot|may|should|will)\b")  # what else the same subject has to do
_BRACKET = re.compile(r"\s*\(([^()]*)\)")
_NARROWS = re.compile(
    r"\b(?:if|unless|except|only|not|until|when|but|though|although|excluding|without|up to|or|less than|more than"
    r"|at least|within|under|over)\b",
    re.IGNORECASE,
)
_POINTS = re.compile(
    r"\b(?:this|these|those|it|its|itself|they|them|themselves|he|she|him|his|her|such|the same|others?|another"
    r"|either|neither|there|here|(?:above|below)(?!\s+(?:the|an?|your|their|£|\d))|instead|otherwise|therefore|however"
    r"|respectively|former|latter|next|previous|earlier|later|ones|one(?= (?:of|that|who|if|or)\b|[.,]|$)"
    r"|so|then|again|some of|any of|all of|both of|each of)\b",
    re.IGNORECASE,
)
_HANGS = re.compile(  # says more of when or how something holds than a condition tree has
    r"\b(?:if|unless|except|only|when|whenever|while|whilst|once|where|wherever|whether|because|since|although|though"
    r"|depending|according|provided|providing|as|which|whose|how|what|why|than|but|subject to|in case|as long|until"
    r"|after|before|during|following|afterwards|beforehand|meanwhile|probably|perhaps|maybe|unlike|rather|even"
    r"|otherwise|regardless|now have|whichever|whatever|whoever|every time|each time|in most cases|at first|for now)\b",
    re.IGNORECASE,
)
_WHOLE_IN_TIME = re.compile(  # a bound that the object or the relation has whole
    r"\b(?i:until|after|before|during|since|following)\s+(?=(?:the\s+)?(?:end of\s+)?(?:\d|[A-Z][a-z]+ \d|an? )"
    r"|(?:the\s+)?(?:tax|school|academic|calendar) year)"
)
_COMPARES = re.compile(r"\bas (?=an?\b)|(?<=\bmore) than\b|(?<=\bless) than\b|(?<=\bfewer) than\b")
_PAST = re.compile(r"\b(?:was|were|had|did|wasn't|weren't|didn't)\b", re.IGNORECASE)
# Definite nouns that stand for something told before; not so with what they are of: "the decision of the court".
_TOLD = re.compile(
    r"(?:\b(?:the|your|their)|\w's)\s+"
    r"(?:(?:first|second|final|new|original|full|correct|right|relevant|lower|higher|standard|reduced|current)\s+)?"
    r"(?:outcome|response|full version|version|decision|visit|meeting|form|notice|offer|changes?|letter|applications?"
    r"|appeal|period|amount|money|payments?|result|problem|allegation|review|hearing|request|case|claim|service|test"
    r"|course|fee|rate|price|charge|document|details|date|deadline|conditions?|rules?|requirements?|process|scheme|item"
    r"|goods|work|job|project|account|allowance|benefit|grant|loan|support|help|advice|information|evidence|reason"
    r"|order|agreement|contract|permission|licence|certificate|equipment|building|activity|event|person|party|office"
    r"|team|authority|organisation|company|group|address|number|website|page|section|list|table|figures?|total|balance"
    r"|difference|repairs?|bill|debt|tenancy|property|trust|fund|pool|sale|move|journey|trip|complaint|dispute"
    r"|situation|assessment|report|unit|map|record|return|declaration|statement|plan|award|nomination|committee|panel)"
    r"\b(?!\s+(?:of|for|from|in|who|that|you|your|to|on|about|with|between|against|by|under|itself)\b|['-])",
    re.IGNORECASE,
)
LOSABLE = word_set(  # words that a statement may lack: its form says them, or nothing hangs on them
    "also still then already now both either currently simply just too please can may might must should will would need"
    " have has do does be is are was a an the to of in on at by for from with as and or you your we our us not cannot"
    " their they no any get able allowed entitled eligible qualify need needs only when if out up there that who own"
    " following all one these yourself i'm re ll ve s t automatically always"
)


def unquoted(text: str) -> str:
    """A text without the quotes around its words: a notice called ‘notice of discharge’."""
    return _QUOTED.sub(r"\1", text)


def main_said(main: str) -> str | None:
    """A main clause without what only explains it; none where a bracket or a dash narrows what it says."""
    text = " ".join(plain(main).split()).strip(" .:;,")
    if any(_cuts(bracket[1], text[bracket.end() :].lstrip()) for bracket in _BRACKET.finditer(text)):
        return None
    text = _NEXT_DUTY.split(_BRACKET.sub("", text), maxsplit=1)[0]
    before, dash, aside = text.partition(" - ")
    if "(" in text or ")" in text or (dash and _NARROWS.search(aside)):  # half a bracket: cut where a condition stood
        return None
    return expand(before if dash else text)


def _cuts(inside: str, after: str) -> bool:
    """Whether a text means something else without a bracket: "British national (overseas) status"."""
    part_of_name = inside.islower() and len(inside.split()) < 3 and not re.match(r"an?\s", inside)
    return _NARROWS.search(inside) is not None or (after[:1].isalnum() and part_of_name)


def hangs(text: str) -> bool:
    """Whether a clause says more of when or how it holds: "after that", "only", "depending on"; or tells the past."""
    bare = _COMPARES.sub(" ", _WHOLE_IN_TIME.sub(" ", text))
    return _HANGS.search(bare) is not None or _PAST.search(text) is not None


def points(text: str) -> bool:
    """Whether a text has a word that points elsewhere: "this", "such", "the same"."""
    return _POINTS.search(text) is not None


def told_before(text: str) -> list[str]:
    """The stems of definite nouns that stand for something told before: "the decision", but not "the decision of"."""
    return [stem(found[0].lower().split()[-1]) for found in _TOLD.finditer(text)]


def stems(text: str) -> set[str]:
    """Words of a text in their base forms."""
    return set(_stems(text))


@lru_cache(maxsize=2048)
def _stems(text: str) -> frozenset[str]:
    """The same, kept: a clause is held against its title and headings again and again."""
    return frozenset(stem(word.lower().removesuffix("'s").strip("'.,")) for word in WORD.findall(plain(text)))


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The base of a verb form, else the singular."""
    return base_form(word) or singular(word)
