"""What an epoch of a corpus holds: pages, facts, entities, paths, contradictions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from clausegraph.app.api.parameters import (
    OF_A_CORPUS,
    CorpusPath,
    CursorQuery,
    EpochQuery,
    Held,
    LimitQuery,
    MaybeName,
    NameQuery,
    statuses,
)
from clausegraph.app.api.replies import by_content, of_epoch, part_of_epoch
from clausegraph.app.api.shapes import (
    ComparisonReply,
    ElementsReply,
    EntitiesReply,
    FactsReply,
    NeighbourhoodReply,
    PagesReply,
    VersionsReply,
)
from clausegraph.app.services.browse import look_up_fact
from clausegraph.app.services.changes import compare_versions, page_versions_of
from clausegraph.app.services.connections import contradictions as find_contradictions
from clausegraph.app.services.connections import find_paths
from clausegraph.app.services.connections import neighbourhood as facts_around
from clausegraph.app.services.explore import show_entity
from clausegraph.app.services.listings import element_slice, entity_slice, fact_slice, page_slice, search_entities
from clausegraph.app.services.pages import show_page
from clausegraph.app.services.records import Key, Slice

pages_router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["pages"])
graph_router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["graph"])
_Version = Annotated[int | None, Query(ge=1, le=10**15)]
_READ = statuses(*OF_A_CORPUS, 304)


@pages_router.get("/pages", response_model=PagesReply, responses=_READ)
async def pages(
    request: Request, held: Held, corpus: CorpusPath,
    epoch: EpochQuery = None, cursor: CursorQuery = None, limit: LimitQuery = 50,
) -> Response:  # fmt: skip
    """Pages by source and uri, each with the number of its statements."""
    return await part_of_epoch(
        request, held, corpus, epoch, cursor, lambda at, after: page_slice(held.workspace, corpus, at, limit, after)
    )


@pages_router.get("/page", response_model=dict[str, Any], responses=_READ)
async def page(request: Request, held: Held, corpus: CorpusPath, name: NameQuery, epoch: EpochQuery = None) -> Response:
    """A page by its uri, `source:uri`, title or another address of it: its version, its addresses with what each
    answered last, how much it holds and states, and its passages: what it says that no fact claims, each with its
    elements and condition tree."""
    found = await held.reads.run(show_page, held.workspace, corpus, name, epoch)
    return by_content(request, found, found["epoch"])  # a fetch may add to its addresses at any time


@pages_router.get("/page/elements", response_model=ElementsReply, responses=_READ)
async def elements(
    request: Request, held: Held, corpus: CorpusPath, name: NameQuery,
    epoch: EpochQuery = None, cursor: CursorQuery = None, limit: LimitQuery = 50,
) -> Response:  # fmt: skip
    """The elements of a page in its order, each with its anchor, by which answers and facts point to it."""
    return await part_of_epoch(
        request, held, corpus, epoch, cursor,
        lambda at, after: element_slice(held.workspace, corpus, name, at, limit, after),
    )  # fmt: skip


@pages_router.get("/page/comparison", response_model=ComparisonReply, responses=_READ)
async def comparison(
    request: Request, held: Held, corpus: CorpusPath, uri: NameQuery, source: MaybeName = None,
    version: _Version = None, against: Annotated[int | None, Query(alias="with", ge=1, le=10**15)] = None,
) -> Response:  # fmt: skip
    """Two versions of a page beside each other: elements and statements that are new, gone or changed; by default the
    newest two. `version` is the older, `with` the newer, by their ids."""
    found = await held.reads.run(compare_versions, held.workspace, corpus, uri, source, version, against)
    return by_content(request, found)


@pages_router.get("/page/versions", response_model=VersionsReply, responses=_READ)
async def versions(
    request: Request, held: Held, corpus: CorpusPath, uri: NameQuery, source: MaybeName = None
) -> Response:
    """The versions of a page that retained epochs have, newest first."""
    found = await held.reads.run(page_versions_of, held.workspace, corpus, uri, source)
    return by_content(request, {"corpus": corpus, "items": found})


_READ = statuses(*OF_A_CORPUS, 304)
_Names = Annotated[list[str], Query(alias="entity", min_length=1, max_length=20, description="May be given again.")]
_Relations = Annotated[list[str] | None, Query(alias="relation", max_length=50, description="May be given again.")]


@graph_router.get("/facts", response_model=FactsReply, responses=_READ)
async def facts(
    request: Request, held: Held, corpus: CorpusPath,
    entity: MaybeName = None, relation: MaybeName = None, page: MaybeName = None,
    epoch: EpochQuery = None, cursor: CursorQuery = None, limit: LimitQuery = 50,
) -> Response:  # fmt: skip
    """Facts by id, each with its statements and their sentences; of an entity, a relation, a page, or all three."""

    def read(at: int, after: Key | None) -> Slice:
        return fact_slice(
            held.workspace, corpus, at, limit, after, entity=entity, relation=relation, page=page
        )  # fmt: skip

    return await part_of_epoch(request, held, corpus, epoch, cursor, read)


@graph_router.get("/facts/{fact}", response_model=dict[str, Any], responses=_READ)
async def fact(
    request: Request, held: Held, corpus: CorpusPath,
    fact: Annotated[str, Path(pattern="^[0-9a-f]{4,64}$", description="Its id, or how only its id begins.")],
    epoch: EpochQuery = None,
) -> Response:  # fmt: skip
    """A fact with every statement of it: conditions, dates, sentences and where they stand."""
    return await of_epoch(
        request, held, corpus, epoch, lambda at: look_up_fact(held.workspace, corpus, fact, at).record
    )


@graph_router.get("/entities", response_model=EntitiesReply, responses=_READ)
async def entities(
    request: Request, held: Held, corpus: CorpusPath, search: MaybeName = None,
    epoch: EpochQuery = None, cursor: CursorQuery = None, limit: LimitQuery = 50,
) -> Response:  # fmt: skip
    """Entities by key; with `search`, those that share most words with it, which is no list that goes on."""

    def read(at: int, after: Key | None) -> Slice:
        if search is not None:
            return search_entities(held.workspace, corpus, at, search, limit)
        return entity_slice(held.workspace, corpus, at, limit, after)

    return await part_of_epoch(request, held, corpus, epoch, cursor, read)


@graph_router.get("/entity", response_model=dict[str, Any], responses=_READ)
async def entity(
    request: Request, held: Held, corpus: CorpusPath, name: NameQuery, epoch: EpochQuery = None
) -> Response:
    """What the graph has of an entity: how pages write it, types, pages, all its facts, and its neighbours."""
    return await of_epoch(request, held, corpus, epoch, lambda at: show_entity(held.workspace, corpus, name, at))


@graph_router.get("/neighbourhood", response_model=NeighbourhoodReply, responses=_READ)
async def neighbourhood(
    request: Request, held: Held, corpus: CorpusPath, entity: _Names, relation: _Relations = None,
    hops: Annotated[int, Query(ge=1, le=2)] = 1, limit: Annotated[int, Query(ge=1, le=5000)] = 200,
    epoch: EpochQuery = None,
) -> Response:  # fmt: skip
    """The facts around entities, nearest and most stated first, and the entities among them."""

    def read(at: int) -> dict[str, Any]:
        return facts_around(
            held.workspace, corpus, entity, hops=hops, limit=limit, relations=relation, epoch=at
        )  # fmt: skip

    return await of_epoch(request, held, corpus, epoch, read)


@graph_router.get("/paths", response_model=dict[str, Any], responses=_READ)
async def paths(
    request: Request, held: Held, corpus: CorpusPath,
    start: Annotated[str, Query(alias="from", min_length=1, max_length=2000)],
    goal: Annotated[str, Query(alias="to", min_length=1, max_length=2000)],
    hops: Annotated[int, Query(ge=1, le=6)] = 4, limit: Annotated[int, Query(ge=1, le=100)] = 3,
    epoch: EpochQuery = None,
) -> Response:  # fmt: skip
    """The shortest chains of facts between two entities, each fact with a statement of it."""

    def read(at: int) -> dict[str, Any]:
        return find_paths(held.workspace, corpus, start, goal, hops=hops, limit=limit, epoch=at)

    return await of_epoch(request, held, corpus, epoch, read)


@graph_router.get("/contradictions", response_model=dict[str, Any], responses=_READ)
async def contradictions(request: Request, held: Held, corpus: CorpusPath, epoch: EpochQuery = None) -> Response:
    """Statements that cannot both hold, and those that later ones replace."""
    return await of_epoch(request, held, corpus, epoch, lambda at: find_contradictions(held.workspace, corpus, at))
