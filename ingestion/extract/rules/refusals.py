"""What a section refuses or exempts in a list, as one condition: and as an exception of what the section grants.

"We won't give a permit for:" and "You cannot get it if:" bound what stands above them: who is granted a permit there is
granted none for a caravan.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeVar

from clausegraph.core.extraction import InputElement
from clausegraph.core.language.conditions import join
from clausegraph.core.language.outcomes import same_outcome
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Modality, Not, Passage, Stated, Statement, leaves
from clausegraph.ingestion.extract.rules.outline import Lead, Outline

S = TypeVar("S", Statement, Passage)
_ENDS = re.compile(r"(?<!\bbut)(?<!\band)(?<!\bso)(?<!\bbecause)\s*:\s*$", re.IGNORECASE)
_OF_WHAT = re.compile(r"^(?P<what>(?:an?|the|your)?\s?(?:[\w'’-]+\s){1,4}?)(?P<how>for|on|from|of|to|with|about)$")


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


@dataclass(frozen=True, slots=True)
class _Clause:
    headings: tuple[str, ...]
    main: str


class Outcomes:
    """What the clauses of an input grant under their headings, and what lists below the same headings refuse."""

    def __init__(self) -> None:
        self._granted: dict[Stated, _Clause] = {}
        self._refused: list[tuple[_Clause, Condition]] = []

    def grant(self, element: InputElement, main: str, stated: Stated) -> None:
        """A clause that allows something, and what was made of it."""
        self._granted.setdefault(stated, _Clause(element.headings, main))

    def refuse(self, element: InputElement, main: str, condition: Condition) -> None:
        """The lead-in of a list that refuses something where ``condition`` holds."""
        self._refused.append((_Clause(element.headings, main), condition))

    def bounded(self, stated: S) -> S:
        """What was stated, with all that is refused of it as an exception."""
        clause = self._granted.get(stated)
        refused = [why for other, why in self._refused if clause is not None and _bounds(other, clause)]
        return replace(stated, condition=_without(stated.condition, refused)) if refused else stated


def _bounds(refused: _Clause, granted: _Clause) -> bool:
    return refused.headings == granted.headings and same_outcome(granted.main, refused.main)


def _without(condition: Condition | None, refused: list[Condition]) -> Condition:
    exceptions = Not(join("any", refused))
    return exceptions if condition is None else join("all", (condition, exceptions))
