"""Pages: listed, with what they hold, their elements by anchor, and their versions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import OF_A_CORPUS, Held, statuses
from clausegraph.app.api.paging import by_content, part_of_epoch
from clausegraph.app.api.parameters import CorpusPath, CursorQuery, EpochQuery, LimitQuery, MaybeName, NameQuery
from clausegraph.app.api.shapes import ComparisonReply, ElementsReply, PagesReply, VersionsReply
from clausegraph.app.services.comparison import compare_versions
from clausegraph.app.services.listings import element_slice, page_slice
from clausegraph.app.services.pages import show_page
from clausegraph.app.services.versions import page_versions_of

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["pages"])
_Version = Annotated[int | None, Query(ge=1, le=10**15)]
_READ = statuses(*OF_A_CORPUS, 304)


@router.get("/pages", response_model=PagesReply, responses=_READ)
async def pages(
    request: Request, held: Held, corpus: CorpusPath,
    epoch: EpochQuery = None, cursor: CursorQuery = None, limit: LimitQuery = 50,
) -> Response:  # fmt: skip
    """Pages by source and uri, each with the number of its statements."""
    return await part_of_epoch(
        request, held, corpus, epoch, cursor, lambda at, after: page_slice(held.workspace, corpus, at, limit, after)
    )


@router.get("/page", response_model=dict[str, Any], responses=_READ)
async def page(request: Request, held: Held, corpus: CorpusPath, name: NameQuery, epoch: EpochQuery = None) -> Response:
    """A page by its uri, `source:uri`, title or another address of it: its version, its addresses with what each
    answered last, how much it holds and states, and its passages: what it says that no fact claims, each with its
    elements and condition tree."""
    found = await held.reads.run(show_page, held.workspace, corpus, name, epoch)
    return by_content(request, found, found["epoch"])  # a fetch may add to its addresses at any time


@router.get("/page/elements", response_model=ElementsReply, responses=_READ)
async def elements(
    request: Request, held: Held, corpus: CorpusPath, name: NameQuery,
    epoch: EpochQuery = None, cursor: CursorQuery = None, limit: LimitQuery = 50,
) -> Response:  # fmt: skip
    """The elements of a page in its order, each with its anchor, by which answers and facts point to it."""
    return await part_of_epoch(
        request, held, corpus, epoch, cursor,
        lambda at, after: element_slice(held.workspace, corpus, name, at, limit, after),
    )  # fmt: skip


@router.get("/page/comparison", response_model=ComparisonReply, responses=_READ)
async def comparison(
    request: Request, held: Held, corpus: CorpusPath, uri: NameQuery, source: MaybeName = None,
    version: _Version = None, against: Annotated[int | None, Query(alias="with", ge=1, le=10**15)] = None,
) -> Response:  # fmt: skip
    """Two versions of a page beside each other: elements and statements that are new, gone or changed; by default the
    newest two. `version` is the older, `with` the newer, by their ids."""
    found = await held.reads.run(compare_versions, held.workspace, corpus, uri, source, version, against)
    return by_content(request, found)


@router.get("/page/versions", response_model=VersionsReply, responses=_READ)
async def versions(
    request: Request, held: Held, corpus: CorpusPath, uri: NameQuery, source: MaybeName = None
) -> Response:
    """The versions of a page that retained epochs have, newest first."""
    found = await held.reads.run(page_versions_of, held.workspace, corpus, uri, source)
    return by_content(request, {"corpus": corpus, "items": found})
