"""A page as the templates draw it: its text in blocks, a span marked, and what is stated at each element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from clausegraph.app.services.browse import FoundPage
from clausegraph.app.services.records import statement_words
from clausegraph.core.types import Element, Span
from clausegraph.indexes.derive import DEFINITIONS, statement_id

_KINDS = {"h1": "h2", "h2": "h3", "h3": "h4", "li": "list", "tr": "table"}  # the screen's title is its h1


@dataclass(frozen=True, slots=True)
class DrawnElement:
    """An element: its text before, in and after what is marked of it, its cells, and what is stated there.

    ``stated`` has a statement's id by its words, empty where it cannot be hidden; ``inner``: an item of an item's list.
    """

    anchor: str
    before: str
    marked: str
    after: str
    cells: tuple[str, ...]
    stated: Mapping[str, str]
    inner: bool


@dataclass(frozen=True, slots=True)
class DrawnBlock:
    """Elements of one kind in a row: a heading, a paragraph, a list or a table."""

    kind: str
    elements: tuple[DrawnElement, ...]


def document_view(found: FoundPage, marked: Span | None) -> dict[str, Any]:
    """What the template of a page needs."""
    reading = found.reading
    stated: dict[str, dict[str, str]] = {}
    for one in found.stated:
        at = one.statement.spans[0].anchor if one.statement.spans else ""
        own = "" if one.extractor == DEFINITIONS else statement_id(one)
        stated.setdefault(at, {}).setdefault(statement_words(one.statement), own)
    return {
        "page": found.page,
        "reading": reading,
        "blocks": list(_blocks(reading.elements, marked, stated)),
        "statements": len(found.stated),
        "missing": marked is not None and reading.element(marked.anchor) is None,
    }


def _blocks(
    elements: Sequence[Element], marked: Span | None, stated: Mapping[str, Mapping[str, str]]
) -> list[DrawnBlock]:
    made = []
    for (kind, _), run in groupby(enumerate(elements), lambda pair: _run(*pair)):
        made.append(DrawnBlock(kind, tuple(_shown(element, marked, stated) for _, element in run)))
    return made


def _run(number: int, element: Element) -> tuple[str, int]:
    """Items and rows stand together; every other element is a block of its own."""
    kind = _KINDS.get(element.tag, "p")
    return kind, -1 if kind in ("list", "table") else number


def _shown(element: Element, marked: Span | None, stated: Mapping[str, Mapping[str, str]]) -> DrawnElement:
    text, here = element.text, marked is not None and marked.anchor == element.anchor
    start, end = (marked.start, marked.end) if marked is not None and here else (len(text), len(text))
    if here and start >= min(end, len(text)):
        start, end = 0, len(text)  # no place within it is named: the whole of it
    cells = tuple(text.split(" | ")) if element.tag == "tr" and not here else ()
    said = stated.get(element.anchor, {})
    return DrawnElement(
        element.anchor, text[:start], text[start:end], text[end:], cells, said, element.parent is not None
    )
