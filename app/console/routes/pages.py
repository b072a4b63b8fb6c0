"""Pages as they were read: the list, and one page with a place marked and what is stated beside its text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import Held
from clausegraph.app.api.parameters import CorpusPath, EpochQuery
from clausegraph.app.console.document import document_view
from clausegraph.app.console.routing import router
from clausegraph.app.console.templating import html
from clausegraph.app.services.browse import FoundPage, open_shelf
from clausegraph.app.services.comparison import SAME, compare_versions
from clausegraph.app.services.listings import Key, Slice, page_slice
from clausegraph.app.workspace import Workspace
from clausegraph.core.types import Span

routes = router()
_PAGES = 200  # of one screen
_BESIDE = 4  # elements in a row that are the same, at most, before they are told as a number
_Version = Annotated[int | None, Query(ge=1, le=10**15)]
_Place = Annotated[int, Query(ge=0, le=10**9)]


@routes.get("/c/{corpus}/pages")
async def pages(
    request: Request,
    held: Held,
    corpus: CorpusPath,
    epoch: EpochQuery = None,
    source: Annotated[str, Query(max_length=500)] = "",
    after: Annotated[str, Query(max_length=5000)] = "",
) -> Response:
    """The pages of an epoch by source and uri, so many at once; from after the page ``after`` of a ``source`` on."""
    key = [source, after] if after else None
    number, found = await held.reads.run(_pages, held.workspace, corpus, epoch, key)
    return html(request, "pages.html", screen="pages", found=found, at=number, epoch=epoch, begun=key is None)


@routes.get("/c/{corpus}/page")
async def page(
    request: Request,
    held: Held,
    corpus: CorpusPath,
    name: Annotated[str, Query(min_length=1, max_length=5000)],
    epoch: EpochQuery = None,
    anchor: Annotated[str, Query(max_length=200)] = "",
    start: _Place = 0,
    end: _Place = 0,
) -> Response:
    """The text of a page as the epoch has it, with a span of it marked, and what is stated at each element."""
    number, found = await held.reads.run(_page, held.workspace, corpus, name, epoch)
    marked = Span(anchor, start, end) if anchor else None
    return html(request, "page.html", screen="pages", epoch=number, **document_view(found, marked))


@routes.get("/c/{corpus}/versions")
async def versions(
    request: Request,
    held: Held,
    corpus: CorpusPath,
    name: Annotated[str, Query(min_length=1, max_length=5000)],
    version: _Version = None,
    against: Annotated[int | None, Query(alias="with", ge=1, le=10**15)] = None,
) -> Response:
    """The versions of a page, and two of them beside each other: ``version`` is the older, ``with`` the newer."""
    found = await held.reads.run(_versions, held.workspace, corpus, name, version, against)
    return html(request, "versions.html", screen="pages", found=found, rows=list(_folded(found["elements"])))


def _versions(workspace: Workspace, corpus: str, name: str, version: int | None, against: int | None) -> dict[str, Any]:
    source, _, uri = name.partition(":")
    return compare_versions(workspace, corpus, uri, source, version, against)


def _folded(elements: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows with long runs of what is the same told as a number; one on each side of what differs stays."""
    for same, run in groupby(elements, key=lambda row: row["kind"] == SAME):
        rows = list(run)
        if not same or len(rows) <= _BESIDE:
            yield from rows
            continue
        yield rows[0]
        yield {"kind": "folded", "count": len(rows) - 2}
        yield rows[-1]


def _pages(workspace: Workspace, corpus: str, epoch: int | None, after: Key | None) -> tuple[int, Slice]:
    number = open_shelf(workspace.ledger, corpus, epoch).epoch
    return number, page_slice(workspace, corpus, number, _PAGES, after)


def _page(workspace: Workspace, corpus: str, name: str, epoch: int | None) -> tuple[int, FoundPage]:
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    return shelf.epoch, shelf.found_page(*shelf.page(name))
