"""What sections require without saying "if": requirements, bounds and prohibitions, gathered to one passage each.

"You must be 18 or over" is a condition of what its page grants, and no statement of it. A section has one passage that
holds all of them.
"""

from __future__ import annotations

from clausegraph.core.extraction import InputElement
from clausegraph.core.language.conditions import join
from clausegraph.core.language.conjunctions import trim
from clausegraph.core.language.markers import plain
from clausegraph.core.types import Condition, Leaf, Not, Passage, PassageKind, Span


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
        return [_passage(found) for found in self._found.values()]


def _passage(found: dict[Leaf, Condition]) -> Passage:
    spans = tuple(Span(leaf.anchor, leaf.start, leaf.end) for leaf in found)
    return Passage(PassageKind.REQUIREMENTS, spans, join("all", list(found.values())))
