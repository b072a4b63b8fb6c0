"""What the pages say, where nothing is asserted: the three best places, each whole: a list, a table, some sentences.

In the order of the search: on the sample corpus' questions a deciding element is among three of them for 84%, in the
order of shared words for 79% at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clausegraph.core.language.sentences import sentence_spans
from clausegraph.core.types import Element, Evidence, PageKey
from clausegraph.query.read.answers import Asked
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.evidence import beside_it, evidence_of
from clausegraph.query.read.statements import overlap

MOST = 3
_SHORT = 320  # characters of a paragraph that is quoted whole


def quotes(asked: Asked, ranked: Sequence[Candidate], most: int = MOST) -> tuple[Evidence, ...]:
    """The ``most`` best places, none of which another one shows already; an item brings its list, a row its table."""
    found: list[Evidence] = []
    shown: set[tuple[PageKey, str | None]] = set()
    for candidate in ranked:
        element, page = candidate.element, candidate.page
        if len(found) == most:
            break
        if element.is_heading or not element.text.strip() or {(page, element.anchor), (page, element.lead_in)} & shown:
            continue
        reading = asked.pages(page)
        quoted = evidence_of(page, reading, element, *_best_part(asked, element))
        beside = beside_it(element, reading)
        found.append(replace(quoted, items=quoted.items or tuple(other.text for other in beside)))
        shown |= {(page, anchor) for anchor in (element.anchor, element.lead_in, element.parent) if anchor}
        shown |= {(page, other.anchor) for other in beside}
    return tuple(found)


def _best_part(asked: Asked, element: Element) -> tuple[int, int]:
    """All of a short element, else the sentence with most of the question's words and the one after it."""
    spans = sentence_spans(element.text)
    if len(element.text) <= _SHORT or len(spans) < 3:
        return 0, len(element.text)
    best = max(range(len(spans)), key=lambda i: (overlap(asked.words, element.text[slice(*spans[i])]), -i))
    return spans[best][0], spans[min(best + 1, len(spans) - 1)][1]
