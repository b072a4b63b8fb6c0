"""Pages as they were read: the list, and one page with a place marked and what is stated beside its text."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import Held
from clausegraph.app.api.parameters import CorpusPath, EpochQuery
from clausegraph.app.console.document import document_view
from clausegraph.app.console.routing import router
from clausegraph.app.console.templating import html
from clausegraph.app.services.browse import FoundPage, open_shelf
from clausegraph.app.services.listings import Key, Slice, page_slice
from clausegraph.app.workspace import Workspace
from clausegraph.core.types import Span

routes = router()
_PAGES = 200  # of one screen
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


def _pages(workspace: Workspace, corpus: str, epoch: int | None, after: Key | None) -> tuple[int, Slice]:
    number = open_shelf(workspace.ledger, corpus, epoch).epoch
    return number, page_slice(workspace, corpus, number, _PAGES, after)


def _page(workspace: Workspace, corpus: str, name: str, epoch: int | None) -> tuple[int, FoundPage]:
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    return shelf.epoch, shelf.found_page(*shelf.page(name))
