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
from clausegraph.app.services.explore import list_pages
from clausegraph.app.workspace import Workspace
from clausegraph.core.types import Span

routes = router()
_Place = Annotated[int, Query(ge=0, le=10**9)]


@routes.get("/c/{corpus}/pages")
async def pages(request: Request, held: Held, corpus: CorpusPath, epoch: EpochQuery = None) -> Response:
    """Every page of an epoch."""
    found = await held.reads.run(list_pages, held.workspace, corpus, epoch)
    return html(request, "pages.html", screen="pages", found=found, epoch=epoch)


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


def _page(workspace: Workspace, corpus: str, name: str, epoch: int | None) -> tuple[int, FoundPage]:
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    return shelf.epoch, shelf.found_page(*shelf.page(name))
