"""What holds for a whole section: the case that its heading sets, what it requires, what its lists refuse."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeVar

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.clauses import after_number, trim
from clausegraph.core.language.conditions import join, leaves_of, parse_conditions
from clausegraph.core.language.lexicon import PREPOSITIONS, word_set
from clausegraph.core.language.normalise import expand, lemmas, plain, singular
from clausegraph.core.language.values import effective_dates, find_values
from clausegraph.core.types import (
    All,
    AnyOf,
    Condition,
    Leaf,
    Mention,
    Modality,
    Not,
    Passage,
    PassageKind,
    Span,
    Stated,
    Statement,
    leaves,
)
from clausegraph.ingestion.extract.rules.address import ROLES
from clausegraph.ingestion.extract.rules.claims import LOSABLE
from clausegraph.ingestion.extract.rules.outline import Lead, Outline

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
_LONGEST_HEADING = 24  # words of a heading that states a case
_APPLIES = re.compile(
    r"(?:this|these|the following|the rules (?:below|here|in this section))"
    r"(?:\s(?:section|part|page|guide|guidance|rules?))?"
    r"\s(?:only\s)?appl(?:y|ies)\s(?:only\s)?(?:to you\s)?(?=if\b|where\b|when\b)",
    re.IGNORECASE,
)
_BEING = re.compile(r"you(?:'re| are) (?:an?|the) (?P<who>.+)", re.IGNORECASE)
# Verbs by which anything is granted or refused: what it is, the nouns say.
_LIGHT = word_set(
    "get have give claim pay receive grant issue accept offer make use ask usually normally sometimes still also be"
    " been will won't apply consider take provide"
)
_POINTS = word_set("it this that them these those one")
_ANNOUNCED = re.compile(
    r"\s*\b(?:if|when|where|unless|because|(?:any|one|all) of|the following|these)\b.*$", re.IGNORECASE
)
_SAYS_LITTLE = (LOSABLE - _POINTS) | PREPOSITIONS
S = TypeVar("S", Statement, Passage)
_ENDS = re.compile(r"(?<!\bbut)(?<!\band)(?<!\bso)(?<!\bbecause)\s*:\s*$", re.IGNORECASE)
_OF_WHAT = re.compile(r"^(?P<what>(?:an?|the|your)?\s?(?:[\w'’-]+\s){1,4}?)(?P<how>for|on|from|of|to|with|about)$")


def heading_case(heading: InputElement) -> Condition | None:
    """The condition that a heading states; none of one that names a topic."""
    text, first = heading.text, after_number(heading.text)
    if len(text.split()) > _LONGEST_HEADING or text.rstrip().endswith("?"):
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

    def says_who(part: Condition) -> bool:
        found = _BEING.fullmatch(plain(part.text)) if isinstance(part, Leaf) else None
        return found is not None and found["who"].lower() == subject.surface.lower()

    parts = scope.children if isinstance(scope, All) else () if scope is None else (scope,)
    rest = [part for part in parts if not says_who(part)]
    return join("all", rest) if rest else None


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

    def read(self, element: InputElement, start: int, end: int) -> None:
        """Take in a sentence that sets the scope of its section: from here on it holds there."""
        if _APPLIES.match(element.text, start, end):
            self._add(element.headings, parse_conditions(element.text, element.label, start, end).condition)

    def of(self, headings: tuple[str, ...]) -> Condition | None:
        """What holds for all that stands under a heading path, outermost first."""
        paths = (headings[:length] for length in range(len(headings) + 1))
        found = [self._set[path] for path in paths if path in self._set]
        return join("all", found) if found else None


class Requirements:
    """The requirements found so far, by section."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], dict[Leaf, Condition]] = {}

    def add(self, element: InputElement, start: int, end: int, *, barred: bool = False) -> None:
        """A clause that must hold, or with ``barred`` must not."""
        begin, stop = trim(plain(element.text), start, end)
        if begin >= stop:
            return
        leaf = Leaf(element.label, begin, stop, element.text[begin:stop])
        self._found.setdefault(element.headings, {}).setdefault(leaf, Not(leaf) if barred else leaf)

    def passages(self) -> list[Passage]:
        """One for each section, in the order in which the sections came."""
        return [
            Passage(
                PassageKind.REQUIREMENTS,
                tuple(Span(leaf.anchor, leaf.start, leaf.end) for leaf in found),
                join("all", list(found.values())),
            )
            for found in self._found.values()
        ]


def same_outcome(granted: str, refused: str) -> bool:
    """Whether a clause refuses what another grants: its nouns are among the other's, or it only points ("it").

    Where it has no nouns ("You cannot apply"), the verbs must be the same. Both are main clauses.
    """
    grants, refuses = _outcome_words(granted), _outcome_words(refused)
    nouns = refuses - _LIGHT - _POINTS
    if nouns:
        return nouns <= grants
    return bool(refuses & _POINTS) or (bool(refuses) and refuses <= grants)


def _outcome_words(clause: str) -> frozenset[str]:
    """The words of a clause that say what it is about, in their base forms."""
    said = _ANNOUNCED.sub("", expand(clause).strip(" .:;,"))
    bare = re.sub(r"^(?:also|however|but),?\s", "", said, flags=re.IGNORECASE)
    return lemmas(bare) - _SAYS_LITTLE


def excludes(lead: Lead) -> bool:
    """Whether each item below a lead-in names a case in which something is refused, or not asked for."""
    if lead.lists_conditions or lead.opens_verb or not _ENDS.search(lead.text):
        return False
    return lead.proposition.modality is Modality.CANNOT or not lead.proposition.polarity


def excluded(outline: Outline, element: InputElement, lead: Lead) -> Condition | None:
    """Any of the items: each its own words, with what it says of when it does not count."""
    stated = [outline.item_condition(item, "any") for item in outline.items(element)]
    found = [_meant(one, lead) for one in stated if one is not None]
    return join("any", found) if found else None


def _meant(condition: Condition, lead: Lead) -> Condition:
    """A condition whose first leaf is clear without the lead-in: "a permit for a caravan"."""
    first = next(leaves(condition))
    named = _OF_WHAT.match(lead.proposition.object)
    if named is None or not first.text[:1].islower():
        return condition
    said = first.text.removeprefix(f"{named['how']} ")
    meant = replace(first, meaning=f"{named['what'].strip()} {named['how']} {said}")
    return _replaced(condition, first, meant)


def _replaced(condition: Condition, old: Leaf, new: Leaf) -> Condition:
    match condition:
        case Not():
            return condition
        case All(children) | AnyOf(children):
            return type(condition)(tuple(_replaced(child, old, new) for child in children))
        case _:
            return new if condition == old else condition


class Outcomes:
    """What the clauses of an input grant under their headings, and what lists below the same headings refuse."""

    def __init__(self) -> None:
        self._granted: dict[Stated, tuple[tuple[str, ...], str]] = {}  # its headings and main clause
        self._refused: list[tuple[tuple[str, ...], str, Condition]] = []

    def grant(self, element: InputElement, main: str, stated: Stated) -> None:
        """Take in a clause that allows something, and what was made of it."""
        self._granted.setdefault(stated, (element.headings, main))

    def refuse(self, element: InputElement, main: str, condition: Condition) -> None:
        """Take in the lead-in of a list that refuses something where ``condition`` holds."""
        self._refused.append((element.headings, main, condition))

    def bounded(self, stated: S) -> S:
        """What was stated, with all that is refused of it as an exception."""
        headings, granted = self._granted.get(stated, ((), ""))
        refused = [why for other, main, why in self._refused if other == headings and same_outcome(granted, main)]
        if stated not in self._granted or not refused:
            return stated
        own: list[Condition] = [] if stated.condition is None else [stated.condition]
        return replace(stated, condition=join("all", [*own, Not(join("any", refused))]))
