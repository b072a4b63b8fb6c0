"""What an extractor sees of a chunk, and what it returns: pure values, independent of the page.

Equal inputs share one stored extraction, so nothing here knows the page, its uri or its anchors: an own
element is called ``e0, e1, …`` in chunk order, a context element (a lead-in or parent item that stands in
an earlier chunk) ``c0, c1, …``, a heading above them that is none of these ``h0, h1, …``.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

from clausegraph.core.fingerprints import LLMFingerprint
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.core.pages.lists import names_above
from clausegraph.core.types import Chunk, Element, Link, Reading, Statement


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
    the key.
    """

    title: str
    headings: tuple[str, ...]
    elements: tuple[InputElement, ...]
    scope: str = ""
    above: tuple[InputElement, ...] = ()

    @cached_property
    def key(self) -> str:
        """Hash of everything the extractor sees."""
        rows = [
            [e.label, e.tag, e.text, e.headings, e.lead_in, e.parent, e.headers, [[k.href, k.text] for k in e.links]]
            for e in self.elements
        ]
        scope = [self.scope] if self.scope else []
        return content_hash("extraction-input", canonical_json([self.title, self.headings, rows, *scope]))


@dataclass(frozen=True, slots=True)
class Reject:
    """Something an extractor or reader could not use, with its reason; counted, never dropped silently."""

    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """The statements of one chunk and what was rejected on the way."""

    statements: tuple[Statement, ...]
    rejects: tuple[Reject, ...] = ()


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

    def proposals(self, extractions: Iterable[Extraction]) -> dict[str, dict[str, int]]:
        """Entity types and relations, with counts, that these extractions use and that its guide lacks."""


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
    return _input(reading, chunk, _Page.of(reading))


def extraction_inputs(reading: Reading, scope: str = "") -> Iterator[tuple[ExtractionInput, dict[str, str]]]:
    """What :func:`extraction_input` makes of every chunk, in order; linear, however many chunks a page has."""
    page = _Page.of(reading)
    for chunk in reading.chunks:
        yield _input(reading, chunk, page, scope)


def scope_of(extractor: str, page_id: int) -> str:
    """The scope of a page's inputs for the extractor of this fingerprint; see ``LLMFingerprint``."""
    asked = LLMFingerprint.parse(extractor)
    return f"page {page_id}" if asked is not None and asked.page_scoped else ""


@dataclass(frozen=True, slots=True)
class _Page:
    """The elements of a page by anchor, and the anchors of the headings above each, outermost first."""

    elements: dict[str, Element]
    above: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, reading: Reading) -> _Page:
        latest: dict[tuple[str, ...], str] = {}  # heading path → the heading that ends it
        above: dict[str, tuple[str, ...]] = {}
        for element in reading.elements:
            path = element.headings
            above[element.anchor] = tuple(latest[path[: i + 1]] for i in range(len(path)) if path[: i + 1] in latest)
            if element.is_heading:
                latest[(*path, element.text)] = element.anchor
        return cls({element.anchor: element for element in reading.elements}, above)


def _input(reading: Reading, chunk: Chunk, page: _Page, scope: str = "") -> tuple[ExtractionInput, dict[str, str]]:
    starts = {part.anchor for part in chunk.parts if part.start == 0}
    own = [anchor for anchor in chunk.anchors if anchor in starts]
    context = _context(own, page.elements)
    known = {*own, *context}
    above = [one for one in dict.fromkeys(h for anchor in own for h in page.above[anchor]) if one not in known]
    labels = {anchor: f"e{i}" for i, anchor in enumerate(own)}
    labels |= {anchor: f"c{i}" for i, anchor in enumerate(context)}
    labels |= {anchor: f"h{i}" for i, anchor in enumerate(above)}
    chunk_input = ExtractionInput(
        title=reading.title,
        headings=chunk.headings,
        elements=tuple(_labelled(page.elements[anchor], labels) for anchor in [*context, *own]),
        scope=scope,
        above=tuple(_labelled(page.elements[anchor], labels) for anchor in above),
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
