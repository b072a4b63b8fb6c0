"""Evidence: a span of a page with the sentence or item that holds it, and the context without which nobody reads it."""

from __future__ import annotations

from clausegraph.core.language.sentences import sentence_spans
from clausegraph.core.types import Element, Evidence, PageKey, Reading, Span

_MOST_ITEMS = 10  # of a list that is shown below the sentence that introduces it


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
        items=tuple(item.text for item in items_below(element, reading)) if quote.rstrip().endswith(":") else (),
        page_number=element.page_number,
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


def beside_it(element: Element, reading: Reading) -> list[Element]:
    """The first other items of an item's list, or the first other rows of a row's table, in the order of the page."""
    if element.tag == "tr" and any(element.headers):
        whole = [
            e for e in reading.elements if (e.tag, e.headers, e.headings) == ("tr", element.headers, element.headings)
        ]
    elif element.tag == "li" and element.lead_in:
        whole = [other for other in reading.elements if other.tag == "li" and other.lead_in == element.lead_in]
    else:
        return []
    return [other for other in whole if other.anchor != element.anchor][:_MOST_ITEMS]


def items_below(element: Element, reading: Reading) -> list[Element]:
    """The first items of the list that an element introduces, with those nested in them, in the order of the page."""
    inside = {element.anchor}
    found = []
    for other in reading.elements:
        if other.tag in ("li", "tr") and (other.lead_in in inside or other.parent in inside):
            inside.add(other.anchor)
            found.append(other)
    return found[:_MOST_ITEMS]
