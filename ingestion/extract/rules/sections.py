"""What holds for a whole section: the case that its heading sets, what it requires, what its lists exclude."""

from __future__ import annotations

import re
from dataclasses import replace

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.clauses import after_number, trim
from clausegraph.core.language.conditions import join, leaves_of, parse_conditions
from clausegraph.core.language.normalise import plain
from clausegraph.core.language.values import effective_dates
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Modality, Not, Passage, PassageKind, Span
from clausegraph.ingestion.extract.rules.outline import Lead, Outline

_CASE = re.compile(r"\b(?P<how>if|unless)\s+(?=\w)", re.IGNORECASE)
_NAMES_CASE = re.compile(  # a heading without "if" that names whom or what stands below it is for
    # "You live abroad", but not "You can appeal" or "You'll get a letter"
    r"(?i:you(?:'re|'ve)?\s(?!(?:can|cannot|could|may|might|must|should|will|would|need|do not need|both)\b)\w)"
    r"|(?:[Ii]n|[Oo]utside)\s+(?:(?:an?|the)\s+)?[A-Z](?!.*,)"  # "In Scotland", "Outside an SPZ1"
    r"|[A-Z][a-z]+(?:s|ren) (?:(?:outside|in) (?:the )?[A-Z]|(?:under|over|aged|between) \d|who |living |applying )"
    r"|(?i:for\s+(?:less than |more than |up to |under |over |at least |fewer than )?\d)"  # "For less than 12 months"
    r"|(?i:(?:under |over |up to |more than |less than )?£?\d.*\b(?:after|before|or (?:more|less|over|under)|olds?)\b)"
)
_OF_WHAT = re.compile(r"^(?P<what>(?:an?|the|your)?\s?(?:[\w'’-]+\s){1,4}?)(?P<how>for|on|from|of|to|with|about)$")
_LONGEST_HEADING = 24  # words of a heading that states a case
_ENDS = re.compile(r"(?<!\bbut)(?<!\band)(?<!\bso)(?<!\bbecause)\s*:\s*$", re.IGNORECASE)

_OPENS_VERB = re.compile(r"\b(?:must|not|can|cannot|may|should|will|to):?$", re.IGNORECASE)  # "You must not:"


def heading_case(heading: InputElement) -> Condition | None:
    """The condition that a heading states; none of one that names a topic."""
    text, first = heading.text, after_number(heading.text)
    if len(text.split()) > _LONGEST_HEADING or text.rstrip().endswith("?"):
        return None
    said = plain(text)
    case = _CASE.search(said)
    if case and case.start() != first:  # "Forcing them to pay if you're in Scotland"
        return parse_conditions(text, heading.label, first).condition
    start, end = trim(said, case.end() if case else first, len(text))
    if case:
        found = leaves_of(text, heading.label, start, end) if start < end else None
        return Not(found) if found is not None and case["how"].lower() == "unless" else found
    named = _NAMES_CASE.match(said, first) or effective_dates(said[first:]) != (None, None)
    return Leaf(heading.label, start, end, text[start:end]) if named else None


class Scopes:
    """The scope of each heading path of an input, as far as its headings are in it."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        title = " ".join(chunk_input.title.split())
        self._set: dict[tuple[str, ...], list[Condition]] = {}
        for element in (*chunk_input.above, *chunk_input.elements):
            if element.tag in ("h1", "h2", "h3") and " ".join(element.text.split()) != title:
                condition = heading_case(element)
                if condition is not None:
                    self._set.setdefault((*element.headings, element.text), []).append(condition)

    def of(self, headings: tuple[str, ...]) -> Condition | None:
        """What holds for all that stands under a heading path, outermost first."""
        paths = (headings[:length] for length in range(len(headings) + 1))
        found = [condition for path in paths for condition in self._set.get(path, ())]
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
        kind, made = PassageKind.REQUIREMENTS, []
        for found in self._found.values():
            spans = tuple(Span(leaf.anchor, leaf.start, leaf.end) for leaf in found)
            made.append(Passage(kind, spans, join("all", list(found.values()))))
        return made


def excluded(outline: Outline, element: InputElement, lead: Lead) -> Condition | None:
    """Any of the items below a lead-in that refuses something, or says what is not asked for; none of another."""
    denies = lead.proposition.modality is Modality.CANNOT or not lead.proposition.polarity
    if lead.lists_conditions or not denies or not _ENDS.search(lead.text) or _OPENS_VERB.search(lead.main):
        return None
    stated = [outline.item_condition(item, "any") for item in outline.items(element)]
    found = [_meant(one, lead.proposition.object) for one in stated if one is not None]
    return join("any", found) if found else None


def _meant(condition: Condition, target: str) -> Condition:
    """A condition whose first leaf is clear without the object of its lead-in: "a permit for a caravan"."""
    named = _OF_WHAT.match(target)
    match condition:
        case All(children) | AnyOf(children):
            return type(condition)((_meant(children[0], target), *children[1:]))
        case Leaf() if named and condition.text[:1].islower():
            said = condition.text.removeprefix(f"{named['how']} ")
            return replace(condition, meaning=f"{named['what'].strip()} {named['how']} {said}")
    return condition
