"""Pages as far as labelled questions cite them: for testing a guide where the pages themselves are not at hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from clausegraph.core.hashing import content_hash
from clausegraph.core.types import Element, PageKey, PlacedPassage, Reading, Support
from clausegraph.query.read.model.labelled import LabelledQuestion
from clausegraph.query.retrieve.bank import Hit

_SERIALISED = re.compile(r"<(h1|h2|h3|p|li|tr)>(.*)</\1>", re.DOTALL)
_SOURCE = "cited"


@dataclass(frozen=True, slots=True)
class CitedPages:
    """The elements that questions cite, page by page: ``Rules`` without statements."""

    readings: Mapping[PageKey, Reading]

    @classmethod
    def of(cls, questions: Iterable[LabelledQuestion]) -> CitedPages:
        """Of each page the cited elements, each once, in an order that agrees with those of the questions."""
        cited: dict[str, list[str]] = {}
        for question in questions:
            cited[question.page] = _merged(cited.get(question.page, []), question.elements)
        return cls({PageKey(_SOURCE, page): _reading(page, lines) for page, lines in cited.items()})

    def reading(self, page: PageKey) -> Reading:
        return self.readings[page]

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[Support]:
        return ()

    def passages_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[PlacedPassage]:
        return ()

    def hits(self, question: LabelledQuestion) -> list[Hit]:
        """All elements of the question's page, in page order."""
        page = PageKey(_SOURCE, question.page)
        return [Hit.of_element(page, element, 1.0, {}) for element in self.readings[page].elements]


def _merged(known: list[str], more: Sequence[str]) -> list[str]:
    """Both lists in one: what is new stands behind what it followed."""
    made = list(known)
    place = 0
    for line in more:
        if line in made:
            place = made.index(line) + 1
        else:
            made.insert(place, line)
            place += 1
    return made


def _reading(page: str, lines: Sequence[str]) -> Reading:
    elements: list[Element] = []
    lead: str | None = None
    for line in lines:
        found = _SERIALISED.fullmatch(line.strip())
        if found is None:
            continue
        tag, text = found[1], found[2]
        anchor = f"{tag}{content_hash(line)[:8]}"
        is_item = tag == "li"
        elements.append(Element(anchor, tag, line, text, lead_in=lead if is_item else None))
        lead = lead if is_item else anchor if tag == "p" else None
    title = page.rstrip("/").rsplit("/", 1)[-1].replace("-", " ")
    return Reading(title, page, tuple(elements))
