"""What holds for a whole section: the case that its heading sets, and what its lists exclude."""

from __future__ import annotations

import re
from dataclasses import replace

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.conditions import join
from clausegraph.core.language.headings import heading_case, is_about, is_of, is_state, tells_more
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Modality
from clausegraph.ingestion.extract.rules.outline import Lead, Outline

_OF_WHAT = re.compile(r"^(?P<what>(?:an?|the|your)?\s?(?:[\w'’-]+\s){1,4}?)(?P<how>for|on|from|of|to|with|about)$")
_ENDS = re.compile(r"(?<!\bbut)(?<!\band)(?<!\bso)(?<!\bbecause)\s*:\s*$", re.IGNORECASE)

_TOLD = word_set("you your the this that these those it its they their we our he she his her there")
_OPENS_VERB = re.compile(r"\b(?:must|not|can|cannot|may|should|will|to):?$", re.IGNORECASE)  # "You must not:"


class Scopes:
    """The scope of each heading path of an input, as far as its headings are in it."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        self._title = " ".join(chunk_input.title.split())
        self._headings: dict[tuple[str, ...], InputElement] = {}
        for element in (*chunk_input.above, *chunk_input.elements):
            if element.tag in ("h1", "h2", "h3") and " ".join(element.text.split()) != self._title:
                self._headings.setdefault((*element.headings, element.text), element)
        self._cases = {path: heading_case(one.text, one.label) for path, one in self._headings.items()}

    def of(self, headings: tuple[str, ...]) -> Condition | None:
        """What holds for all that stands under a heading path, outermost first."""
        paths = (headings[:length] for length in range(len(headings) + 1))
        found = [case for path in paths if (case := self._cases.get(path)) is not None]
        return join("all", found) if found else None

    def over(
        self, headings: tuple[str, ...], said: str, own: Condition | None
    ) -> tuple[Condition | None, list[InputElement]]:
        """What holds for words of a section that hold under a condition of their ``own``; and the headings that say
        what they are about, but may not be a condition of them."""
        set_here: list[Condition] = []
        shown: list[InputElement] = []
        goes_on = own is None and _goes_on(said)
        for length in range(len(headings), 0, -1):
            heading, case = self._headings.get(headings[:length]), self._cases.get(headings[:length])
            if heading is not None and case is not None and not is_of(heading.text, said):
                continue
            if case is not None and (goes_on or is_state(case) or is_about(said, case)):
                set_here.append(case)
            elif heading is not None and (case is not None or tells_more(heading.text, self._title, said)):
                shown.append(heading)
            goes_on = goes_on and case is not None  # what stands under a topic of a case may be about that alone
        return join("all", set_here[::-1]) if set_here else None, shown


def _goes_on(said: str) -> bool:
    """Whether words are of what their heading says: they are of the reader, or of somebody or something told before."""
    subject = split_proposition(said).subject.split()
    bare = len(subject) == 1 and (subject[0].isupper() or not subject[0].endswith("s"))  # "HMRC", but not "Complaints"
    return not subject or bare or subject[0].lower() in _TOLD


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
