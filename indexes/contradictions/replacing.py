"""Pages that say of themselves that they replace another one, or that another one replaces them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.types import PageKey, Reading
from clausegraph.indexes.graph.links import page_links

_ITSELF = (
    r"\b(?:they|it|(?:this|these|the|our)(?: (?:new|old|older|updated|revised|current))?"
    r" (?:pages?|guides?|guidance|rules?|leaflets?|notice|policy|policies|version|advice|document|order|terms))\b"
)
_REPLACES = re.compile(
    rf"{_ITSELF}(?: (?:now|also|have|has))* (?:replaces?d?|supersedes?d?|takes? the place of)\b", re.IGNORECASE
)
_IS_REPLACED = re.compile(
    rf"{_ITSELF} (?:is|are|was|were|has been|have been)(?: now| being)? (?:replaced|superseded) by\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Replacement:
    """``older`` holds no more since ``newer`` does; the sentence that says so, and on which of the two."""

    older: PageKey
    newer: PageKey
    said_on: PageKey
    anchor: str
    quote: str


def replacements(readings: Mapping[PageKey, Reading]) -> Iterator[Replacement]:
    """What pages say of what replaces what, where the sentence links to the other page; each pair once."""
    texts = {(page, element.anchor): element.text for page, one in readings.items() for element in one.elements}
    seen: set[tuple[PageKey, PageKey]] = set()
    for link in page_links(readings):
        text = texts[link.page, link.anchor]
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            if link.text not in sentence:
                continue
            for pattern, pair in (
                (_REPLACES, (link.target, link.page)),
                (_IS_REPLACED, (link.page, link.target)),
            ):
                if pattern.search(sentence) and pair not in seen:
                    seen.add(pair)
                    yield Replacement(*pair, link.page, link.anchor, sentence)
