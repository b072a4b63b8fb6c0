"""What a model is shown of the pages: whole sections in page order, nearest page first, each element labelled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from clausegraph.core.language.normalise import visible
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import Element, PageKey, Reading
from clausegraph.query.read.model.selection import Selection, selected
from clausegraph.query.read.protocol import Pages
from clausegraph.query.retrieve.bank import Hit

_LONGEST_ELEMENT = 2_000  # characters of one element
_LABEL_COST = 4  # tokens of a label, the mark of its kind, and a gap before it
_TITLE_COST = 10  # tokens of "PAGE 1 (nearest to the question):"
_GAP = "…"
_CELL = " | "
_NEAREST = " (nearest to the question)"
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
        """One line, so that no text can pass for another element: label, mark of its kind, text or named cells."""
        nested = "  " if self.element.parent is not None else ""
        return f"{nested}{self.label}{_MARKS.get(self.element.tag, '.')} {_shown_text(self.element)}"


@dataclass(frozen=True)
class Shown:
    """The elements that a model is shown, page after page, the page nearest to the question first."""

    elements: tuple[ShownElement, ...]
    titles: Mapping[PageKey, str]  # with the date of the page's last update, where it says one
    gaps: frozenset[str] = frozenset()  # labels of elements before which something of their page is left out

    @cached_property
    def by_label(self) -> dict[str, ShownElement]:
        return {shown.label: shown for shown in self.elements}

    @cached_property
    def labels(self) -> dict[tuple[PageKey, str], str]:
        """Page and anchor → label."""
        return {(shown.page, shown.element.anchor): shown.label for shown in self.elements}

    @property
    def text(self) -> str:
        """The pages as a model reads them: each with its title, then a line an element, "…" where some are left out."""
        made: list[str] = []
        for number, (page, title) in enumerate(self.titles.items(), 1):
            lines = [f"PAGE {number}{_NEAREST if number == 1 else ''}: {visible(title)}"]
            for shown in self.elements:
                if shown.page == page:
                    lines += [_GAP] * (shown.label in self.gaps) + [shown.line]
            made.append("\n".join(lines))
        return "\n\n".join(made)


def shown_of(hits: Sequence[Hit], pages: Pages, budget: int) -> Shown:
    """The elements of the hits and what they are read with, until the budget (word pieces of the text) is used up.

    An element brings its lead-ins, the list it introduces or stands in, its table's header, its notes and headings;
    the best also what follows them in their section and what they point to. Pages stand nearest first, elements in page
    order. Where one page decides, the others are left out.
    """
    selection = Selection(pages, budget, _element_cost, lambda page: _title_cost(_title(pages(page))))
    titles: dict[PageKey, str] = {}
    made: list[ShownElement] = []
    gaps: set[str] = set()
    for page, positions in selected(hits, selection).items():
        reading = pages(page)
        titles[page] = _title(reading)
        for before, position in zip([positions[0] - 1, *positions], positions, strict=False):
            label = f"e{len(made) + 1}"
            made.append(ShownElement(label, page, reading.elements[position]))
            if position > before + 1:
                gaps.add(label)
    return Shown(tuple(made), titles, frozenset(gaps))


def _title(reading: Reading) -> str:
    return f"{reading.title} (updated {reading.updated})" if reading.updated else reading.title


def _element_cost(element: Element) -> int:
    return _tokens(_shown_text(element)) + _LABEL_COST


def _title_cost(title: str) -> int:
    return _tokens(visible(title)) + _TITLE_COST


def _shown_text(element: Element) -> str:
    """The text of an element on one line; the cells of a row each under its header, where the headers are known."""
    text = visible(_with_headers(element) if element.tag == "tr" and element.headers else element.text)
    return text if len(text) <= _LONGEST_ELEMENT else text[:_LONGEST_ELEMENT] + " [cut]"


def _with_headers(element: Element) -> str:
    cells = element.text.split(_CELL)
    if len(cells) != len(element.headers):  # a cell has a bar of its own, or spans columns
        return f"{element.text} (columns: {_CELL.join(element.headers)})"
    named = zip(element.headers, cells, strict=True)
    return _CELL.join(f"{header}: {cell}" if header and cell else cell for header, cell in named)
