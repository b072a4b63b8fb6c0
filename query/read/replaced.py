"""Pages that another page says it replaces: "These rules replace the ones in our older Boat Help guide"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.types import PageKey, Reading
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.protocol import Pages
from clausegraph.query.read.word_match import missing_terms, terms

_REPLACES = re.compile(
    r"\b(?P<by>(?:has|have|been|was|were|is|are) (?:now )?(?:replaced|superseded) by)\b"
    r"|\b(?:replaces?|supersedes?|replaced|superseded)\b",
    re.IGNORECASE,
)
_HEAD = re.compile(r"\s*[:–—|]\s+|\s+-\s+")


def replaced_pages(ranked: Sequence[Candidate], pages: Pages) -> dict[PageKey, Candidate]:
    """Those pages of the candidates that one of the others says it replaces, each with the place that says so."""
    keys = list(dict.fromkeys(candidate.page for candidate in ranked))
    saying = [place for key in keys for place in _saying(key, pages(key))]
    found: dict[PageKey, Candidate] = {}
    for place, sentence in saying:
        for key in keys:
            if key != place.page and is_called(pages(key), sentence) and _is_older(pages(key), pages(place.page)):
                found.setdefault(key, place)
    return found


def _saying(key: PageKey, reading: Reading) -> list[tuple[Candidate, str]]:
    """The places of a page at which it says that its rules replace others, with the sentence."""
    return [
        (Candidate(key, element, 0.0, None), element.text[start:end])
        for element in reading.elements
        if not element.is_heading and _REPLACES.search(element.text)
        for start, end in sentence_spans(element.text)
        if (found := _REPLACES.search(element.text, start, end)) is not None and not found["by"]
    ]


def is_called(reading: Reading, text: str) -> bool:
    """Whether a text calls a page by the first part of its title, of two words at least."""
    words = terms(_HEAD.split(reading.title or "")[0])
    return len(words) > 1 and not missing_terms(words, text)


def _is_older(page: Reading, than: Reading) -> bool:
    return page.updated is None or than.updated is None or page.updated <= than.updated
