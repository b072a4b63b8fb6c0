"""What an extractor sees of a chunk, and what it returns: pure values, independent of the page.

Equal inputs share one stored extraction, so nothing here knows the page, its uri or its anchors: an own
element is called ``e0, e1, …`` in chunk order, a context element (a lead-in or parent item that stands in
an earlier chunk) ``c0, c1, …``, a heading above them that is none of these ``h0, h1, …``, and what else
sets something for them (see ``around``) ``s0, s1, …``.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar, runtime_checkable

from clausegraph.core.hashing import LLMFingerprint, canonical_json, content_hash
from clausegraph.core.types import Chunk, Element, Link, Reading, Rule, Statement


class ListMember(Protocol):
    """An element that may stand in a list: names of its lead-in and of the item that it is nested in."""

    @property
    def lead_in(self) -> str | None: ...

    @property
    def parent(self) -> str | None: ...


E = TypeVar("E", bound=ListMember)

MAX_ABOVE = 64  # lead-ins and parent items; no real list is nested so deeply


def introducer(element: ListMember, by_name: Mapping[str, E]) -> E | None:
    """What introduces an element: its lead-in, else the item it is nested in; none where that is not among them."""
    return by_name.get(element.lead_in or element.parent or "")


def names_above(element: ListMember, by_name: Mapping[str, ListMember], known: Container[str] = ()) -> list[str]:
    """Names of the parent items and lead-ins of an element, nearest first, as far as they are there.

    At most ``MAX_ABOVE``: a page of 1 MB may nest each of its items in a thousand others. What is ``known``, with what
    stands above it, is left out.
    """
    found: dict[str, None] = {}
    pending = deque([element.parent, element.lead_in])
    while pending and len(found) < MAX_ABOVE:
        name = pending.popleft()
        if name is None or name in found or name in known or name not in by_name:
            continue
        found[name] = None
        pending += [by_name[name].parent, by_name[name].lead_in]
    return list(found)


# Words of a sentence that may set a condition for what stands below it; part of the keys, which cost money to change
_SETS = re.compile(r"\b(?:if|unless|when|while|until|except|only|where)\b", re.IGNORECASE)
_MOST_SET = 20  # of them above one heading: the last


@dataclass(frozen=True, slots=True)
class InputElement:
    """One element of an extraction input; ``lead_in`` and ``parent`` are labels of the same input."""

    label: str
    tag: str
    text: str
    headings: tuple[str, ...] = ()
    lead_in: str | None = None
    parent: str | None = None
    headers: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def is_own(self) -> bool:
        return self.label.startswith("e")


@dataclass(frozen=True)
class ExtractionInput:
    """Everything an extractor may use of one chunk: title, heading path, own and context elements, headings above.

    ``scope`` is part of the key and of nothing else: equal chunks of two scopes do not share an extraction. ``above``
    are the heading elements of the paths of its elements, outermost first; their texts are in those paths, and so in
    the key. ``around`` are elements of other chunks that set something for its own: the head of their table, and
    sentences with a condition that stand above a heading of their path; part of the key, and only there for extractors
    that see the chunks of a page together.
    """

    title: str
    headings: tuple[str, ...]
    elements: tuple[InputElement, ...]
    scope: str = ""
    above: tuple[InputElement, ...] = ()
    around: tuple[InputElement, ...] = ()

    @cached_property
    def key(self) -> str:
        """Hash of everything the extractor sees."""
        more = [part for part in (self.scope, _rows(self.around)) if part]
        return content_hash(
            "extraction-input", canonical_json([self.title, self.headings, _rows(self.elements), *more])
        )


def _rows(elements: Iterable[InputElement]) -> list[list[object]]:
    return [
        [e.label, e.tag, e.text, e.headings, e.lead_in, e.parent, e.headers, [[k.href, k.text] for k in e.links]]
        for e in elements
    ]


@dataclass(frozen=True, slots=True)
class Reject:
    """Something an extractor or reader could not use, with its reason; counted, never dropped silently."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """The statements of one chunk, what was rejected on the way, and the rules, where who extracts states them."""

    statements: tuple[Statement, ...]
    rejects: tuple[Reject, ...] = ()
    rules: tuple[Rule, ...] = ()


class Extractor(Protocol):
    """Turns chunk inputs into statements. Equal fingerprint and input give an equal extraction."""

    @property
    def fingerprint(self) -> str:
        """Name and version of everything that determines the output."""

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        """Extract the statements of one chunk; ``spans`` cite own elements only."""


@dataclass(frozen=True, slots=True)
class PageInputs:
    """Chunks of one page that are to be extracted, in page order; ``page`` names it in records only."""

    page: str
    inputs: tuple[ExtractionInput, ...]


@dataclass(frozen=True, slots=True)
class Extracted:
    """What became of one input: its extraction, or the problem for which there is none."""

    key: str
    extraction: Extraction | None
    problem: str = ""


@runtime_checkable
class PageExtractor(Extractor, Protocol):
    """An extractor that works on many chunks at once, and may fail on some."""

    def extract_pages(self, pages: Iterable[PageInputs]) -> Iterator[Extracted]:
        """Yield what became of each input, in any order, as soon as it is known.

        Raises:
            ModelRefused: no call can succeed (wrong key, unknown model); what was yielded before is good.
        """


def extract_all(extractor: Extractor, pages: Iterable[PageInputs]) -> Generator[Extracted]:
    """What became of every input, whichever kind of extractor it is."""
    if isinstance(extractor, PageExtractor):
        yield from extractor.extract_pages(pages)
        return
    for page in pages:
        for chunk_input in page.inputs:
            yield Extracted(chunk_input.key, extractor.extract(chunk_input))


def extraction_input(reading: Reading, chunk: Chunk) -> tuple[ExtractionInput, dict[str, str]]:
    """Build the input of ``chunk`` and the map from its labels to the page's anchors.

    An element split over several chunks is an own element of the chunk that holds its start, and
    context of the others, so that each of its statements is extracted once.
    """
    return _input(reading, chunk, _Page.of(reading, ""))


def extraction_inputs(reading: Reading, scope: str = "") -> Iterator[tuple[ExtractionInput, dict[str, str]]]:
    """What :func:`extraction_input` makes of every chunk, in order; linear, however many chunks a page has."""
    page = _Page.of(reading, scope)
    for chunk in reading.chunks:
        yield _input(reading, chunk, page, scope)


def scope_of(extractor: str, page_id: int) -> str:
    """What keeps a page's inputs apart from equal ones of others, if the extractor of this fingerprint reads pages."""
    asked = LLMFingerprint.parse(extractor)
    return f"page {page_id}" if asked is not None and asked.page_scoped else ""


@dataclass(frozen=True, slots=True)
class _Page:
    """The elements of a page by anchor, and the anchors of the headings above each, outermost first; by heading path,
    what sets a condition for the headings below it; by row of a table, the row that is its head."""

    elements: dict[str, Element]
    above: dict[str, tuple[str, ...]]
    setting: dict[tuple[str, ...], list[str]]
    heads: dict[str, str]

    @classmethod
    def of(cls, reading: Reading, scope: str) -> _Page:
        """Both of the last two only with a scope: what sees a page together may cite what stands around."""
        latest: dict[tuple[str, ...], str] = {}  # heading path → the heading that ends it
        rows: dict[str, str] = {}  # text of a row → the last that has it
        setting: set[str] = set()
        found = cls({element.anchor: element for element in reading.elements}, {}, {}, {})
        for element in reading.elements:
            path, anchor = element.headings, element.anchor
            found.above[anchor] = tuple(latest[path[: i + 1]] for i in range(len(path)) if path[: i + 1] in latest)
            if element.is_heading:
                latest[(*path, element.text)] = anchor
            elif not scope:
                continue
            elif element.tag == "tr":
                if (head := rows.get(" | ".join(element.headers))) and element.headers:
                    found.heads[anchor] = head
                rows[element.text] = anchor
            elif _SETS.search(element.text) or element.lead_in in setting:
                setting.add(anchor)
                found.setting.setdefault(path, []).append(anchor)
        return found

    def around(self, own: Sequence[str]) -> Iterator[str]:
        """What else may set something for the own elements of a chunk; an own element may be among it."""
        under = dict.fromkeys(self.elements[anchor].headings for anchor in own)
        for path in dict.fromkeys(full[:length] for full in under for length in range(1, len(full))):
            yield from self.setting.get(path, ())[-_MOST_SET:]
        yield from (self.heads[anchor] for anchor in own if anchor in self.heads)


def _input(reading: Reading, chunk: Chunk, page: _Page, scope: str = "") -> tuple[ExtractionInput, dict[str, str]]:
    starts = {part.anchor for part in chunk.parts if part.start == 0}
    own = [anchor for anchor in chunk.anchors if anchor in starts]
    context = _context(own, page.elements)
    known = {*own, *context}
    above = [one for one in dict.fromkeys(h for anchor in own for h in page.above[anchor]) if one not in known]
    labels = {anchor: f"e{i}" for i, anchor in enumerate(own)}
    labels |= {anchor: f"c{i}" for i, anchor in enumerate(context)}
    labels |= {anchor: f"h{i}" for i, anchor in enumerate(above)}
    others = dict.fromkeys(page.around(own)) if scope else ()
    around = [anchor for anchor in others if anchor not in labels]
    labels |= {anchor: f"s{i}" for i, anchor in enumerate(around)}
    chunk_input = ExtractionInput(
        title=reading.title,
        headings=chunk.headings,
        elements=tuple(_labelled(page.elements[anchor], labels) for anchor in [*context, *own]),
        scope=scope,
        above=tuple(_labelled(page.elements[anchor], labels) for anchor in above),
        around=tuple(_labelled(page.elements[anchor], labels) for anchor in around),
    )
    return chunk_input, {label: anchor for anchor, label in labels.items()}


def _labelled(element: Element, labels: Mapping[str, str]) -> InputElement:
    return InputElement(
        label=labels[element.anchor],
        tag=element.tag,
        text=element.text,
        headings=element.headings,
        lead_in=labels.get(element.lead_in or ""),
        parent=labels.get(element.parent or ""),
        headers=element.headers,
        links=element.links,
    )


def _context(own: list[str], by_anchor: dict[str, Element]) -> list[str]:
    """Lead-ins and parent items above the own elements, outermost first, without the own ones."""
    found: dict[str, None] = {}
    for anchor in own:
        found |= dict.fromkeys(reversed(names_above(by_anchor[anchor], by_anchor, found)))
    mine = set(own)
    return [anchor for anchor in found if anchor not in mine]
