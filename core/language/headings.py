"""What a heading sets for all that stands below it."""

from __future__ import annotations

import re

from clausegraph.core.language.clauses import after_number, trim
from clausegraph.core.language.conditions import OPENING_CASE, leaves_of, parse_conditions
from clausegraph.core.language.normalise import plain
from clausegraph.core.language.values import effective_dates
from clausegraph.core.types import Condition, Leaf, Not

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
_LONGEST_HEADING = 24  # words of a heading that states a case


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
    return Leaf(anchor, start, end, text[start:end]) if named else None
