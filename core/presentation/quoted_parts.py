"""Quotes of pages as lines: a list below what introduces it, a table's rows below its heads, all in page order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from clausegraph.core.text import counted, one_line
from clausegraph.core.types import Evidence


class LineKind(StrEnum):
    """How a line is shown."""

    SENTENCE = "sentence"
    ITEM = "item"  # of a list, indented by its depth
    CONDITION = "condition"  # of the sentence above, with its mark, indented by its depth
    QUOTE = "quote"  # the page's own words
    NOTE = "note"  # what is doubted, missing or disputed
    PLACE = "place"  # title and section that the quotes below it are from


@dataclass(frozen=True, slots=True)
class PresentedTableRow:
    """A row of a table. ``number`` is that of its quote, 0 for a neighbour.

    ``note`` says how many rows are left out at this place; such a row has no cells.
    """

    cells: tuple[str, ...] = ()
    number: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class PresentedTable:
    """Rows of a table of a page in their order, below their column heads; a row has a cell for each head.

    ``place`` is the section that it stands in, "" where a line above names it; ``number`` is that of a quote of the
    heads, 0 where there is none.
    """

    heads: tuple[str, ...]
    rows: tuple[PresentedTableRow, ...]
    place: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class PresentedLine:
    """A line of an answer with the numbers of the quotes that it rests on.

    ``table``: where tables can be shown, it stands in the place of this line and of the next ones that are
    ``is_in_table``.
    """

    kind: LineKind
    text: str
    citations: tuple[int, ...] = ()
    depth: int = 0
    calculations: tuple[str, ...] = ()
    table: PresentedTable | None = None
    is_in_table: bool = False


CELLS = " | "  # between the cells of a row
_LEFT_OUT = " … "  # between parts of an element that are quoted as one
_OUTER_TAGS = re.compile(r"^<\w+>|</\w+>$")
_SHORT_TABLE = 40  # words of a table that is told whole where only words can be shown
_NEIGHBOURS = 2  # rows that a table shows on each side of a cited one

Nested = tuple[int, str]  # depth and text of an item


@dataclass(frozen=True, slots=True)
class Citation:
    """A numbered quote. ``is_shown``: its words stand above already, so only its place is told."""

    number: int
    evidence: Evidence
    is_shown: bool = False


def place_of(evidence: Evidence) -> list[str]:
    """Title and headings of a place, and its page in a document with pages."""
    headings = [heading for heading in evidence.headings if heading != evidence.title]
    page = [] if evidence.page_number is None else [f"page {evidence.page_number}"]
    return [one_line(part) for part in (evidence.title or str(evidence.page), *headings, *page)]


def lists(evidence: Evidence, other: Evidence) -> bool:
    """Whether another quote is among the items that evidence has."""
    return (evidence.page, evidence.headings) == (other.page, other.headings) and other.quote in evidence.items


def is_row(evidence: Evidence) -> bool:
    """Whether a quote is a row of a table whose lead-in is its column heads."""
    return evidence.html.startswith("<tr") and bool(evidence.lead_in)


def is_heads(evidence: Evidence) -> bool:
    """Whether a quote is the column heads of a table, whose rows are its items."""
    return evidence.html.startswith("<tr") and not evidence.lead_in and bool(evidence.items)


def joined(one: Evidence, other: Evidence) -> Evidence:
    """Two quotes of an element as one, in the order of the page; what lies between them is left out."""
    first, second = sorted((one, other), key=lambda quoted: quoted.span.start)
    listing = max((one, other), key=lambda quoted: len(quoted.items))
    return replace(
        first,
        span=replace(first.span, end=max(first.span.end, second.span.end)),
        quote=_joined_words(first, second),
        items=listing.items,
        item_depths=listing.item_depths,
        items_before=listing.items_before,
        items_left=listing.items_left,
    )


def _joined_words(first: Evidence, second: Evidence) -> str:
    """The words of two quotes by their places in the element, each once."""
    text = _OUTER_TAGS.sub("", first.html)
    parts = list(dict.fromkeys(part for quoted in (first, second) for part in quoted.quote.split(_LEFT_OUT)))
    places = sorted((text.find(part), text.find(part) + len(part)) for part in parts)
    if places[0][0] < 0:  # the element is another text than its quotes
        return _LEFT_OUT.join(parts)
    runs = [places[0]]
    for start, end in places[1:]:
        if text[runs[-1][1] : start].strip():
            runs.append((start, end))
        else:
            runs[-1] = runs[-1][0], max(runs[-1][1], end)
    return _LEFT_OUT.join(text[start:end] for start, end in runs)


def quoted_lines(evidence: Evidence, number: int) -> Iterator[PresentedLine]:
    """All that evidence has of a place, in page order: the quote with its number, what introduces it, what is beside
    it and below it, and how much more there is."""
    if is_row(evidence) or is_heads(evidence):
        yield from _whole_table(evidence, number)
        return
    before, below, after = _around(evidence)
    depth = 0
    if _lead_in(evidence):
        yield _quote(_lead_in(evidence))
        depth = 1
    yield from (_quote(text, depth=depth + under) for under, text in before)
    yield _quote(evidence.quote, number, depth)
    yield from (_quote(text, depth=depth + under) for under, text in (*below, *after))
    if evidence.items_left:
        yield PresentedLine(LineKind.NOTE, f"and {evidence.items_left} more in the list", (), depth or 1)


def source_lines(citations: Sequence[Citation], known: Sequence[Evidence]) -> Iterator[PresentedLine]:
    """The quotes of a page that are not shown above, by number; those of one list or table together, in page order.

    Args:
        known: all evidence of the answer, of which neighbours of a table's rows are taken.
    """
    unseen = [one for one in citations if not one.is_shown]
    groups: dict[tuple[object, ...], list[Citation]] = {}
    for citation in unseen:
        groups.setdefault(_group(citation.evidence, unseen), []).append(citation)
    for group in groups.values():
        group.sort(key=lambda one: (one.evidence.position, one.number))
        first = group[0].evidence
        if is_row(first) or is_heads(first):
            yield from _cited_rows(group, known)
        else:
            yield from _cited_items(group)


def _group(evidence: Evidence, citations: Sequence[Citation]) -> tuple[object, ...]:
    """What quotes have in common that are shown together: the outermost cited list, or the table, that they are of."""
    if is_row(evidence) or is_heads(evidence):
        return "table", evidence.headings, _heads_of(evidence)
    root, seen = evidence, {evidence.span.anchor}
    while True:
        above = (one.evidence for one in citations if one.evidence.span.anchor not in seen)
        opening = next((one for one in above if _opens(one, root)), None)
        if opening is None:
            break
        root = opening
        seen.add(root.span.anchor)
    return ("list", root.headings, root.lead_in) if _lead_in(root) else ("element", root.span.anchor)


def _opens(evidence: Evidence, item: Evidence) -> bool:
    """Whether evidence introduces the list that an item is of."""
    if evidence.headings != item.headings or is_row(item) or is_heads(evidence):
        return False
    return (bool(item.lead_in) and item.lead_in in evidence.quote) or item.quote in _listed_by(evidence)


def _listed_by(evidence: Evidence) -> list[str]:
    """The items of the list that a quote introduces."""
    return [text for _, text in _around(evidence)[1]] if evidence.quote.rstrip().endswith(":") else []


def _cited_items(group: Sequence[Citation]) -> Iterator[PresentedLine]:
    """Quotes of one list: what introduces it with all its items, or single items; each with its number."""
    listed: set[str] = set()
    left = 0
    for at, one in enumerate(group):
        evidence, later = one.evidence, group[at + 1 :]
        if evidence.quote in listed:
            continue
        is_below = any(_opens(other.evidence, evidence) for other in group[:at])
        opened = f"{_section(evidence)}{_excerpt(evidence)}" if at == 0 else "" if is_below else "… "
        yield _quote(evidence.quote, one.number, int(is_below), opened)
        texts = _listed_by(evidence)
        numbers = {other.evidence.quote: other.number for other in later}
        for depth, text in _around(evidence)[1] if texts else ():
            yield _quote(text, numbers.get(text, 0), depth + int(is_below))
        beyond = [other for other in later if _opens(evidence, other.evidence) and other.evidence.quote not in texts]
        left += max(0, evidence.items_left - len(beyond)) if texts else 0
        listed |= set(texts)
    if left:
        yield PresentedLine(LineKind.NOTE, f"and {left} more in the list", (), 1)


def _cited_rows(group: Sequence[Citation], known: Sequence[Evidence]) -> Iterator[PresentedLine]:
    """Quotes of one table: each row in words, and the table with neighbours of these rows; of its heads all rows."""
    first = group[0].evidence
    of_heads = next((one.number for one in group if is_heads(one.evidence)), 0)
    cited = {one.evidence.quote: one for one in group if is_row(one.evidence)}
    rows, left = _rows_known(first, known)
    places = [at for at, text in enumerate(rows) if text in cited]
    near = {near for at in places for near in range(at - _NEIGHBOURS, at + _NEIGHBOURS + 1)}
    entries: list[PresentedTableRow] = []
    before = -1
    for at, text in enumerate(rows):
        if of_heads or at in near:
            entries += _gap(at - before - 1)
            entries.append(_table_row(text, cited[text].number if text in cited else 0))
            before = at
    beyond = [one for text, one in cited.items() if text not in rows]
    for at, one in enumerate(beyond):
        entries += _gap(one.evidence.position - beyond[at - 1].evidence.position - 1 if at and not rows else 0)
        entries.append(_table_row(one.evidence.quote, one.number))
    more = len(rows) - before - 1 + left - len(beyond) if rows else 0
    entries += _rest(more)
    named = entries if of_heads else [entry for entry in entries if entry.number]
    yield from _table_lines(_heads_of(first), entries, named, _section(first), of_heads)


def _whole_table(evidence: Evidence, number: int) -> Iterator[PresentedLine]:
    """A table; where only words can be shown and it is long, the row that is quoted, and how many more there are."""
    before, below, after = _around(evidence)
    own = [_table_row(evidence.quote, number)] if is_row(evidence) else []
    entries = [*(_table_row(text) for _, text in before), *own, *(_table_row(text) for _, text in (*below, *after))]
    columns = _cells(_heads_of(evidence))
    rows = len(entries) + evidence.items_left
    words = sum(len(_row_words(columns, one.cells).split()) for one in entries)
    entries += _rest(evidence.items_left)
    named = [*own, *_rest(rows - 1)] if own and (words > _SHORT_TABLE or evidence.items_left) else entries
    yield from _table_lines(_heads_of(evidence), entries, named, "", 0 if own else number)


def _table_row(text: str, number: int = 0) -> PresentedTableRow:
    """A row of a page with the number of its quote."""
    return PresentedTableRow(_cells(text), number)


def _cells(row: str) -> tuple[str, ...]:
    return tuple(map(one_line, row.split(CELLS)))


def _gap(count: int) -> list[PresentedTableRow]:
    return [PresentedTableRow(note=f"… {counted(count, 'more row')} …")] if count > 0 else []


def _rest(count: int) -> list[PresentedTableRow]:
    return [PresentedTableRow(note=f"and {counted(count, 'more row')} in the table")] if count > 0 else []


def _rows_known(row: Evidence, known: Sequence[Evidence]) -> tuple[list[str], int]:
    """The rows of a table that any evidence has, in page order, and how many more it says there are."""
    best: tuple[list[str], int] = [], 0
    place = row.page, row.headings, _heads_of(row)
    for one in known:
        if not (is_row(one) or is_heads(one)) or (one.page, one.headings, _heads_of(one)) != place or not one.items:
            continue
        before, below, after = _around(one)
        own = [(0, one.quote)] if is_row(one) else []
        texts = [text for _, text in (*before, *own, *below, *after)]
        if len(texts) > len(best[0]):
            best = texts, one.items_left
    return best


def _table_lines(
    heads: str, entries: Sequence[PresentedTableRow], named: Sequence[PresentedTableRow], section: str, number: int
) -> Iterator[PresentedLine]:
    """Rows in words, each cell under its head, the first with the table of all entries.

    There is no table where a row has not as many cells as there are heads.
    """
    columns = _cells(heads)
    is_table = all(one.note or len(one.cells) == len(columns) for one in entries)
    table = PresentedTable(columns, tuple(entries), section.removesuffix(": "), number) if is_table else None
    lines = [_quote(", ".join(filter(None, heads.split(CELLS))), number)] if number else []
    for one in named:
        depth = 1 if number else 0
        note = PresentedLine(LineKind.NOTE, one.note, (), depth)
        lines.append(note if one.note else _quote(_row_words(columns, one.cells), one.number, depth))
    for at, line in enumerate(lines):
        opened = replace(line, text=f"{section}{line.text}", table=table) if at == 0 else line
        yield replace(opened, is_in_table=is_table)


def _row_words(columns: Sequence[str], cells: Sequence[str]) -> str:
    """A table's row in words: each cell under its column head."""
    if len(columns) != len(cells):
        return CELLS.join(cells)
    pairs = (f"{head}: {cell}" if head else cell for head, cell in zip(columns, cells, strict=True) if cell)
    return "; ".join(pairs)


def _around(evidence: Evidence) -> tuple[tuple[Nested, ...], tuple[Nested, ...], tuple[Nested, ...]]:
    """The items beside a quote that stand before it, those of its own list, and those beside it that follow."""
    items = evidence.nested_items
    own = next((at for at, (depth, _) in enumerate(items) if depth == 0), len(items))
    below, beside = items[:own], items[own:]
    return beside[: evidence.items_before], below, beside[evidence.items_before :]


def _heads_of(evidence: Evidence) -> str:
    return evidence.quote if is_heads(evidence) else evidence.lead_in


def _lead_in(evidence: Evidence) -> str:
    return "" if evidence.lead_in == evidence.quote else evidence.lead_in


def _section(evidence: Evidence) -> str:
    section = " › ".join(place_of(evidence)[1:])
    return f"{section}: " if section else ""


def _excerpt(evidence: Evidence) -> str:
    """What introduces a quote, where it does not stand above it already."""
    return f"“{one_line(_lead_in(evidence))}” … " if _lead_in(evidence) else ""


def _quote(text: str, number: int = 0, depth: int = 0, before: str = "") -> PresentedLine:
    return PresentedLine(LineKind.QUOTE, f"{before}“{one_line(text)}”", (number,) if number else (), depth)
