"""Contradictions in other words: sections of different pages that are near in meaning, and what a language model finds
between their lines. Code checks each pair that it names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice

import numpy as np

from clausegraph.core.errors import UnusableReply
from clausegraph.core.language.normalise import normalise_text, tokens, visible
from clausegraph.core.types import Element, PageKey, Reading
from clausegraph.indexes.views import View
from clausegraph.query.read.evidence import row_text
from clausegraph.query.steps.reply import LONGEST

PROMPT = "contradictions"
# The cosine of a section's nearest three is taken off that of a pair: what is near to everything is near to nothing
# (cross-domain similarity local scaling, Conneau et al. 2018). Of 31 contradictions in other words on 62 pages it puts
# 27 among the first 100 pairs of sections, the cosine alone 24.
_NEAREST = 3
_KEPT = 20  # sections that each section is compared with
_FLOOR = 0.2  # cosine of the nearest lines, below which one of the 61 development pairs lies
_LINES = 60  # of a call


@dataclass(frozen=True, slots=True, eq=False)
class PageSection:
    """A chunk of a page, without its headings."""

    page: PageKey
    reading: Reading
    headings: tuple[str, ...]
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """An element, and the words of it that a model quotes."""

    page: PageKey
    element: Element
    quote: str


@dataclass(frozen=True, slots=True)
class NamedPair:
    """Two lines of different pages that a model says cannot both hold."""

    one: QuotedLine
    other: QuotedLine
    differs: str

    @property
    def key(self) -> frozenset[tuple[PageKey, str]]:
        """The places of both."""
        return frozenset((side.page, side.element.anchor) for side in (self.one, self.other))


Named = tuple[list[NamedPair], Counter[str]]  # what replies name, and what of them was rejected, by reason


def near_sections(view: View, limit: int) -> list[tuple[PageSection, PageSection]]:
    """The ``limit`` nearest pairs of sections of different pages, by the two lines of theirs that are nearest."""
    names, vectors = view.vectors("element")
    row = {name: number for number, name in enumerate(names)}
    sections = [section for page in view.page_keys() for section in _sections(page, view.reading(page))]
    rows = [[row[one.page, element.anchor] for element in one.elements] for one in sections]
    starts = np.cumsum([0, *map(len, rows)])[:-1]
    every = vectors[[number for own in rows for number in own]]
    cosine: dict[tuple[int, int], float] = {}
    around: list[float] = []
    for number, own in enumerate(rows):
        found = np.maximum.reduceat((vectors[own] @ every.T).max(axis=0), starts)
        nearest = np.argsort(-found, kind="stable").tolist()
        order = list(islice((n for n in nearest if sections[n].page != sections[number].page), _KEPT))
        around.append(float(np.mean(found[order[:_NEAREST]])) if order else 0.0)
        cosine |= {(min(number, other), max(number, other)): float(found[other]) for other in order}
    near = {pair: 2 * found - around[pair[0]] - around[pair[1]] for pair, found in cosine.items() if found >= _FLOOR}
    best = sorted(near, key=lambda pair: (-near[pair], pair))[:limit]
    return [(sections[one], sections[other]) for one, other in best]


def _sections(page: PageKey, reading: Reading) -> Iterable[PageSection]:
    elements = {element.anchor: element for element in reading.elements}
    for chunk in reading.chunks:
        own = tuple(elements[anchor] for anchor in chunk.anchors if not elements[anchor].is_heading)
        if own:
            headings = chunk.headings[1:] if chunk.headings[:1] == (reading.title,) else chunk.headings
            yield PageSection(page, reading, headings, own)


def batches(pairs: Iterable[tuple[PageSection, PageSection]]) -> list[list[PageSection]]:
    """The sections of each call, so that every pair is in one: from the nearest pair on, what completes most pairs."""
    left, calls = dict.fromkeys(pairs), []
    while left:
        call = dict.fromkeys(next(iter(left)))
        while True:
            room = _LINES - sum(len(one.elements) for one in call)
            ways = (way for pair in left for way in (pair, pair[::-1]) if way[0] in call and way[1] not in call)
            if completes := Counter(other for _, other in ways if len(other.elements) <= room):
                call[completes.most_common(1)[0][0]] = None
                continue
            apart = (pair for pair in left if pair[0] not in call and pair[1] not in call)
            more = next((pair for pair in apart if sum(len(one.elements) for one in pair) <= room), None)
            if more is None:
                break
            call |= dict.fromkeys(more)
        left = {pair: None for pair in left if pair[0] not in call or pair[1] not in call}
        calls.append(list(call))
    return calls


def call_of(sections: Sequence[PageSection]) -> tuple[dict[str, object], partial[Named], tuple[str, ...]]:
    """The call that shows these sections: its inputs, what reads its reply, and the pages."""
    lines = [(one.page, element) for one in sections for element in one.elements]
    pages = tuple(dict.fromkeys(str(one.page) for one in sections))
    return {"sections": _shown(sections)}, partial(parse_pairs, lines=lines), pages


def _shown(sections: Iterable[PageSection]) -> str:
    shown: list[str] = []
    numbers = count(1)
    for one in sections:
        reading = one.reading
        known = filter(None, (reading.title, reading.publisher, reading.updated and f"updated {reading.updated}"))
        shown.append(f"# {' | '.join(known)}")
        shown += [f"## {' > '.join(one.headings)}"] if one.headings else []
        shown += [f"{next(numbers)} {'- ' * (line.tag == 'li')}{row_text(line)}" for line in one.elements]
    return "\n".join(map(visible, shown))


def parse_pairs(text: str, lines: Sequence[tuple[PageKey, Element]]) -> Named:
    """Read a reply on numbered lines: pairs of different pages, each with words of both of its lines."""
    pairs: list[NamedPair] = []
    rejected: Counter[str] = Counter()
    said = [line for line in map(normalise_text, text.splitlines()) if line and line.strip(" .`").lower() != "none"]
    for line in said:
        parts = line.split('"', 4)
        numbers = [part.strip(" |-*").removesuffix(".") for part in parts[:4:2]]
        if len(parts) < 5 or not all(number.isdecimal() for number in numbers):
            rejected["not of the form"] += 1
            continue
        one, other = (
            QuotedLine(*lines[int(number) - 1], quote) if 0 < int(number) <= len(lines) else None
            for number, quote in zip(numbers, parts[1:4:2], strict=True)
        )
        if one is None or other is None or one.page == other.page:
            rejected["no such pair"] += 1
        elif not _is_quoted(one) or not _is_quoted(other) or tokens(one.quote) == tokens(other.quote):
            rejected["words that a line does not have, or both have"] += 1
        else:
            pairs.append(NamedPair(one, other, visible(parts[4].strip(" |"))[:LONGEST]))
    if said and rejected["not of the form"] == len(said):
        raise UnusableReply("no line of the reply names a pair")
    return pairs, rejected


def _is_quoted(line: QuotedLine) -> bool:
    quote = line.quote.strip(" .").lower()
    return bool(tokens(quote)) and quote in normalise_text(row_text(line.element)).lower()
