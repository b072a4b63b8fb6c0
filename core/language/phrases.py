"""What stands after a verb: the noun phrase whole, the value it happens by or within, and what it is done for.

No parser: a phrase that is not surely one thing, or a value, is refused, and whoever asks makes no statement of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from clausegraph.core.language import words
from clausegraph.core.language.markers import plain
from clausegraph.core.language.values import TELLING_KINDS, find_values
from clausegraph.core.language.verbs import base_of_gerund, is_base

LONGEST = 12  # words of a phrase that names one thing
_LONGEST_RELATIVE = 12  # words of one that a relative clause narrows
_ACRONYM = re.compile(r"\([A-Z][A-Za-z0-9&/ -]{0,14}\)$")
_ONLY = re.compile(r"^only\s+")
_OPEN = re.compile(r"\s*\([^()]*$")
_BRACKETS = re.compile(r"\s*\([^()]*\)")
# What only explains the phrase before it.
_ASIDE = re.compile(
    r"\s+-+\s|;|:|,?\s+(?:for example|such as|including|especially|e\.?g\.?|i\.?e\.?|eg|ie)\b"
    r"|,\s+(?:which|who|where|so|but|because|although|as|unless|even|depending|usually|not|with|to|then|rather"
    r"|whichever|whether|otherwise|based|starting|by|from|if|when|only|this|these|you|they|it|we|or if|and if)\b"
    r"|\s+(?:because|although|even if|even though|even when|so that|so you|so they|in order to|as soon as"
    r"|as well as|as long as|rather than|regardless of|whether or not|whichever|depending on|instead of)\b"
    r"|\s+(?:before|after|until|while|once|when|whenever|if)\s+(?:you|they|we|it|he|she|your|their|the\s+\w+\s+(?:is|are))\b"
    r"|\s+(?:by|using|through)\s+(?=\w+ing\b)|\s+using\b|\s+without\s+\w+ing\b|\s+and\s+(?:then|you|they|it|we|must|can|will)\b|\s+or\s+(?:you|they|it|we)\b",
    re.IGNORECASE,
)
_WHICHEVER = re.compile(r",?\s+whichever\s+(?:\w+\s+)?(?:is|comes|happens)\s+(?:the\s+)?\w+\s*\.?$", re.IGNORECASE)
_TRAILING = re.compile(
    r"[\s,]+(?:also|too|again|instead|now|first|then|anyway|yourself|yourselves|themselves|directly|separately|together"
    r"|immediately|either|as well|at once|straight away|right away|where possible|if possible|in advance|in person"
    r"|elsewhere|in writing|by post|by email|by phone|if necessary|where necessary|at any time"
    r"|at the same time|each time|automatically|more quickly|below|above)$",
    re.IGNORECASE,
)
_TIMING = re.compile(
    r"(?:^|\s)(?P<how>within|by|for|from|until|before|after|in|on|every|at least|no later than)\s+"
    r"(?=(?:the\s+(?:first|last|next|end of)\s+)?"
    r"(?:up\s+to\s+|at\s+least\s+|at\s+most\s+|no\s+more\s+than\s+|more\s+than\s+"
    r"|less\s+than\s+|a\s+maximum\s+of\s+|a\s+minimum\s+of\s+)?(?:[£$€]?\d|an?\s+(?:day|week|month|year)s?\b"
    r"|(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve)\s+(?:\w+\s+)?(?:day|week|month|year|hour)s?\b"
    r"|(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d))",
)
_OFTEN = re.compile(  # how often, at the end of what follows the verb: "every month", "twice a year"
    r"(?:^|\s)(?P<often>(?:(?:every|each)|(?:once|twice) (?:an?|every|each))"
    r" (?:day|week|month|quarter|(?:tax |school )?year))$",
    re.IGNORECASE,
)
_NARROWS = words.word_set("who that which whose where")
_CLAUSAL = words.word_set(
    "if unless whether because although how why what while than so when whenever until though since please yes no"
)
NOUNS_TO = words.word_set(
    "right permission decision ability chance duty plan order way need request application intention failure"
    " access responsibility opportunity able likely willing due required entitled allowed"
    " time power authority licence consent promise obligation attempt reason"
)
_COMPARED = words.word_set("more less fewer later earlier longer higher lower other greater larger smaller")
_VAGUE = words.word_set("all everything anything something more one")
_ADVERBS = words.word_set("early late later more less enough well abroad here there too again before after")
_OBJECT_PRONOUNS = words.word_set("you us them it him her one")
_PRONOUNS = words.word_set("you they we it he she i")
_BAD_START = (
    (words.PREPOSITIONS - {"over", "under", "up", "about", "above", "below"})
    | _CLAUSAL
    | words.CONTRACTED
    | words.word_set(
        "and or but to not also then there that which who only"
        " just too sure behalf being it this these those them they he she"
    )
    | (words.AUXILIARIES - {"need", "needs", "can", "will"})
)
_BAD_END = (
    words.PREPOSITIONS
    | words.DETERMINERS
    | words.AUXILIARIES
    | words.word_set("and or but to of that which who if when because as than not you your depending including such")
) - words.word_set("need needs will all outside inside near below above other another")
_BAD_LAST = words.word_set("following one soon together")
_LY_ADJECTIVES = words.word_set("early only family monthly weekly daily yearly hourly elderly")
_VERBS = words.AUXILIARIES - {"need", "needs", "will", "can"}
_NARROWED_BY_NOUN = re.compile(  # "the week the baby is due"
    r"(?:the|an?)\s\w+\s(?:the|your|an?|their)\s\w+\s(?:is|was|are|were|has)\s\w+", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|[£$€]?\d[\d,.]*%?|[^\sA-Za-z\d]")


_CLAUSAL_OR_COMMA = _CLAUSAL | {","}
_AFTER_VAGUE = _PRONOUNS | {"than", "of"}


@dataclass(frozen=True, slots=True)
class Timing:
    """A value with the word that ties it to the verb: ``within``, "5 weeks of the decision"."""

    how: str
    value: str
    kind: str


@dataclass(frozen=True, slots=True)
class ObjectPhrase:
    """``text`` is one thing or value, "" where there is none; ``timing``, ``purpose`` ("claim a refund") and how
    ``often`` it happens go with the verb."""

    text: str
    timing: Timing | None = None
    purpose: str = ""
    whole: str = ""  # with the timing, where that reads as one thing too
    often: str = ""


def object_phrase(text: str) -> ObjectPhrase | None:
    """What a verb's rest names; none where that is not surely one thing."""
    either = _WHICHEVER.search(text)  # "30 days of the notice or 6 April 2026, whichever is later" is one value
    whole = without_asides(text[: either.start()] if either else text)
    if whole is None:
        return None
    rest, purpose = _without_purpose(whole)
    frequency = _OFTEN.search(rest)
    often = frequency["often"].lower() if frequency else ""
    rest = rest[: frequency.start()].strip(" ,") if frequency else rest
    untimed = _without_trailing(rest)
    timing_at = _TIMING.search(rest)
    timing = None
    if timing_at:
        timing = _timing(timing_at["how"].lower(), rest[timing_at.end() :])
        if timing is None and timing_at["how"].lower() not in ("for", "in", "on", "from"):
            return None
        rest = rest[: timing_at.start()].strip(" ,") if timing else rest
    rest = _without_trailing(rest)
    if rest and not is_one_thing(rest):
        return None
    if either and timing is not None:
        timing = Timing(timing.how, timing.value + either[0].rstrip(" ."), timing.kind)
    elif either:
        rest += either[0].rstrip(" .")
    return ObjectPhrase(rest, timing, purpose, untimed if untimed and is_one_thing(untimed) else "", often)


@lru_cache(maxsize=4096)
def without_asides(text: str) -> str | None:
    """The phrase without brackets (an acronym's stay) and without what only explains it; none with a bracket open."""
    text = _ONLY.sub("", " ".join(plain(text).split()).strip(" .,;:"))
    if "(" in text:
        text = _OPEN.sub("", text)  # "a grant (usually", where a condition was
        text = _BRACKETS.sub(lambda found: found[0] if _ACRONYM.match(found[0].strip()) else "", text)
    aside = _ASIDE.search(text)
    if aside and aside.start() > 0:
        text = text[: aside.start()]
    text = _without_trailing(text.strip(" .,;:-"))
    if text.count("(") != text.count(")") or text.count('"') % 2 or text.startswith(("'", '"')):
        text = text.strip("'\"") if text.count("'") == 2 or text.count('"') == 2 else text
        if text.count("(") != text.count(")") or text.count('"') % 2 or text.startswith("'"):
            return None
    return text


def _without_trailing(text: str) -> str:
    previous = None
    while previous != text:
        previous = text
        text = _TRAILING.sub("", text)
    return text


def _without_purpose(text: str) -> tuple[str, str]:
    """What stands before "to" and a verb, and the purpose after it, unless a noun takes it ("the right to stay")."""
    for match in re.finditer(r"(?:^|\s)to\s+(?=[a-z])", text):
        following = _WORD.match(text, match.end())
        if following is None or not is_base(following[0].lower()):
            continue
        before = _WORD.findall(text[: match.start()].lower())
        if _PRONOUNS.intersection(before[1:]) or _NARROWS.intersection(before):
            continue
        if re.search(r"\bfor (?:the|your|their|an?|any|every) [\w' -]{2,30}$", text[: match.start()].strip()):
            continue  # "clearance for the child to enter the UK": the child's
        if before and (before[-1] in NOUNS_TO or before[-1].endswith("ing")):
            continue
        return text[: match.start()].strip(), text[match.end() :].strip()
    return text, ""


def _timing(how: str, rest: str) -> Timing | None:
    value = next(iter(find_values(rest)), None)
    if value is None or value.kind not in TELLING_KINDS or value.start > 18:
        return None
    following = rest[value.end :].split()
    if following and (
        following[0].lower() not in ("of", "after", "before", "from", "in", "following", "or") or len(following) > 9
    ):
        return None
    text = rest.strip(" .,")
    if _bad_end(text) or any(word in _CLAUSAL_OR_COMMA for word in _WORD.findall(rest[value.end :].lower())):
        return None
    return Timing(how, text, value.kind)


def _bad_end(text: str) -> bool:
    found = _WORD.findall(text.lower())
    moved = len(found) > 1 and found[-1] in ("in", "out", "up") and base_of_gerund(found[-2])  # "of moving in"
    return not found or (found[-1] in _BAD_END and not moved) or found[-1] in "-/&("


def is_one_thing(text: str) -> bool:
    """Whether a phrase reads as one noun phrase, whole: no clause of its own, nothing dangling, not too long."""
    found = [word for word in _WORD.findall(text) if word not in "'\"()"]
    if not found or len(found) > LONGEST:
        return False
    lower = [word.lower() for word in found]
    if len(lower) == 1 and lower[0] in _OBJECT_PRONOUNS:
        return True
    listed = "," not in found or re.search(r",\s.*\b(?:and|or)\b\s+\S", text) is not None
    closed = not _bad_end(text) and lower[-1] not in _BAD_LAST and "?" not in found
    return closed and _opens_well(lower) and _without_clause(text, found, lower) and listed


def _opens_well(lower: list[str]) -> bool:
    """Whether a noun phrase can open so."""
    first, second = lower[0], lower[1] if len(lower) > 1 else ""
    if first in _BAD_START or (not second and (first in _ADVERBS or base_of_gerund(first) is not None)):
        return False
    if first.endswith("ly") and first not in _LY_ADJECTIVES:
        return False
    verb = first in words.BASE_VERBS and first not in words.NOUN_VERB_FORMS and bool(second)
    vague = first in _VAGUE and (not second or second in _AFTER_VAGUE)  # "all you can", "one of these"
    return not (verb or vague or (first == "one" and second in words.PREPOSITIONS))


def _without_clause(text: str, found: list[str], lower: list[str]) -> bool:
    """Whether a phrase has no verb of its own but in a short relative clause."""
    if any(word in _CLAUSAL and not (word == "than" and lower[i - 1] in _COMPARED) for i, word in enumerate(lower)):
        return False
    narrowed = next((i for i, word in enumerate(lower) if i and word in _NARROWS), None)
    if narrowed is not None:
        told = re.search(r"[A-Z]\w* which\b", text)  # "HMRC which home is yours"
        return not told and len(found) <= _LONGEST_RELATIVE and lower[narrowed - 1] not in _BAD_END
    if not any(word in _VERBS and found[i] != "May" for i, word in enumerate(lower)):
        return True
    due = _NARROWED_BY_NOUN.match(text) is not None or not _PRONOUNS.isdisjoint(lower)
    return len(found) <= _LONGEST_RELATIVE and due
