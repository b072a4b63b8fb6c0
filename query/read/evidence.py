"""Evidence: a span of a page with the sentence or item that holds it, and the context without which nobody reads it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.types import Element, Evidence, PageKey, Reading, Span

_CELLS = " | "
_MOST_ITEMS = 12  # of a list that is shown below the sentence that introduces it


def quote_of(element: Element, start: int, end: int) -> str:
    """The sentences that ``[start, end)`` touches; the whole text of an item or a row."""
    if element.tag in ("li", "tr") or element.is_heading:
        return element.text
    touched = [(s, e) for s, e in sentence_spans(element.text) if s < end and e > start]
    return element.text[touched[0][0] : touched[-1][1]] if touched else element.text


def row_text(element: Element) -> str:
    """The cells of a row, each under its header where the headers are known; the text of any other element."""
    cells = element.text.split(_CELLS)
    if element.tag != "tr" or not element.headers:
        return element.text
    if len(cells) != len(element.headers):  # a cell has a bar of its own, or spans columns
        return f"{element.text} (columns: {_CELLS.join(element.headers)})"
    named = zip(element.headers, cells, strict=True)
    return _CELLS.join(f"{header}: {cell}" if header and cell else cell for header, cell in named)


def evidence_of(page: PageKey, reading: Reading, element: Element, start: int = 0, end: int | None = None) -> Evidence:
    """Evidence for ``element.text[start:end]``."""
    stop = len(element.text) if end is None else end
    quote = quote_of(element, start, stop)
    below = _all_below(element, reading) if quote.rstrip().endswith(":") or is_header(element, reading) else []
    shown = below[:_MOST_ITEMS]
    return Evidence(
        page=page,
        title=reading.title,
        headings=element.headings,
        span=Span(element.anchor, start, stop),
        quote=quote,
        html=element.plain_html,
        updated=reading.updated,
        url=reading.url,
        lead_in=introduction(element, reading),
        items=tuple(item.text for _, item in shown),
        page_number=element.page_number,
        item_depths=tuple(depth for depth, _ in shown),
        items_left=len(below) - len(shown),
        position=next((at for at, one in enumerate(reading.elements) if one.anchor == element.anchor), 0),
    )


def introduction(element: Element, reading: Reading) -> str:
    """The last sentence of what introduces an item's list, or the header cells of a row; "" for other elements."""
    if element.tag == "tr" and any(element.headers):
        return " | ".join(element.headers)
    lead = reading.element(element.lead_in) if element.tag in ("li", "tr") else None
    if lead is None:
        return ""
    spans = sentence_spans(lead.text)
    return lead.text[spans[-1][0] :] if spans else lead.text


@dataclass(frozen=True, slots=True)
class Beside:
    """The first other items of a list or rows of a table, each with its depth below the equals of the element (0).

    ``before``: how many of them stand before the element; ``left``: how many more the list or table has.
    """

    items: tuple[tuple[int, Element], ...]
    before: int
    left: int

    def added_to(self, evidence: Evidence) -> Evidence:
        """Evidence of the element with these behind its own items."""
        return replace(
            evidence,
            items=(*evidence.items, *(other.text for _, other in self.items)),
            item_depths=(*evidence.item_depths, *(depth for depth, _ in self.items)),
            items_before=self.before,
            items_left=evidence.items_left + self.left,
        )


def beside_it(element: Element, reading: Reading) -> Beside:
    """The first other items of an item's list with those nested in them, or the first other rows of a row's table."""
    equals: list[Element] = []
    if element.tag == "tr" and any(element.headers):
        equals = table_of(element, reading)
    elif element.tag == "li" and element.lead_in:
        place = ("li", element.lead_in, element.parent)
        equals = [other for other in reading.elements if (other.tag, other.lead_in, other.parent) == place]
    own = next((at for at, other in enumerate(equals) if other.anchor == element.anchor), len(equals))
    before, after = (
        [pair for one in part for pair in [(0, one), *(_all_below(one, reading) if one.tag == "li" else [])]]
        for part in (equals[:own], equals[own + 1 :])
    )
    shown = tuple([*before, *after][:_MOST_ITEMS])
    return Beside(shown, min(len(before), len(shown)), len(before) + len(after) - len(shown))


def table_of(row: Element, reading: Reading) -> list[Element]:
    """All rows of the table that a row, or its header cells, belong to."""
    headers = row.headers if any(row.headers) else tuple(row.text.split(_CELLS)) if row.tag == "tr" else ()
    place = ("tr", headers, row.headings)
    return [other for other in reading.elements if any(headers) and (other.tag, other.headers, other.headings) == place]


def items_below(element: Element, reading: Reading) -> list[Element]:
    """The first items of the list that an element introduces, with those nested in them; of header cells the rows."""
    return [item for _, item in _all_below(element, reading)[:_MOST_ITEMS]]


def _all_below(element: Element, reading: Reading) -> list[tuple[int, Element]]:
    """What an element introduces, in the order of the page, each with its depth: 1 for its own."""
    if is_header(element, reading):
        return [(1, row) for row in table_of(element, reading)]
    depths = {element.anchor: 0}
    found = []
    for other in reading.elements:
        above = other.parent if other.parent in depths else other.lead_in
        if other.tag in ("li", "tr") and above in depths and other.anchor not in depths:
            depths[other.anchor] = depths[above] + 1
            found.append((depths[other.anchor], other))
    return found


def is_header(element: Element, reading: Reading) -> bool:
    """Whether a row only has the header cells of its table."""
    return element.tag == "tr" and not any(element.headers) and bool(table_of(element, reading))
