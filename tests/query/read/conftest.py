"""Small pages for the reader's tests: one builder, no store and no model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from clausegraph.core.types import Element, PageKey, PlacedPassage, Reading, Support
from clausegraph.query.retrieve.bank import Hit

_HTML = re.compile(r"<(\w+)>(.*)</\w+>$")


@dataclass(frozen=True)
class Pages:
    """What pages state, and hits in the order of their elements."""

    readings: dict[PageKey, Reading]
    supports: tuple[Support, ...] = ()

    def reading(self, page: PageKey) -> Reading:
        return self.readings[page]

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[Support]:
        return self.supports

    def passages_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[PlacedPassage]:
        return ()

    def hits(self, *wanted: str, similarity: float = 0.7) -> list[Hit]:
        """The elements whose text starts with each of ``wanted``, in that order; all without any."""
        every = [(key, e) for key, reading in self.readings.items() for e in reading.elements if not e.is_heading]
        found = [pair for start in wanted for pair in every if pair[1].text.startswith(start)] if wanted else every
        return [Hit.of_element(key, e, 1.0 - 0.02 * i, {"element": similarity}) for i, (key, e) in enumerate(found)]


def reading(uri: str, lines: Sequence[str], updated: str | None = None) -> tuple[PageKey, Reading]:
    """A page from ``<tag>text</tag>`` lines; an item's lead-in is the paragraph above its list."""
    elements: list[Element] = []
    lead: str | None = None
    for i, line in enumerate(lines):
        match = _HTML.match(line)
        assert match is not None, line
        tag, text = match[1], match[2]
        anchor = f"{uri}-{i}"
        if tag == "p":
            lead = anchor
        elements.append(Element(anchor, tag, line, text, lead_in=lead if tag in ("li", "tr") else None))
    return PageKey("test", uri), Reading(uri, None, tuple(elements), updated=updated)


@pytest.fixture
def page() -> Callable[..., Pages]:
    """Build one page from its lines."""

    def build(*lines: str, updated: str | None = None) -> Pages:
        return Pages(dict([reading("page", lines, updated)]))

    return build


@pytest.fixture
def pages() -> Callable[..., Pages]:
    """Build several pages: name=(lines, updated)."""

    def build(**named: tuple[Sequence[str], str | None]) -> Pages:
        return Pages(dict(reading(name, lines, updated) for name, (lines, updated) in named.items()))

    return build
