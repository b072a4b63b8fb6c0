"""Evidence: a span of a page with the sentence or item that holds it, and the context without which nobody reads it."""

from __future__ import annotations

from dataclasses import dataclass

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

    items: tuple[tuple[int, Element], ...] = ()
    before: int = 0
    left: int = 0


def beside_it(element: Element, reading: Reading) -> Beside:
    """The first other items of an item's list with those nested in them, or the first other rows of a row's table."""
    if element.tag == "tr" and any(element.headers):
        equals = _rows(element.headers, element, reading)
    elif element.tag == "li" and element.lead_in:
        equals = [
            e for e in reading.elements if (e.tag, e.lead_in, e.parent) == ("li", element.lead_in, element.parent)
        ]
    else:
        return Beside()
    own = next((at for at, other in enumerate(equals) if other.anchor == element.anchor), len(equals))
    before, after = ([_with_below(one, reading) for one in part] for part in (equals[:own], equals[own + 1 :]))
    first = [pair for pairs in before for pair in pairs]
    every = [*first, *(pair for pairs in after for pair in pairs)]
    shown = tuple(every[:_MOST_ITEMS])
    return Beside(shown, min(len(first), len(shown)), len(every) - len(shown))


def _with_below(item: Element, reading: Reading) -> list[tuple[int, Element]]:
    return [(0, item), *(_all_below(item, reading) if item.tag == "li" else [])]


def table_of(row: Element, reading: Reading) -> list[tuple[int, Element]]:
    """All rows of the table that a row, or its header cells, belong to, each with its depth as if it stood beside."""
    headers = tuple(row.text.split(_CELLS)) if is_header(row, reading) else row.headers
    return [(0, other) for other in _rows(headers, row, reading)] if any(headers) else []


def items_below(element: Element, reading: Reading) -> list[tuple[int, Element]]:
    """The first items of the list that an element introduces, with those nested in them, in the order of the page.

    Each with its depth, 1 for its own; of a table's header cells the rows.
    """
    return _all_below(element, reading)[:_MOST_ITEMS]


def _all_below(element: Element, reading: Reading) -> list[tuple[int, Element]]:
    if is_header(element, reading):
        return [(1, row) for row in _rows(tuple(element.text.split(_CELLS)), element, reading)]
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
    return (
        element.tag == "tr"
        and not any(element.headers)
        and bool(_rows(tuple(element.text.split(_CELLS)), element, reading))
    )


def _rows(headers: tuple[str, ...], element: Element, reading: Reading) -> list[Element]:
    return [e for e in reading.elements if (e.tag, e.headers, e.headings) == ("tr", headers, element.headings)]
