"""The words around a value that say what it is of: bounds, periods, what it is counted from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clausegraph.core.language import words
from clausegraph.core.language.normalise import singular

_NEAR = 48  # characters before a value that can bound it
_SAYS_LOW = r"at\s+least|(?:a\s+)?minimum(?:\s+of)?|no\s+(?:less|fewer)\s+than|not\s+(?:less|fewer)\s+than|from"
_SAYS_ABOVE = r"(?:more|greater|longer|older|higher|later)\s+than|over|above|exceed(?:s|ing)?"
_SAYS_HIGH = (
    r"up\s+to|at\s+most|(?:no|not)\s+(?:more|later|longer)\s+than|(?:a\s+)?max(?:imum)?(?:\s+of)?|not\s+exceeding"
    r"|as\s+much\s+as|within|no\s+later\s+than|by|until|capped\s+at"
)
_SAYS_BELOW = r"(?:less|fewer|younger|shorter|lower|earlier)\s+than|under|below|before"
_BOUNDS = (  # the first that ends the text before a value counts: "no more than" has "more than" in it
    ("at least", re.compile(rf"\b(?:{_SAYS_LOW})(?:\s+the\s+age\s+of)?\s+$", re.IGNORECASE)),
    ("at most", re.compile(rf"\b(?:{_SAYS_HIGH})(?:\s+the\s+age\s+of)?\s+$", re.IGNORECASE)),
    ("more than", re.compile(rf"\b(?:{_SAYS_ABOVE})(?:\s+the\s+age\s+of)?\s+$", re.IGNORECASE)),
    ("less than", re.compile(rf"\b(?:{_SAYS_BELOW})(?:\s+the\s+age\s+of)?\s+$", re.IGNORECASE)),
)
_AFTER = re.compile(r"\b(?:after|since|from)\s+$", re.IGNORECASE)  # of a day; a duration after something is no bound
_OF_AGE = re.compile(r"\b(?:over|under|above|below)\s+$", re.IGNORECASE)
_SAYS_AGE = re.compile(
    r"\b(?:aged?|ages|age\s+of|(?:i|he|she)\s+(?:am|is)|i'm|he's|she's|who\s+(?:is|are)|turn(?:ed|s|ing)?|reach(?:ed|es)?)"
    r"\s+(?:between\s+|over\s+|under\s+|above\s+|below\s+|at\s+least\s+|up\s+to\s+|only\s+|now\s+|just\s+)?$",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"\b(?:about|around|approximately|roughly|nearly|almost|an\s+average\s+of)\s+$", re.IGNORECASE)
_SO_FAR = re.compile(r"\b(?:the|these)\s+(?P<which>last|past|previous|preceding|next|coming)\s+$", re.IGNORECASE)
_SUFFIX = re.compile(
    r"\s*(?:\+|(?:-\s*)?plus\b(?!\s+[£$€\da-z]))|\s*,?\s+(?:or|and)\s+(?P<word>more|over|above|older|longer|later|greater|higher|upwards"
    r"|less|under|below|fewer|younger|shorter|earlier|lower)\b(?!\s+than)|\s+(?P<limit>minimum|maximum)\b",
    re.IGNORECASE,
)
_LESS = words.word_set("less under below fewer younger shorter earlier lower maximum")
_AGE_SUFFIX = words.word_set("over older under younger")
_TIME = "hour|day|night|week|fortnight|month|quarter|term|tax\\s+year|year"
_PERIOD = re.compile(
    rf"\s*(?:\b(?:a|an|per|each|every)\s+|/\s?)(?P<time>{_TIME})\b"
    r"|\s+(?P<adverb>hourly|daily|weekly|fortnightly|monthly|quarterly|yearly|annually)\b"
    r"|\s+(?:per|(?:for\s+)?(?:each|every))\s+(?P<per>[a-z]+(?:\s(?:ticket|child|partner))?)\b|\s+(?P<head>a\s+(?:head|mile|person|child))\b",
    re.IGNORECASE,
)
_ADVERBS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "fortnightly": "fortnight",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
}
_TRIGGER = re.compile(
    r"\s+(?P<how>after|before|from|following|since|of(?=\s+(?:the|your|their|his|her|its|a|an|this|that|when|[a-z]+ing)\b))\s+"
    r"(?P<what>[^.,;:()|]{2,100})",
    re.IGNORECASE,
)
_CUT = re.compile(r"\s+(?:if|unless|when|whichever|but|and\s+you|or\s+(?:if|\d)|in\s+order|to\s+(?:get|claim))\b.*$")
_AGO = re.compile(r"\s+(?:ago|earlier)\b", re.IGNORECASE)
_LONGEST_TRIGGER = 12  # words
_BETWEEN = re.compile(r"\s*(?:-|–|—|to|and|or|up\s+to)\s*")
_SUPERLATIVE = re.compile(
    r"\bwhichever\b(?:\s+(?:\w+\s+)?(?:is|comes|are|happens))?(?:\s+the)?\s+(?P<which>\w+)"
    r"|^(?:\w+\s)?the\s+(?P<of>\w+)\s+of\b",
    re.IGNORECASE,
)
_WHICH = {
    word: name
    for name, said in (
        ("latest", "later latest last"),
        ("earliest", "earlier earliest sooner soonest first"),
        ("highest", "higher highest greater greatest more most larger largest longer longest"),
        ("lowest", "lower lowest less least smaller smallest shorter shortest"),
    )
    for word in said.split()
}
_NOUN_AFTER = re.compile(r"\s+(?:or\s+more\s+|or\s+fewer\s+)?(?P<noun>[a-z]{3,})\b")
_NO_NOUNS = (
    words.PREPOSITIONS
    | words.DETERMINERS
    | words.AUXILIARIES
    | words.RELATIVES
    | words.THIRD_PERSON
    | words.word_set("and or but if unless when while then than years old more less fewer other different you they we")
)


@dataclass(frozen=True, slots=True)
class LeadingWords:
    """What stands before a value: ``bound`` is "at least", "more than", "at most", "less than" or ""."""

    bound: str = ""
    about: bool = False
    trigger: str = ""  # "now" in "the last 12 months"
    of_age: bool = False  # by a word that bounds an age too: "over 18"
    says_age: bool = False

    @property
    def found(self) -> bool:
        return bool(self.bound or self.trigger)


@dataclass(frozen=True, slots=True)
class TrailingWords:
    """What stands after a value; ``bound_end`` is where the noun it counts may begin."""

    bound: str = ""
    bound_end: int = 0
    period: str = ""
    per: str = ""
    relation: str = ""
    trigger: str = ""
    of_age: bool = False


_NOT_COUNTED = words.VERB_FORMS | _NO_NOUNS


def before_value(text: str, kind: str = "") -> LeadingWords:
    """What the end of a text says of the value after it."""
    near = f"{text[-_NEAR:].rstrip()} "
    about = _ABOUT.search(near)
    if about:
        near = near[: about.start()] + " "
    lasting = _SO_FAR.search(near)
    if lasting:
        return LeadingWords(about=bool(about), trigger="now")
    bound = next((name for name, pattern in _BOUNDS if pattern.search(near)), "")
    if kind == "date" and _AFTER.search(near):
        bound = "more than" if near.rstrip().lower().endswith("after") else "at least"
    return LeadingWords(bound, bool(about), "", bool(_OF_AGE.search(near)), bool(_SAYS_AGE.search(near)))


def after_value(text: str, kind: str) -> TrailingWords:
    """What the beginning of a text says of the value before it."""
    bound, at, of_age = "", 0, False
    suffix = _SUFFIX.match(text)
    if suffix:
        word = (suffix["word"] or suffix["limit"] or "").lower()
        bound, at, of_age = ("at most" if word in _LESS else "at least"), suffix.end(), word in _AGE_SUFFIX
    noun = _NOUN_AFTER.match(text, at) if kind == "number" else None
    position = noun.end() if noun and noun["noun"] not in _NO_NOUNS else at
    period, per = "", ""
    while (found := _PERIOD.match(text, position)) is not None and position < _NEAR:
        time = found["time"] or _ADVERBS.get((found["adverb"] or "").lower(), "")
        if time:
            period = " ".join(time.lower().split())
        else:
            per = (found["per"] or found["head"].split()[-1]).lower()
        position = found.end()
    relation, trigger = _trigger(text[position:])
    return TrailingWords(bound, at, period, per, relation, trigger, of_age)


def _trigger(text: str) -> tuple[str, str]:
    """How and from what it is counted."""
    if _AGO.match(text):
        return "before", "now"
    match = _TRIGGER.match(text)
    if match is None:
        return "", ""
    what = _CUT.sub("", match["what"]).strip()
    how = {"following": "after", "from": "after", "since": "after"}.get(match["how"].lower(), match["how"].lower())
    return (how, what) if what and len(what.split()) <= _LONGEST_TRIGGER else ("", "")


def unit_after(text: str) -> str:
    """What a number counts, in the singular: "employee"; "" where no noun follows."""
    noun = _NOUN_AFTER.match(text)
    return singular(noun["noun"]) if noun and noun["noun"] not in _NO_NOUNS else ""


def counts_many(text: str) -> bool:
    """Whether the noun after a number is surely one that it counts: a plural that is no verb ("50 employees")."""
    noun = _NOUN_AFTER.match(text)
    return noun is not None and noun["noun"] != singular(noun["noun"]) and noun["noun"] not in _NOT_COUNTED


def opens_range(text: str) -> bool:
    """Whether a text before a value opens a range: "between"."""
    return bool(re.search(r"\bbetween\s+(?:the\s+ages?\s+of\s+)?$", text[-_NEAR:], re.IGNORECASE))


def joins_range(between: str, opened: bool) -> bool:
    """Whether what stands between two values makes them the ends of a range."""
    match = _BETWEEN.fullmatch(between)
    if match is None:
        return False
    word = " ".join(between.lower().split())
    return opened if word == "and" else word != "up to" or opened


def superlative(text: str) -> str:
    """ "latest", "earliest", "highest" or "lowest" where a text says whichever is; else ""."""
    match = _SUPERLATIVE.search(text)
    return _WHICH.get((match["which"] or match["of"]).lower(), "") if match else ""
