"""What sections require without saying "if": requirements, bounds and prohibitions, gathered to one statement each.

"You must be 18 or over" is a condition of what its page grants. It is stated as such, once for a section: whom it
addresses keeps the rules of the section if every one of them holds.
"""

from __future__ import annotations

from clausegraph.core.extraction import InputElement
from clausegraph.core.language.conditions import join
from clausegraph.core.language.conjunctions import trim
from clausegraph.core.language.markers import plain
from clausegraph.core.language.restrictions import KEEPS
from clausegraph.core.types import Condition, Leaf, Not, Span, Statement
from clausegraph.ingestion.extract.rules.names import Scene


class Requirements:
    """The requirements found so far, by section."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], dict[Leaf, Condition]] = {}
        self._scenes: dict[tuple[str, ...], Scene] = {}

    def add(self, element: InputElement, scene: Scene, start: int, end: int, *, barred: bool = False) -> None:
        """A clause that must hold, or with ``barred`` must not."""
        begin, stop = trim(plain(element.text), start, end)
        if begin >= stop:
            return
        leaf = Leaf(element.label, begin, stop, element.text[begin:stop])
        self._scenes.setdefault(element.headings, scene)
        self._found.setdefault(element.headings, {}).setdefault(leaf, Not(leaf) if barred else leaf)

    def statements(self) -> list[Statement]:
        """One statement for each section, in the order in which the sections came."""
        return [self._statement(self._scenes[headings], found) for headings, found in self._found.items()]

    def _statement(self, scene: Scene, found: dict[Leaf, Condition]) -> Statement:
        spans = tuple(Span(leaf.anchor, leaf.start, leaf.end) for leaf in found)
        return Statement(scene.reader, KEEPS, scene.section, spans, condition=join("all", list(found.values())))
