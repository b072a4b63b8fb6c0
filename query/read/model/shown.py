"""What a model is shown of the pages: retrieved elements, whole lists, in page order under their headings, labelled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from clausegraph.core.language.normalise import visible
from clausegraph.core.pages.lists import names_above
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import Element, PageKey, Reading
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.protocol import Pages

LONGEST_LIST = 15  # items; of a longer list only what was found is shown
_LONGEST_ELEMENT = 2_000  # characters of one element
_LABEL_COST = 4  # tokens of a label and its line
_MARKS = {"li": "-", "tr": "|", "h1": "#", "h2": "#", "h3": "#"}

_tokens = lru_cache(maxsize=100_000)(count_tokens)


@dataclass(frozen=True, slots=True)
class ShownElement:
    """An element as it is shown: its label, and the page it is of."""

    label: str
    page: PageKey
    element: Element

    @property
    def line(self) -> str:
        """One line, so that no text can pass for another element: label, mark of its kind, text, column names."""
        element = self.element
        text = visible(element.text)
        if element.headers and element.tag == "tr":
            text += " (columns: " + visible(" | ".join(element.headers)) + ")"
        if len(text) > _LONGEST_ELEMENT:
            text = text[:_LONGEST_ELEMENT] + " [cut]"
        nested = "  " if element.parent is not None else ""
        return f"{nested}{self.label}{_MARKS.get(element.tag, '.')} {text}"


@dataclass(frozen=True)
class Shown:
    """The elements that a model is shown, page after page, best page first."""

    elements: tuple[ShownElement, ...]
    titles: Mapping[PageKey, str]  # with the date of the page's last update, where it says one

    @cached_property
    def by_label(self) -> dict[str, ShownElement]:
        return {shown.label: shown for shown in self.elements}

    @cached_property
    def labels(self) -> dict[tuple[PageKey, str], str]:
        """Page and anchor → label."""
        return {(shown.page, shown.element.anchor): shown.label for shown in self.elements}

    @property
    def text(self) -> str:
        """The pages as a model reads them: each with its title, then a line an element."""
        made: list[str] = []
        for page, title in self.titles.items():
            lines = [shown.line for shown in self.elements if shown.page == page]
            made.append("\n".join([f"PAGE: {visible(title)}", *lines]))
        return "\n\n".join(made)


def shown_of(hits: Sequence[Hit], pages: Pages, budget: int) -> Shown:
    """The elements of the hits, best first, until the budget (word pieces) is used up; in page order.

    An element brings what it cannot be understood without: its lead-ins, the list it introduces or stands in (up to
    ``LONGEST_LIST`` items), and its headings.
    """
    chosen: dict[PageKey, dict[str, None]] = {}
    used = 0
    for page, anchor in _ranked(hits):
        reading = pages(page)
        have = chosen.get(page, {})
        new = [name for name in _with_surroundings(reading, anchor) if name not in have]
        cost = sum(_tokens(element.text) + _LABEL_COST for element in _at(reading, new))
        if chosen and used + cost > budget:
            new = [anchor] if anchor in new else []  # the rest of a long list may not fit; the hit itself may
            cost = sum(_tokens(element.text) + _LABEL_COST for element in _at(reading, new))
            if used + cost > budget:
                break
        used += cost
        chosen.setdefault(page, {}).update(dict.fromkeys(new))
    return _labelled(chosen, pages)


def _ranked(hits: Sequence[Hit]) -> Iterator[tuple[PageKey, str]]:
    yield from dict.fromkeys((hit.page, anchor) for hit in hits for anchor in hit.anchors)


def _at(reading: Reading, anchors: Sequence[str]) -> list[Element]:
    wanted = set(anchors)
    return [element for element in reading.elements if element.anchor in wanted]


def _with_surroundings(reading: Reading, anchor: str) -> list[str]:
    by_anchor = {element.anchor: element for element in reading.elements}
    element = by_anchor.get(anchor)
    if element is None:
        return []
    leads = element.lead_in, anchor
    beside = [e.anchor for e in reading.elements if e.lead_in in leads and e.lead_in is not None and e.tag == "li"]
    items = beside if len(beside) <= LONGEST_LIST else []
    headings = _headings_above(reading, anchor)
    return list(dict.fromkeys([anchor, *names_above(element, by_anchor), *items, *headings]))


def _headings_above(reading: Reading, anchor: str) -> list[str]:
    """Anchors of the headings that an element stands under."""
    open_headings: list[Element] = []
    for element in reading.elements:
        if element.anchor == anchor:
            return [heading.anchor for heading in open_headings]
        if element.is_heading:
            open_headings = [heading for heading in open_headings if heading.tag < element.tag] + [element]
    return []


def _labelled(chosen: Mapping[PageKey, Mapping[str, None]], pages: Pages) -> Shown:
    found: list[tuple[PageKey, Element]] = []
    titles: dict[PageKey, str] = {}
    for page, anchors in chosen.items():
        reading = pages(page)
        titles[page] = f"{reading.title} (updated {reading.updated})" if reading.updated else reading.title
        found += [(page, element) for element in reading.elements if element.anchor in anchors]
    made = (ShownElement(f"e{number}", page, element) for number, (page, element) in enumerate(found, 1))
    return Shown(tuple(made), titles)
