"""Evidence: a span of a page with the sentence or item that holds it."""

from __future__ import annotations

from clausegraph.core.language.sentences import sentence_spans
from clausegraph.core.types import Element, Evidence, PageKey, Reading, Span


def quote_of(element: Element, start: int, end: int) -> str:
    """The sentences that ``[start, end)`` touches; the whole text of an item or a row."""
    if element.tag in ("li", "tr") or element.is_heading:
        return element.text
    touched = [(s, e) for s, e in sentence_spans(element.text) if s < end and e > start]
    return element.text[touched[0][0] : touched[-1][1]] if touched else element.text


def evidence_of(page: PageKey, reading: Reading, element: Element, start: int = 0, end: int | None = None) -> Evidence:
    """Evidence for ``element.text[start:end]``."""
    stop = len(element.text) if end is None else end
    return Evidence(
        page=page,
        title=reading.title,
        headings=element.headings,
        span=Span(element.anchor, start, stop),
        quote=quote_of(element, start, stop),
        html=element.plain_html,
        updated=reading.updated,
        url=reading.url,
    )
