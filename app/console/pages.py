"""Pages as they were read, with what is stated and ruled beside the text, their versions, and rules by topic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Any

from fastapi import Query
from pydantic import BeforeValidator
from starlette.responses import Response

from clausegraph.app.api.parameters import EpochQuery
from clausegraph.app.api.problems import SCREENS, hinted
from clausegraph.app.console.exploring import OptionalEpoch
from clausegraph.app.console.screen import TEMPLATES, OfScreen, router
from clausegraph.app.services import Key
from clausegraph.app.services.browse import FoundPage, Shelf, open_shelf
from clausegraph.app.services.changes import SAME, ComparedElement, compare_versions
from clausegraph.app.services.exploration import largest
from clausegraph.app.services.explore import page_slice
from clausegraph.app.services.records import ShownRule, statement_words
from clausegraph.app.services.rules import by_place, find_rules
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.types import Element, RuleKind, Span
from clausegraph.indexes.derive import statement_id


@dataclass(frozen=True)
class ShownCell:
    """A cell of a row as the page has it; ``parts``: words, whether they are marked, and are the first marked."""

    tag: str
    columns: int
    rows: int
    scope: str
    parts: list[tuple[str, bool, bool]]


def cells(row: Element, marked: Span | None) -> Iterator[ShownCell]:
    """The cells of a row with the columns and rows that each spans; of a marked row, the words that are marked."""
    from lxml import html

    from clausegraph.core.pages.markup import span_of

    place = marked if marked is not None and marked.anchor == row.anchor else None
    whole = place is not None and not place.start < min(place.end, len(row.text))
    begin, end = (0, 0) if place is None else (place.start, place.end)
    found_cells = html.fragment_fromstring(f"<table>{row.html}</table>").xpath("(.//tr)[1]/*[self::td or self::th]")
    if not found_cells:  # a format without cells: its text is shown all the same
        yield ShownCell("td", 1, 1, "", [(row.text, place is not None, True)])
    at, is_first = 0, True
    for cell in found_cells:
        words = " ".join(cell.text_content().split())
        found = row.text.find(words, at)
        start = at if found < 0 else found
        at = start + len(words) if found >= 0 else at
        low, high = (min(max(edge - start, 0), len(words)) for edge in ((begin, end) if found >= 0 else (0, 0)))
        low, high = (0, len(words)) if whole else (low, high)
        parts = [(words[:low], False, False), (words[low:high], True, is_first), (words[high:], False, False)]
        is_first = is_first and low == high
        tag = "th" if cell.tag == "th" and words else "td"
        columns, rows = (span_of(cell, name, _SPANNED) for name in ("colspan", "rowspan"))
        scope = "" if tag == "td" else "row" if row.headers else "colgroup" if columns > 1 else "col"
        yield ShownCell(tag, columns, rows, scope, [part for part in parts if part[0]])


TEMPLATES.globals["cells"] = cells
_SPANNED = 1000  # columns or rows of a cell at most
_KINDS = {"h1": "h2", "h2": "h3", "h3": "h4", "li": "list", "tr": "table"}  # the screen's title is its h1


def document_view(found: FoundPage, marked: Span | None) -> dict[str, Any]:
    """What the template of a page needs; its elements in blocks of one kind: a heading, paragraph, list or table.

    ``stated`` has, by anchor, a statement's id by its words; ``ruled`` the rules.
    """
    stated: dict[str, dict[str, str]] = {}
    for one in found.stated:
        at = one.statement.spans[0].anchor if one.statement.spans else ""
        stated.setdefault(at, {}).setdefault(statement_words(one.statement), statement_id(one))
    ruled: dict[str, list[ShownRule]] = {}
    for rule in found.shown_rules:
        ruled.setdefault(rule.anchor, []).append(rule)

    def block(numbered: tuple[int, Element]) -> tuple[str, int]:
        """Items and rows stand together; every other element is a block of its own."""
        number, element = numbered
        kind = _KINDS.get(element.tag, "p")
        if kind == "table" and not element.headers and number and elements[number - 1].headers:
            tables.append(number)  # a header row after others: the next table, into which no cell reaches down
        return kind, -1 - len(tables) if kind in ("list", "table") else number

    elements, tables = found.reading.elements, list[int]()
    runs = groupby(enumerate(elements), block)
    blocks = [(kind, [element for _, element in run]) for (kind, _), run in runs]
    return {"found": found, "marked": marked, "blocks": blocks, "stated": stated, "ruled": ruled}


routes = router()
_PAGES = 100  # of one screen
_BESIDE = 4  # elements in a row that are the same, at most, before they are told as a number
_Version = Annotated[int | None, Query(ge=1, le=10**15)]
_Place = Annotated[int, Query(ge=0, le=10**9)]
_Wanted = Annotated[str, Query(min_length=1, max_length=5000)]
_FIRST, _MOST = 50, 1000  # rules of a topic, at first and at most
_Name = Annotated[str, Query(max_length=500)]
_Page = Annotated[str, Query(max_length=5000)]
_Kind = Annotated[RuleKind | None, BeforeValidator(lambda text: text or None), Query()]


@routes.get("/c/{corpus}/pages")
async def pages(
    of: OfScreen, epoch: EpochQuery = None, source: Annotated[str, Query(max_length=500)] = "", after: _Page = ""
) -> Response:
    """The pages of an epoch by source and uri, so many at once; from after the page ``after`` of a ``source`` on."""
    number = (await of.run(_shelf, epoch)).epoch
    key: Key | None = [source, after] if after else None
    found = await of.run(page_slice, number, _PAGES, key)
    return of.html("pages.html", screen="pages", found=found, at=number, epoch=epoch, begun=key is None)


def _shelf(workspace: Workspace, corpus: str, epoch: int | None) -> Shelf:
    return open_shelf(workspace.ledger, corpus, epoch)


@routes.get("/c/{corpus}/page")
async def page(
    of: OfScreen, name: _Wanted, epoch: EpochQuery = None,
    anchor: Annotated[str, Query(max_length=200)] = "", start: _Place = 0, end: _Place = 0,
) -> Response:  # fmt: skip
    """The text of a page as the epoch has it, with a span of it marked, and what is stated at each element."""
    shelf: Shelf = await of.run(_shelf, epoch)
    found = await of.held.reads.run(lambda: shelf.found_page(*shelf.page(name)))
    marked = Span(anchor, start, end) if anchor else None
    return of.html("page.html", screen="pages", epoch=shelf.epoch, **document_view(found, marked))


@routes.get("/c/{corpus}/versions")
async def versions(
    of: OfScreen, name: _Wanted, version: _Version = None,
    against: Annotated[int | None, Query(alias="with", ge=1, le=10**15)] = None,
) -> Response:  # fmt: skip
    """The versions of a page, and two of them beside each other: ``version`` is the older, ``with`` the newer."""
    source, _, uri = name.partition(":") if ":" in name else (None, "", name)
    found = await of.run(compare_versions, uri, source, version, against)
    return of.html("versions.html", screen="pages", found=found, rows=list(_folded(found.elements)))


def _folded(elements: list[ComparedElement]) -> Iterator[ComparedElement | dict[str, Any]]:
    """The rows with long runs of what is the same told as a number; one on each side of what differs stays."""
    for same, run in groupby(elements, key=lambda row: row.kind == SAME):
        rows = list(run)
        if not same or len(rows) <= _BESIDE:
            yield from rows
            continue
        yield rows[0]
        yield {"kind": "folded", "count": len(rows) - 2}
        yield rows[-1]


@routes.get("/c/{corpus}/rules")
async def rules(
    of: OfScreen, topic: _Page = "", kind: _Kind = None, role: _Name = "", epoch: OptionalEpoch = None,
    most: Annotated[int, Query(ge=1, le=_MOST)] = _FIRST,
) -> Response:  # fmt: skip
    """What the pages rule about a topic, by page and section; without one, the entities of the most rules."""
    at, found, lost = (await of.run(_shelf, epoch)).epoch, None, ""
    if topic.strip():
        try:
            found = await of.run(find_rules, topic, kind=kind, role=role.strip() or None, limit=most, epoch=at)
        except NotFoundError as error:  # the topic: the epoch is there
            lost = hinted(error.afar, SCREENS)
    shown: dict[str, Any] = {"found": found, "lost": lost, "pages": by_place(found.rules) if found else []}
    shown["largest"] = [] if found else await of.run(largest, at)
    shown |= {"at": at, "kinds": list(RuleKind), "most": _MOST}
    asked = {"topic": topic, "kind": kind, "role": role, "epoch": epoch}
    return of.html("rules.html", 404 if lost else 200, screen="rules", **shown, **asked)
