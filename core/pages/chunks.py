"""Chunks: consecutive elements of one section, within the token limit.

A section starts at each h1 and h2. Within a section the cuts are chosen together (dynamic programming over the
places where a cut is possible): as few chunks as fit, cuts where they hurt least, then even sizes. Since sections
are cut on their own, an edit moves no cut outside its section. A chunk that begins within a table
says its header again. A text longer than a chunk is split by sentences, then words, then characters.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, groupby

from clausegraph.core.hashing import content_hash
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.pages.elements import limited
from clausegraph.core.tokens import FINGERPRINT, count_many, count_tokens
from clausegraph.core.types import Chunk, Element, Reading, Span

_WORD = re.compile(r"\S+")
_MARK = re.compile(r"[!-/:-@\[-`{-~\u2010-\u2027\u4e00-\u9fff]")  # each is a word piece of its own wherever it stands


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters ``[start, end)`` of a text; ``breaks_word`` tells that it begins inside a word."""

    start: int
    end: int
    tokens: int
    breaks_word: bool = False


def split_text(text: str, limit: int) -> list[Piece]:
    """Split a text into pieces of at most ``limit`` tokens: sentences, and parts of the longer ones."""
    spans = sentence_spans(text)
    counts = _counts([text[start:end] for start, end in spans])
    pieces: list[Piece] = []
    for (start, end), tokens in zip(spans, counts, strict=True):
        pieces += [Piece(start, end, tokens)] if tokens <= limit else list(_by_words(text, start, end, limit))
    return pieces


def _counts(texts: list[str]) -> list[int]:
    """Word pieces of each text; equal ones are counted once."""
    unique = list(dict.fromkeys(texts))
    found = dict(zip(unique, count_many(unique), strict=True))
    return [found[text] for text in texts]


def first_words(text: str, limit: int) -> tuple[str, int]:
    """The longest run of first words with at most ``limit`` tokens, and its tokens."""
    first = next(_by_words(text, 0, len(text), limit))
    return text[first.start : first.end].strip(), first.tokens


def _by_words(text: str, start: int, end: int, limit: int) -> Iterator[Piece]:
    """Pack words greedily. White space separates word pieces, so the counts of words add up."""
    words = [match.span() for match in _WORD.finditer(text, start, end)]
    counts = _counts([text[a:b] for a, b in words])
    begin, until, total = start, start, 0
    for (a, b), tokens in zip(words, counts, strict=True):
        if total and total + tokens > limit:
            yield Piece(begin, until, total)
            begin, total = a, 0
        if tokens > limit:
            yield from _by_characters(text, a, b, limit)
            begin, total = b, 0
            continue
        if total == 0:
            begin = a
        until, total = b, total + tokens
    if total:
        yield Piece(begin, until, total)


def _by_characters(text: str, start: int, end: int, limit: int) -> Iterator[Piece]:
    """Halve an endless word until its parts fit; each part gets a chunk apart, since their counts do not add up."""
    marks = [match.start() for match in _MARK.finditer(text, start, end)]
    pending = [(start, end)]
    while pending:
        a, b = pending.pop()
        too_long = bisect_left(marks, b) - bisect_left(marks, a) > limit  # then nothing needs to be counted
        tokens = limit + 1 if too_long else count_tokens(text[a:b])
        if tokens <= limit or b - a == 1:
            yield Piece(a, b, tokens, breaks_word=a > start)
        else:
            middle = (a + b) // 2
            pending += [(middle, b), (a, middle)]


_PER_CHUNK = 1.0  # the unit that costs of cuts are measured in: a cut that costs more is worth an extra chunk
_UNEVENNESS = 0.5
_MOST_UNITS = 512  # in one chunk; more fit only where they have no tokens at all


@dataclass(frozen=True, slots=True)
class Unit:
    """Characters ``[start, end)`` of the element with this index, with tokens and the cost of a cut before it.

    ``must_cut`` demands a cut before it.
    """

    element: int
    start: int
    end: int
    tokens: int
    cut_cost: float
    must_cut: bool = False


def best_cuts(units: Sequence[Unit], rooms: Sequence[int]) -> list[tuple[int, int]]:
    """Pack units into chunks ``[first, last)`` of least total cost.

    ``rooms[i]`` is how many tokens a chunk that begins with unit ``i`` can hold. A chunk costs a constant, the cut
    before it, and the square of the share of its room left empty. Ties go to the later cut.
    """
    best = [0.0] + [float("inf")] * len(units)
    came_from = [0] * (len(units) + 1)
    before = [0, *accumulate(unit.tokens for unit in units)]  # tokens before each unit, and of all
    runs = _run_ends(units)
    for first, room in enumerate(rooms):
        start = before[first]
        limit = min(runs[first], first + _MOST_UNITS)
        too_much = max(first + 2, bisect_right(before, start + room, first + 1, limit + 1))
        base = best[first] + _PER_CHUNK + units[first].cut_cost
        losses = _losses(room, max(room, units[first].tokens))
        for last in range(first + 1, too_much):
            cost = base + losses[before[last] - start]
            if cost <= best[last]:
                best[last], came_from[last] = cost, first
    cuts: list[tuple[int, int]] = []
    last = len(units)
    while last > 0:
        cuts.append((came_from[last], last))
        last = came_from[last]
    return cuts[::-1]


def _run_ends(units: Sequence[Unit]) -> list[int]:
    """By first unit: where the next cut is demanded at the latest."""
    ends = [len(units)] * len(units)
    for index in range(len(units) - 2, -1, -1):
        ends[index] = index + 1 if units[index + 1].must_cut else ends[index + 1]
    return ends


@lru_cache(maxsize=1024)
def _losses(room: int, most: int) -> list[float]:
    """Cost of the room left empty, by the tokens that are used of it, 0 to ``most``."""
    return [_UNEVENNESS * empty * empty for empty in (max(0.0, 1 - tokens / room) for tokens in range(most + 1))]


MAX_TOKENS = 256  # title, heading path and special tokens included
SPECIAL_TOKENS = 2
TITLE_TOKENS = 40  # what a title may take; a longer one is cut
HEADING_TOKENS = 28  # what one heading of the path may take (there are at most five)

_MAX_HEAD_CELLS = 20  # of a table whose header is repeated where it is cut
_MAX_HEAD_SHARE = 0.5  # of the room of a chunk that the repeated header may take
_SECTION_TAGS = ("h1", "h2")
_COST_WITHIN = 0.3  # of a cut between two sentences of a split element

CHUNKER_FINGERPRINT = content_hash("chunker", "3", FINGERPRINT, str(MAX_TOKENS))[:16]


@dataclass(frozen=True, slots=True)
class _Page:
    """A page with its counts: tokens of each element, and title and headings cut to what they may take."""

    full_title: str
    title: str
    title_tokens: int
    elements: tuple[Element, ...]
    tokens: tuple[int, ...]
    headings: dict[str, tuple[str, int]]  # heading → its text in chunks, tokens of that
    table_heads: dict[tuple[str, ...], tuple[str, int]]  # headers of a row → one line of them, tokens of that


def chunk_reading(reading: Reading) -> Reading:
    """Return the reading with its chunks: every element is in a chunk, split ones in several.

    A chunk's text is title, heading path and element texts, joined by newlines. The section's own h1 and h2 are parts
    of its first chunk, but their text is said once, in the path, and not at all where it equals the title. The text
    has at most ``MAX_TOKENS`` tokens, special tokens included.
    """
    page = _measure(reading)
    chunks: list[Chunk] = []
    for section in _sections(reading.elements):
        chunks += _chunk_section(page, section)
    return replace(reading, chunks=tuple(chunks))


def _measure(reading: Reading) -> _Page:
    """Count the tokens of everything on the page in one call."""
    names = list(dict.fromkeys(name for element in reading.elements for name in _path(element)))
    heads = list(dict.fromkeys(element.headers for element in reading.elements if _has_head(element)))
    lines = [limited(" | ".join(head)) for head in heads]
    counts = count_many([reading.title, *(element.text for element in reading.elements), *names, *lines])
    title, title_tokens = _limited(reading.title, counts[0], TITLE_TOKENS)
    split = len(reading.elements) + 1
    end = split + len(names)
    return _Page(
        full_title=reading.title,
        title=title,
        title_tokens=title_tokens,
        elements=reading.elements,
        tokens=tuple(counts[1:split]),
        headings={
            name: _limited(name, count, HEADING_TOKENS) for name, count in zip(names, counts[split:end], strict=True)
        },
        table_heads={head: (line, count) for head, line, count in zip(heads, lines, counts[end:], strict=True)},
    )


def _has_head(element: Element) -> bool:
    return element.tag == "tr" and any(element.headers) and len(element.headers) <= _MAX_HEAD_CELLS


def _limited(text: str, tokens: int, limit: int) -> tuple[str, int]:
    return (text, tokens) if tokens <= limit else first_words(text, limit)


def _path(element: Element) -> tuple[str, ...]:
    """Heading path of an element, a heading's own text included."""
    return (*element.headings, element.text) if element.is_heading else element.headings


def _sections(elements: Sequence[Element]) -> Iterator[range]:
    """Ranges of element indices; a heading with nothing below it but a lower heading joins the next section."""
    start = 0
    for index, element in enumerate(elements):
        if index == start or element.tag not in _SECTION_TAGS:
            continue
        bare = all(above.is_heading for above in elements[start:index])
        if not (bare and _path(elements[index - 1]) == element.headings):
            yield range(start, index)
            start = index
    if elements:
        yield range(start, len(elements))


def _chunk_section(page: _Page, section: range) -> Iterator[Chunk]:
    units = list(_units(page, section))
    paths = [_chunk_path(page, section, unit) for unit in units]
    rooms = [_room(page, path) for path in paths]
    heads = [_head(page, unit, room) for unit, room in zip(units, rooms, strict=True)]
    for first, last in best_cuts(units, [room - tokens for room, (_, tokens) in zip(rooms, heads, strict=True)]):
        yield _chunk(page, units[first:last], paths[first], heads[first][0])


def _head(page: _Page, first: Unit, room: int) -> tuple[str, int]:
    """The header line of a chunk that begins within a table, and its tokens; none where there is too little room."""
    element = page.elements[first.element]
    line, tokens = page.table_heads[element.headers] if _has_head(element) else ("", 0)
    fits = tokens <= _MAX_HEAD_SHARE * room and first.tokens + tokens <= room
    return (line, tokens) if fits else ("", 0)


def _chunk_path(page: _Page, section: range, first: Unit) -> tuple[str, ...]:
    """Heading path of a chunk that begins with a unit: with the section's own headings, where it begins with them."""
    if page.elements[first.element].tag not in _SECTION_TAGS:
        return page.elements[first.element].headings
    last = max(index for index in section if page.elements[index].tag in _SECTION_TAGS)
    return _path(page.elements[last])


def _shown(page: _Page, path: Sequence[str]) -> list[str]:
    """Headings of a path that a chunk's text shows: all but those that say the title again."""
    return [name for name in path if name != page.full_title]


def _room(page: _Page, path: Sequence[str]) -> int:
    """Tokens left for elements in a chunk with this heading path; at least 70."""
    return MAX_TOKENS - SPECIAL_TOKENS - page.title_tokens - sum(page.headings[name][1] for name in _shown(page, path))


def _units(page: _Page, section: range) -> Iterator[Unit]:
    """What is packed: whole elements, and the pieces of those that are longer than a chunk.

    The h1 and h2 of a section take no room of their own: their text stands in the heading path.
    """
    for index in section:
        element = page.elements[index]
        tokens = 0 if element.tag in _SECTION_TAGS else page.tokens[index]
        cost = _cost_before(page.elements, index, section.start)
        room = _room(page, element.headings)
        if tokens <= room:
            yield Unit(index, 0, len(element.text), tokens, cost)
            continue
        for piece in split_text(element.text, room):
            piece_cost = cost if piece.start == 0 else _COST_WITHIN
            yield Unit(index, piece.start, piece.end, piece.tokens, piece_cost, piece.breaks_word)


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


def _chunk(page: _Page, units: Sequence[Unit], path: tuple[str, ...], head: str) -> Chunk:
    lines = [page.title, *(page.headings[name][0] for name in _shown(page, path)), *([head] if head else [])]
    parts: list[Span] = []
    for element, pieces in groupby(units, key=lambda unit: page.elements[unit.element]):
        run = list(pieces)
        parts.append(Span(element.anchor, run[0].start, run[-1].end))
        if element.tag not in _SECTION_TAGS:
            lines.append(element.text[run[0].start : run[-1].end])
    text = "\n".join(lines)
    start = units[0].start
    key = parts[0].anchor if start == 0 else f"{parts[0].anchor}@{start}"
    return Chunk(key, path, tuple(parts), text, content_hash("chunk", text))
