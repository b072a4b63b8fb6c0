"""The elements that a model is shown, within a budget: hits best first, each with what it is not understood without."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from urllib.parse import urljoin

from clausegraph.core.language.normalise import visible
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import Element, Link, PageKey, Reading
from clausegraph.query.read.evidence import row_text
from clausegraph.query.read.model.outline import PageOutline
from clausegraph.query.read.protocol import Pages
from clausegraph.query.retrieve.bank import Hit

DECISIVE_SHARE = 0.8  # of the score: four times that of all other pages together
_FEW_PLACES = 20  # with fewer there is nothing that only fills
_READ_ON = 2  # elements that follow a hit in its section
_READ_ON_HITS = 30  # the best; with each the reading goes on once so many later hits are taken
_WHOLE_PAGE_AFTER = 10  # hits that are chosen before the rest of the nearest page
_SHORT_SECTION = 150  # tokens of a section or table that is shown whole
_POINTED_SECTION = 300  # tokens of a section that the text points to
_POINTED_START = 3  # elements of a longer one

Cost = Callable[[Element], int]
Place = tuple[PageKey, str]  # page and anchor


@dataclass
class Selection:
    """Positions chosen of each page, within a budget; the first page is the nearest to the question."""

    pages: Pages
    budget: int
    cost: Cost
    title_cost: Callable[[PageKey], int]
    used: int = 0
    chosen: dict[PageKey, set[int]] = field(default_factory=dict)
    outlines: dict[PageKey, PageOutline] = field(default_factory=dict)

    def outline(self, page: PageKey) -> PageOutline:
        if page not in self.outlines:
            self.outlines[page] = PageOutline(self.pages(page))
        return self.outlines[page]

    def take(self, page: PageKey, *choices: Sequence[int]) -> bool:
        """Choose the first of the choices of positions that fits; whether one did. The very first need not fit."""
        outline, have = self.outline(page), self.chosen.get(page, set())
        for positions in choices:
            new = {position for position in positions if position not in have}
            price = sum(self.cost(outline.elements[position]) for position in new)
            price += 0 if page in self.chosen else self.title_cost(page)
            is_forced = not self.chosen and positions is choices[-1]
            if self.used + price <= self.budget or is_forced:
                self.used += price
                self.chosen.setdefault(page, set()).update(new)
                return True
        return False

    def whole(self, page: PageKey, positions: Sequence[int]) -> list[int]:
        """The positions with what stands above each of them."""
        outline = self.outline(page)
        return list(dict.fromkeys(p for position in positions for p in (position, *outline.leads(position))))

    def tokens(self, page: PageKey, positions: Sequence[int]) -> int:
        elements = self.outline(page).elements
        return sum(self.cost(elements[position]) for position in positions)


def page_shares(hits: Sequence[Hit]) -> dict[PageKey, float]:
    """The share of each page in the score that its hits have above the last hit, most first."""
    last = min((hit.score for hit in hits), default=0.0)
    sums: dict[PageKey, float] = {}
    for hit in hits:
        sums[hit.page] = sums.get(hit.page, 0.0) + hit.score - last
    total = sum(sums.values())
    shares = {page: score / total if total else 1 / len(sums) for page, score in sums.items()}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))  # ties: the page of the better hit


def selected(hits: Sequence[Hit], selection: Selection) -> dict[PageKey, list[int]]:
    """Fill the selection from the hits, and return the positions of each page in page order, nearest page first."""
    shares = page_shares(hits)
    places = _kept(hits, shares)
    pointing = _Pointers(list(dict.fromkeys(hit.page for hit in hits)), selection)
    for step, (page, anchor) in enumerate([*places, *((None, "") for _ in range(_READ_ON_HITS))]):
        if step == min(_WHOLE_PAGE_AFTER, len(places)) and shares:
            _take_page(selection, next(iter(shares)))
        if page is not None:
            _take_hit(selection, page, anchor)
        behind = step - _READ_ON_HITS
        if 0 <= behind < min(_READ_ON_HITS, len(places)):
            _read_on(selection, *places[behind], pointing)
    chosen = selection.chosen
    return {page: sorted(chosen[page]) for page in shares if chosen.get(page)}


def _kept(hits: Sequence[Hit], shares: Mapping[PageKey, float]) -> list[Place]:
    """The places of the hits, best first; those of one page only, where it decides."""
    places = list(dict.fromkeys((hit.page, anchor) for hit in hits for anchor in hit.anchors))
    nearest = next(iter(shares), None)
    if nearest is None or len(places) < _FEW_PLACES or shares[nearest] < DECISIVE_SHARE:
        return places
    return [place for place in places if place[0] == nearest]


def _take_hit(selection: Selection, page: PageKey, anchor: str) -> None:
    outline = selection.outline(page)
    position = outline.at.get(anchor)
    if position is None:
        return
    alone = [position, *outline.leads(position)]
    selection.take(page, [*alone, *selection.whole(page, outline.companions(position))], alone)


def _take_page(selection: Selection, page: PageKey) -> None:
    """Choose all of a page, if it fits: deadlines, exceptions and contacts often stand far from what was found."""
    selection.take(page, range(len(selection.outline(page).elements)))


def _read_on(selection: Selection, page: PageKey, anchor: str, pointing: _Pointers) -> None:
    """Choose what one reads after a hit: a short section or table, the next sentences, what the text points to."""
    outline = selection.outline(page)
    position = outline.at.get(anchor)
    if position is None or position not in selection.chosen.get(page, ()):
        return
    for group in (outline.table(position), outline.stretch(position)):
        if len(group) <= _SHORT_SECTION and selection.tokens(page, group) <= _SHORT_SECTION:
            selection.take(page, selection.whole(page, group))
    selection.take(page, selection.whole(page, outline.after(position, _READ_ON)))
    for other, target in pointing.of(page, position):
        selection.take(other, *_pointed(selection, other, target))


def _pointed(selection: Selection, page: PageKey, target: int) -> Iterator[list[int]]:
    outline = selection.outline(page)
    if outline.elements[target].is_heading:
        section = outline.section(target)
        if len(section) <= _POINTED_SECTION and selection.tokens(page, section) <= _POINTED_SECTION:
            yield selection.whole(page, [target, *section])
        yield selection.whole(page, [target, *section[:_POINTED_START]])
    else:
        yield selection.whole(page, [target, *outline.items(target)])


class _Pointers:
    """Finds where the links and the "see …" of an element lead, among the pages of the hits."""

    def __init__(self, pages: Sequence[PageKey], selection: Selection) -> None:
        self._selection = selection
        self._by_address: dict[str, PageKey] = {}
        for page in pages:
            for address in (selection.pages(page).url, page.uri):
                if address:
                    self._by_address.setdefault(_bare(address), page)

    def of(self, page: PageKey, position: int) -> Iterator[tuple[PageKey, int]]:
        """Page and position of each target."""
        outline = self._selection.outline(page)
        element = outline.elements[position]
        for link in element.links:
            other = self._page_of(page, link)
            if other is None:
                continue
            target = self._selection.outline(other).target(link.href.partition("#")[2], link.text)
            if target is not None and (other, target) != (page, position):
                yield other, target
        yield from ((page, heading) for heading in outline.headings_named(element))

    def _page_of(self, page: PageKey, link: Link) -> PageKey | None:
        if link.href.startswith("#"):
            return page
        for base in (page.uri, self._selection.pages(page).url or ""):
            try:
                found = self._by_address.get(_bare(urljoin(base, link.href)))
            except ValueError:  # no address, as "http://[": it leads nowhere
                continue
            if found is not None:
                return found
        return None


def _bare(address: str) -> str:
    return address.partition("#")[0].rstrip("/")


_LONGEST_ELEMENT = 2_000  # characters of one element
_LABEL_COST = 4  # tokens of a label, the mark of its kind, and a gap before it
_TITLE_COST = 10  # tokens of "PAGE 1 (nearest to the question):"
_GAP = "…"
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
    text = visible(row_text(element))
    return text if len(text) <= _LONGEST_ELEMENT else text[:_LONGEST_ELEMENT] + " [cut]"
