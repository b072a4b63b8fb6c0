"""What a heading sets for all that stands below it."""

from __future__ import annotations

import re

from clausegraph.core.language.clauses import after_number, trim
from clausegraph.core.language.conditions import OPENING_CASE, leaves_of, parse_conditions
from clausegraph.core.language.lexicon import base_of_gerund, is_base, word_set
from clausegraph.core.language.normalise import beginnings, content, plain
from clausegraph.core.language.values import effective_dates
from clausegraph.core.types import Condition, Leaf, Not, leaves

_CASE = re.compile(r"\b(?P<how>if|unless)\s+(?=\w)", re.IGNORECASE)
_NAMES_CASE = re.compile(  # a heading without "if" that names whom or what stands below it is for
    # "You live abroad", but not "You can appeal" or "You'll get a letter"
    r"(?i:you(?:'re|'ve)?\s(?!(?:can|cannot|could|may|might|must|should|will|would|need|do not need|both)\b)\w)"
    r"|(?:[Ii]n|[Oo]utside)\s+(?:(?:an?|the)\s+)?[A-Z](?!.*,)"  # "In Scotland", "Outside an SPZ1"
    r"|[A-Z][a-z]+(?:s|ren) (?:(?:outside|in) (?:the )?[A-Z]|(?:under|over|aged|between) \d|who |living |applying )"
    r"|(?i:for\s+(?:less than |more than |up to |under |over |at least |fewer than )?\d)"  # "For less than 12 months"
    r"|(?i:(?:under|over|aged) \d+$)"
    r"|(?i:(?:under |over |up to |more than |less than )?£?\d.*\b(?:after|before|or (?:more|less|over|under)|olds?)\b)"
)
_OF_A_YEAR = re.compile(  # "Fees for 2026/27"
    r"\bfor (?:the )?(?:19|20)\d\d(?:\s?(?:/|-|to)\s?(?:20)?\d\d)?(?: (?:tax|academic|financial|school) year)?$"
)
# A case that somebody is in while all else happens, and not something that comes about: "you are the tenant".
_STATE = re.compile(
    r"(?:you|they|it|there|your [\w-]+)(?:'re|'ve| are| is| have| has| were)?\s"
    r"(?:(?:not|both|still|only|already|do|does)\s)*"
    r"(?:an?\s|the\s|in\s|on\s|at\s|from\s|under\s|over\s|outside|inside|aged|self-|\d|abroad|married|single|disabled"
    r"|employed|terminally|have\s|has\s|live|own|rent|get\s|receive|ride|employer\b)",
    re.IGNORECASE,
)
_NEUTRAL = content(  # words of headings that only say what is treated below them
    "overview eligibility eligible apply applying application claim claiming get getting need work works cost "
    "costs fee fees pay paid paying payment payments more help information further contact rules about before "
    "after start other check using find next by general introduction summary guide guidance step steps qualify "
    "rights right duties online post phone form forms documents deadlines deadline time limits limit conditions "
    "requirements types kinds main overall change changes report reporting appeal appeals decision decisions "
    "disagree challenge happens keep keeping give take tell penalties penalty part section stage chapter long "
    "rate rates example examples meaning words details extra problems"
)
_ACTS = word_set("you your we our how what when who where why which can if and or")  # of what names no kind
_SHORT, _MOST = 2, 6  # words of a heading that names a kind of something
_LONGEST_HEADING = 24  # words of a heading that states a case


def is_state(case: Condition) -> bool:
    """Whether the case of a heading sorts people or things, so that all below it is of those: "In Scotland", "you are
    the tenant"; what comes about ("you lose your job") may only be what a section begins with."""
    first = next(leaves(case))
    said = plain(first.text)
    return _STATE.match(said) is not None or not re.match(
        r"(?:you|they|we|it|there|the|an?|your)\b", said, re.IGNORECASE
    )


def names_kind(heading: str, title: str, said: str) -> bool:
    """Whether a heading names a kind of what its page is about that words below it do not: "Seasonal permit"."""
    words = heading[after_number(heading) :].split()
    first = words[0].lower() if words else ""
    topic = not {*",?:"}.isdisjoint(heading) or not _ACTS.isdisjoint(heading.lower().split())
    if topic or not _SHORT <= len(words) <= _MOST or is_base(first) or base_of_gerund(first):
        return False
    return not beginnings(content(heading) - _NEUTRAL - content(title)) <= beginnings(content(said))


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
    named = named or effective_dates(said[first:]) != (None, None)
    year = _OF_A_YEAR.search(said)
    if year is not None and not named:
        return Leaf(anchor, year.start(), year.end(), year[0])
    return Leaf(anchor, start, end, text[start:end]) if named else None
