"""Pages that speak of two entities which no chain of facts joins."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from clausegraph.app.services.browse import Shelf
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.types import Element, Reading
from clausegraph.query.read.evidence import quote_of

_LOOKED_AT = 200  # pages that state something of either; a page that speaks of both is among the first of them
_SHOWN = 5


def pages_of_both(shelf: Shelf, first: str, second: str) -> list[dict[str, Any]]:
    """Up to five pages that state something of one entity and name both, each with the sentences that do.

    What names both at once comes first.
    """
    versions = shelf.versions()
    stated = shelf.graph.supports([fact.id for fact in shelf.graph.neighbourhood([first, second], hops=1, limit=1000)])
    places = sorted({one.page for one in stated if one.page in versions}, key=str)[:_LOOKED_AT]
    names = [_names(shelf, first), _names(shelf, second)]
    found = []
    for page in places:
        reading = shelf.reading(versions[page][0])
        quotes = _quotes(reading, *names)
        if quotes:
            found.append({"page": str(page), "title": reading.title, "quotes": quotes})
    return sorted(found, key=lambda one: (len(one["quotes"]), one["page"]))[:_SHOWN]


def _names(shelf: Shelf, key: str) -> set[str]:
    return {key, *(name for name, entity in shelf.graph.names().items() if entity == key)}


def _quotes(reading: Reading, first: Collection[str], second: Collection[str]) -> list[str]:
    """A sentence that names both, else the first of each; none where the page does not name both."""
    firsts = [one for one in reading.elements if _speaks_of(one, first)]
    seconds = [one for one in reading.elements if _speaks_of(one, second)]
    both = [one for one in firsts if one in seconds]
    told = both[:1] or (firsts[:1] + seconds[:1] if firsts and seconds else [])
    titled = f" {entity_key(reading.title)} "
    if not told and seconds and any(f" {name} " in titled for name in first):
        told = seconds[:1]
    if not told and firsts and any(f" {name} " in titled for name in second):
        told = firsts[:1]
    return [quote_of(one, 0, len(one.text)) for one in told]


def _speaks_of(element: Element, names: Collection[str]) -> bool:
    text = f" {entity_key(element.text)} "
    return not element.is_heading and any(f" {name} " in text for name in names)
