"""What holds for all that stands below: a heading that states a case, a sentence "This section applies if …".

"If you're terminally ill", "In Scotland", "Children under 5", "For less than 12 months" set the condition of every
statement below them; a heading that only names a topic, and the page's title, set none.
"""

from __future__ import annotations

import re

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.conditions import join, leaves_of, parse_conditions
from clausegraph.core.language.conjunctions import trim
from clausegraph.core.language.markers import plain
from clausegraph.core.language.normalise import singular
from clausegraph.core.language.sentences import after_number
from clausegraph.core.language.values import effective_dates, find_values
from clausegraph.core.language.words import word_set
from clausegraph.core.types import All, Condition, Leaf, Mention, Not
from clausegraph.ingestion.extract.rules.address import ROLES

_CASE = re.compile(r"\b(?P<how>if|unless)\s+(?=\w)", re.IGNORECASE)
# "You live abroad", but not "You can appeal" or "You'll get a letter".
_OF_YOU = re.compile(
    r"you(?:'re|'ve)?\s(?!(?:can|cannot|could|may|might|must|should|will|would|need|do not need|don't need|both)\b)\w",
    re.IGNORECASE,
)
_PLACE = re.compile(r"(?:[Ii]n|[Oo]utside)\s+(?:(?:an?|the)\s+)?[A-Z]")  # "In Scotland", "Outside an SPZ1"
_LASTS = re.compile(r"for\s+(?:less|more|up|under|over|at|fewer|\d)", re.IGNORECASE)
_COUNTED = re.compile(  # "0 to 8 weeks after the birth", "18 or over"
    r"(?:(?:under|over|up to|more than|less than)\s)?£?\d[\d,]*\b"
    r".*\b(?:after|before|or (?:more|less|over|under)|and over|old|olds)\b",
    re.IGNORECASE,
)
_GROUP = re.compile(
    r"(?P<who>[A-Z][a-z]+)\s+(?:(?:outside|in|from)\s+(?:the\s+)?[A-Z]"
    r"|(?:under|over|aged|between)\s+\d|who\s|with(?:out)?\s|living\s|applying\s|working\s|born\s)"
)
_GROUPS = ROLES | word_set("home house vehicle organisation firm school club woman man national individual")
_LONGEST = 24  # words of a heading that states a case
_APPLIES = re.compile(
    r"(?:this|these|the following|the rules (?:below|here|in this section))"
    r"(?:\s(?:section|part|page|guide|guidance|rules?))?"
    r"\s(?:only\s)?appl(?:y|ies)\s(?:only\s)?(?:to you\s)?(?=if\b|where\b|when\b)",
    re.IGNORECASE,
)
_BEING = re.compile(r"you(?:'re| are) (?:an?|the) (?P<who>.+)", re.IGNORECASE)


def heading_case(heading: InputElement) -> Condition | None:
    """The condition that a heading states; none of one that names a topic."""
    text, first = heading.text, after_number(heading.text)
    if len(text.split()) > _LONGEST or text.rstrip().endswith("?"):
        return None
    said = plain(text)
    case = _CASE.search(said)
    if case and case.start() == first:
        start, end = trim(said, case.end(), len(text))
        found = leaves_of(text, heading.label, start, end) if start < end else None
        return Not(found) if found is not None and case["how"].lower() == "unless" else found
    if case:  # "Forcing them to pay if you're in Scotland"
        return parse_conditions(text, heading.label, first).condition
    start, end = trim(said, first, len(text))
    return Leaf(heading.label, start, end, text[start:end]) if _is_case(said[first:]) else None


def _is_case(text: str) -> bool:
    """Whether a heading without "if" names whom or what stands below it is for."""
    group = _GROUP.match(text)
    grouped = group is not None and singular(group["who"].lower()) in _GROUPS
    lasting = _LASTS.match(text) is not None and next(find_values(text), None) is not None
    placed = _PLACE.match(text) is not None and "," not in text
    dated = effective_dates(text) != (None, None)
    counted = _COUNTED.match(text) is not None
    return grouped or lasting or placed or dated or counted or _OF_YOU.match(text) is not None


def beyond(scope: Condition | None, subject: Mention) -> Condition | None:
    """What holds for a section beside what the subject says: below "If you are the landlord" it is the landlord."""
    parts = scope.children if isinstance(scope, All) else () if scope is None else (scope,)
    rest = [part for part in parts if not (isinstance(part, Leaf) and _says_who(part, subject))]
    return join("all", rest) if rest else None


def _says_who(leaf: Leaf, subject: Mention) -> bool:
    """Whether a condition is that the reader is the subject."""
    found = _BEING.fullmatch(plain(leaf.text))
    return found is not None and found["who"].lower() == subject.surface.lower()


class Scopes:
    """The scope of each heading path of an input, as far as its headings are in it."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        self._title = " ".join(chunk_input.title.split())
        self._set: dict[tuple[str, ...], Condition] = {}
        for element in (*chunk_input.above, *chunk_input.elements):
            if element.tag in ("h1", "h2", "h3") and " ".join(element.text.split()) != self._title:
                self._add((*element.headings, element.text), heading_case(element))

    def _add(self, path: tuple[str, ...], condition: Condition | None) -> None:
        if condition is not None:
            before = self._set.get(path)
            self._set[path] = condition if before is None else join("all", (before, condition))

    def read(self, element: InputElement, start: int, end: int) -> bool:
        """Whether a sentence sets the scope of its section; from here on it holds there."""
        if not _APPLIES.match(element.text, start, end):
            return False
        condition = parse_conditions(element.text, element.label, start, end).condition
        self._add(element.headings, condition)
        return condition is not None

    def of(self, headings: tuple[str, ...]) -> Condition | None:
        """What holds for all that stands under a heading path, outermost first."""
        paths = (headings[:length] for length in range(len(headings) + 1))
        found = [self._set[path] for path in paths if path in self._set]
        return join("all", found) if found else None
