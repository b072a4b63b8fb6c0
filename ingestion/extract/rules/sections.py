"""What holds for a whole section: the case that its heading sets, and what its lists exclude."""

from __future__ import annotations

import re
from dataclasses import replace

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.conditions import join
from clausegraph.core.language.headings import heading_case
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Modality
from clausegraph.ingestion.extract.rules.outline import Lead, Outline

_OF_WHAT = re.compile(r"^(?P<what>(?:an?|the|your)?\s?(?:[\w'’-]+\s){1,4}?)(?P<how>for|on|from|of|to|with|about)$")
_ENDS = re.compile(r"(?<!\bbut)(?<!\band)(?<!\bso)(?<!\bbecause)\s*:\s*$", re.IGNORECASE)

_OPENS_VERB = re.compile(r"\b(?:must|not|can|cannot|may|should|will|to):?$", re.IGNORECASE)  # "You must not:"


class Scopes:
    """The scope of each heading path of an input, as far as its headings are in it."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        title = " ".join(chunk_input.title.split())
        self._set: dict[tuple[str, ...], list[Condition]] = {}
        for element in (*chunk_input.above, *chunk_input.elements):
            if element.tag in ("h1", "h2", "h3") and " ".join(element.text.split()) != title:
                condition = heading_case(element.text, element.label)
                if condition is not None:
                    self._set.setdefault((*element.headings, element.text), []).append(condition)

    def of(self, headings: tuple[str, ...]) -> Condition | None:
        """What holds for all that stands under a heading path, outermost first."""
        paths = (headings[:length] for length in range(len(headings) + 1))
        found = [condition for path in paths for condition in self._set.get(path, ())]
        return join("all", found) if found else None


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
