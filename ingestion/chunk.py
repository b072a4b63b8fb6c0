"""Chunks: consecutive elements of one section, within the token limit.

A section starts at each h1 and h2. Within a section the cuts are chosen together (dynamic programming over the
places where a cut is possible): as few chunks as fit, cuts where they hurt least, then even sizes. Since sections
are cut on their own, an edit moves no cut outside its section.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.hashing import content_hash
from core.tokens import FINGERPRINT, count_many
from core.types import Chunk, Element, Reading, Span
from ingestion.chunk_cuts import Unit, best_cuts
from ingestion.chunk_split import first_words, split_text

MAX_TOKENS = 256  # title, heading path and special tokens included
SPECIAL_TOKENS = 2
TITLE_TOKENS = 40  # what a title may take; a longer one is cut
HEADING_TOKENS = 28  # what one heading of the path may take (there are at most three)

CHUNKER_FINGERPRINT = content_hash("chunker", "1", FINGERPRINT, str(MAX_TOKENS))[:16]


@dataclass(frozen=True, slots=True)
class _Page:
    """A page with its counts: tokens of each element, and title and headings cut to what they may take."""

    title: str
    title_tokens: int
    elements: tuple[Element, ...]
    tokens: tuple[int, ...]
    headings: dict[str, tuple[str, int]]  # heading → its text in chunks, tokens of that


def chunk_reading(reading: Reading) -> Reading:
    """Return the reading with its chunks: every element is in a chunk, split ones in several.

    A chunk's text is title, heading path and element texts, joined by newlines; a heading that the path (or the
    title) already says is not said again. The text has at most ``MAX_TOKENS`` tokens with special tokens.
    """
    page = _measure(reading)
    chunks: list[Chunk] = []
    for section in _sections(reading.elements):
        chunks += _chunk_section(page, section)
    return replace(reading, chunks=tuple(chunks))


def _measure(reading: Reading) -> _Page:
    """Count the tokens of everything on the page in one call."""
    names = list(dict.fromkeys(name for element in reading.elements for name in _path(element)))
    counts = count_many([reading.title, *(element.text for element in reading.elements), *names])
    title, title_tokens = _limited(reading.title, counts[0], TITLE_TOKENS)
    split = len(reading.elements) + 1
    return _Page(
        title=title,
        title_tokens=title_tokens,
        elements=reading.elements,
        tokens=tuple(counts[1:split]),
        headings={
            name: _limited(name, count, HEADING_TOKENS) for name, count in zip(names, counts[split:], strict=True)
        },
    )


def _limited(text: str, tokens: int, limit: int) -> tuple[str, int]:
    return (text, tokens) if tokens <= limit else first_words(text, limit)


def _path(element: Element) -> tuple[str, ...]:
    """Heading path of an element, a heading's own text included."""
    return (*element.headings, element.text) if element.is_heading else element.headings


def _sections(elements: Sequence[Element]) -> Iterator[range]:
    """Ranges of element indices; a heading with nothing below it but a lower heading joins the next section."""
    start = 0
    for index, element in enumerate(elements):
        if index == start or element.tag not in ("h1", "h2"):
            continue
        bare = all(above.is_heading for above in elements[start:index])
        if not (bare and _path(elements[index - 1]) == element.headings):
            yield range(start, index)
            start = index
    if elements:
        yield range(start, len(elements))


def _chunk_section(page: _Page, section: range) -> Iterator[Chunk]:
    units = list(_units(page, section))
    rooms = [_room(page, page.elements[unit.element]) for unit in units]
    for first, last in best_cuts(units, rooms):
        yield _chunk(page, units[first:last])


def _shown_path(page: _Page, first: Element) -> tuple[str, ...]:
    """Headings a chunk that begins with ``first`` shows above its elements, without one equal to the title."""
    path = _path(first) if first.tag in ("h1", "h2") else first.headings
    return tuple(name for name in path if name != page.title)


def _room(page: _Page, first: Element) -> int:
    """Tokens left for elements in a chunk that begins with ``first``."""
    path = sum(page.headings[name][1] for name in _shown_path(page, first))
    return MAX_TOKENS - SPECIAL_TOKENS - page.title_tokens - path


def _units(page: _Page, section: range) -> Iterator[Unit]:
    """What is packed: whole elements, and the pieces of those that are longer than a chunk."""
    for index in section:
        element, tokens = page.elements[index], page.tokens[index]
        room = _room(page, element)
        if element.tag in ("h1", "h2") and tokens > HEADING_TOKENS:
            tokens = page.headings[element.text][1]  # shown in the path only, where it is cut
        if tokens <= room:
            yield Unit(index, 0, len(element.text), tokens, _cost_before(page.elements, index, section.start))
            continue
        for number, piece in enumerate(split_text(element.text, room)):
            cost = _cost_before(page.elements, index, section.start) if number == 0 else 0.3
            yield Unit(index, piece.start, piece.end, piece.tokens, cost, piece.breaks_word)


def _cost_before(elements: Sequence[Element], index: int, start: int) -> float:
    """How much a cut right before an element hurts; an extra chunk costs 1."""
    if index == start:
        return 0.0
    element, before = elements[index], elements[index - 1]
    if before.is_heading:
        return 2.0  # a heading stays with what it heads
    if element.is_heading:
        return 0.0
    if element.lead_in == before.anchor:
        return 1.5  # a lead-in stays with its first item
    if element.lead_in is not None:
        second = index >= 2 and elements[index - 2].anchor == element.lead_in
        return 0.5 if second else 0.3
    return 0.1


def _chunk(page: _Page, units: Sequence[Unit]) -> Chunk:
    first = page.elements[units[0].element]
    parts: list[Span] = []
    for unit in units:
        anchor = page.elements[unit.element].anchor
        if parts and parts[-1].anchor == anchor:
            parts[-1] = Span(anchor, parts[-1].start, unit.end)
        else:
            parts.append(Span(anchor, unit.start, unit.end))
    by_anchor = {page.elements[unit.element].anchor: page.elements[unit.element] for unit in units}
    path = _shown_path(page, first)
    lines = [page.title, *(page.headings[name][0] for name in path)]
    said = {page.title, *path}
    for part in parts:
        element = by_anchor[part.anchor]
        if not (element.tag in ("h1", "h2") and element.text in said):
            lines.append(element.text[part.start : part.end])
    text = "\n".join(lines)
    key = first.anchor if units[0].start == 0 else f"{first.anchor}@{units[0].start}"
    headings = _path(first) if first.tag in ("h1", "h2") else first.headings
    return Chunk(key, headings, tuple(parts), text, content_hash("chunk", text))
