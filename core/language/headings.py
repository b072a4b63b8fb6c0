"""What a heading sets for all that stands below it."""

from __future__ import annotations

import re
from functools import lru_cache

from clausegraph.core.language.clauses import after_number, trim
from clausegraph.core.language.conditions import OPENING_CASE, leaves_of, parse_conditions
from clausegraph.core.language.lexicon import WordTable, base_of_gerund, is_base, word_set
from clausegraph.core.language.modals import is_obliging
from clausegraph.core.language.normalise import beginnings, content, plain
from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.language.values import effective_dates, has_sum
from clausegraph.core.types import Condition, Leaf, Not, leaves

_TABLE = WordTable(__file__)

_CASE = re.compile(r"\b(?P<how>if|unless)\s+(?=\w)", re.IGNORECASE)
_NAMES_CASE = _TABLE.pattern("names_case")
_OF_A_YEAR = _TABLE.pattern("of_a_year")
_STATE = _TABLE.pattern("state")
_NEUTRAL = content(_TABLE.file["words"]["neutral"])
_ACTS = word_set("you your we our how what when who where why which can if and or")  # of what names no kind
_ASKS = word_set("how what when who where why which can")  # of a heading that names a topic
_SUPPOSES = word_set("if i i've i'm my we've")
_PRICED = word_set("prices rates fees charges costs amounts")
_OF_KIND = range(2, 7)  # words of a heading that names a kind of something
_MOST = 12  # words of a heading that is shown with what stands below it
_LONGEST_HEADING = 24  # words of a heading that states a case


def is_of(heading: str, said: str) -> bool:
    """Whether what a heading is of may be of words below it: "Prices from 1 April 2026" only of those with a sum."""
    return heading.partition(" ")[0].lower() not in _PRICED or has_sum(said)


def is_state(case: Condition) -> bool:
    """Whether the case of a heading sorts people or things, so that all below it is of those: "In Scotland", "you are
    the tenant"; what comes about ("you lose your job") may only be what a section begins with."""
    first = next(leaves(case))
    said = plain(first.text)
    return _STATE.match(said) is not None or not re.match(
        r"(?:you|they|we|it|there|the|an?|your)\b", said, re.IGNORECASE
    )


def tells_more(heading: str, title: str, said: str) -> bool:
    """Whether a heading says of what words below it are, as they do not: "Seasonal permit", "Returning to the UK"; a
    question does that for words without a verb ("Up to 20"), or where it sets a case ("What if I am late?")."""
    words = plain(heading[after_number(heading) :]).lower().split()
    asks = heading.rstrip().endswith("?")
    if asks and _SUPPOSES.isdisjoint(words) and (split_proposition(said).subject or is_obliging(said)):
        return False
    if not asks and not (0 < len(words) <= _MOST and words[0] not in _ASKS):
        return False
    own = _own_words(heading, title)
    return bool(own) and not own <= beginnings(content(said))


@lru_cache(maxsize=1024)
def _own_words(heading: str, title: str) -> frozenset[str]:
    return frozenset(beginnings(content(heading) - _NEUTRAL - content(title)))


def narrows(heading: str) -> bool:
    """Whether a heading names a kind of something or states a case, so that no words below it stand by themselves."""
    words = heading[after_number(heading) :].lower().split()
    topic = not {*",?:"}.isdisjoint(heading) or not _ACTS.isdisjoint(words) or len(words) not in _OF_KIND
    return not (topic or is_base(words[0]) or base_of_gerund(words[0])) or heading_case(heading, "") is not None


def is_about(said: str, case: Condition) -> bool:
    """Whether words share a word with the case of a heading."""
    begins = beginnings(stem for leaf in leaves(case) for stem in content(leaf.text))
    return not begins.isdisjoint(beginnings(content(said)))


def heading_case(text: str, anchor: str) -> Condition | None:
    """The condition that a heading states; none of one that names a topic."""
    first = after_number(text)
    if len(text.split()) > _LONGEST_HEADING or text.rstrip().endswith("?"):
        return None
    said = plain(text)
    case = _CASE.search(said)
    if case and case.start() != first:  # "Forcing them to pay if you're in Scotland"
        return parse_conditions(text, anchor, first).condition
    start, end = trim(said, case.end() if case else first, len(text))
    if case:
        found = leaves_of(text, anchor, start, end) if start < end else None
        return Not(found) if found is not None and case["how"].lower() == "unless" else found
    opening = OPENING_CASE.match(said, first)  # "For groups"; "In shops" may be a topic
    named = _NAMES_CASE.match(said, first) or (opening is not None and opening["place"] is None)
    if not named and effective_dates(said[first:]) != (None, None):
        word, _, rest = said[first:end].partition(" ")
        start = end - len(rest) if word.lower() in _PRICED else start  # "Prices from 1 April 2026"
        return Leaf(anchor, start, end, text[start:end])
    year = _OF_A_YEAR.search(said)
    if year is not None and not named:
        return Leaf(anchor, year.start(), year.end(), year[0])
    return Leaf(anchor, start, end, text[start:end]) if named else None
