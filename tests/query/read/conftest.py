"""Small pages for the reader's tests: one builder, no store and no model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer, ConditionState, Element, PageKey, PlacedRule, Reading, Support
from clausegraph.query.read.assume import assumed
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.retrieve.bank import Hit

_HTML = re.compile(r"<(\w+)>(.*)</\w+>$")
TODAY = date(2026, 11, 22)
READER, ALWAYS, NEVER = ExtractiveReader(), ExtractiveReader(asserted=0.0), ExtractiveReader(asserted=1.01)


@dataclass(frozen=True)
class Pages:
    """What pages state, and hits in the order of their elements."""

    readings: dict[PageKey, Reading]
    supports: tuple[Support, ...] = ()

    def reading(self, page: PageKey) -> Reading:
        return self.readings[page]

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[Support]:
        return self.supports

    def rules_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[PlacedRule]:
        return ()

    def hits(self, *wanted: str, similarity: float = 0.7) -> list[Hit]:
        """The elements whose text starts with each of ``wanted``, in that order; all without any."""
        every = [(key, e) for key, reading in self.readings.items() for e in reading.elements if not e.is_heading]
        found = [pair for start in wanted for pair in every if pair[1].text.startswith(start)] if wanted else every
        return [Hit.of_element(key, e, 1.0 - 0.02 * i, {"element": similarity}) for i, (key, e) in enumerate(found)]


def reading(
    uri: str, lines: Sequence[str], updated: str | None = None, headers: tuple[str, ...] = ()
) -> tuple[PageKey, Reading]:
    """A page from lines: ``<tag>text</tag>``, "- text" (an item) or a paragraph, which introduces the items below."""
    elements: list[Element] = []
    lead: str | None = None
    for i, line in enumerate(lines):
        html = line if line.startswith("<") else f"<li>{line[2:]}</li>" if line.startswith("- ") else f"<p>{line}</p>"
        match = _HTML.match(html)
        assert match is not None, line
        tag, text = match[1], match[2]
        anchor = f"{uri}-{i}"
        if tag == "p":
            lead = anchor
        lead_in = lead if tag in ("li", "tr") else None
        elements.append(Element(anchor, tag, html, text, lead_in=lead_in, headers=headers if tag == "tr" else ()))
    return PageKey("test", uri), Reading(uri, None, tuple(elements), updated=updated)


def page(*lines: str, updated: str | None = None, headers: tuple[str, ...] = ()) -> Pages:
    """One page from its lines; a line break in one begins another."""
    each = [line for block in lines for line in block.split("\n")]
    return Pages(dict([reading("page", each, updated, headers)]))


def ask(
    found: Pages, question: str, scenario: str = "", reader: ExtractiveReader = READER, **states: ConditionState
) -> Answer:
    """The answer of a reader; conditions are assumed by words of theirs."""
    inquiry = Inquiry(question, scenario, as_of=TODAY)
    result = reader.read(inquiry, found.hits(), found)
    answer = Answer(inquiry, result.status, result.alternatives, "test", 1, quotes=result.quotes)
    return assumed(answer, {name.replace("_", " "): state for name, state in states.items()}) if states else answer
