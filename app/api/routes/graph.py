"""The graph: facts, entities, what lies around them, paths between them, and what contradicts."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import OF_A_CORPUS, Held, statuses
from clausegraph.app.api.paging import of_epoch, part_of_epoch
from clausegraph.app.api.parameters import CorpusPath, CursorQuery, EpochQuery, LimitQuery, MaybeName, NameQuery
from clausegraph.app.api.shapes import EntitiesReply, FactsReply, NeighbourhoodReply
from clausegraph.app.services.browse import look_up_fact
from clausegraph.app.services.contradictions import contradictions as find_contradictions
from clausegraph.app.services.explore import find_paths, show_entity
from clausegraph.app.services.listings import Key, Slice, entity_slice, fact_slice, search_entities
from clausegraph.app.services.neighbourhood import neighbourhood as facts_around

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["graph"])
_READ = statuses(*OF_A_CORPUS, 304)
_Names = Annotated[list[str], Query(alias="entity", min_length=1, max_length=20, description="May be given again.")]
_Relations = Annotated[list[str] | None, Query(alias="relation", max_length=50, description="May be given again.")]


@router.get("/facts", response_model=FactsReply, responses=_READ)
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


@router.get("/facts/{fact}", response_model=dict[str, Any], responses=_READ)
async def fact(
    request: Request, held: Held, corpus: CorpusPath,
    fact: Annotated[str, Path(pattern="^[0-9a-f]{4,64}$", description="Its id, or how only its id begins.")],
    epoch: EpochQuery = None,
) -> Response:  # fmt: skip
    """A fact with every statement of it: conditions, dates, sentences and where they stand."""
    return await of_epoch(
        request, held, corpus, epoch, lambda at: look_up_fact(held.workspace, corpus, fact, at).record
    )


@router.get("/entities", response_model=EntitiesReply, responses=_READ)
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


@router.get("/entity", response_model=dict[str, Any], responses=_READ)
async def entity(
    request: Request, held: Held, corpus: CorpusPath, name: NameQuery, epoch: EpochQuery = None
) -> Response:
    """What the graph has of an entity: how pages write it, types, pages, all its facts, and its neighbours."""
    return await of_epoch(request, held, corpus, epoch, lambda at: show_entity(held.workspace, corpus, name, at))


@router.get("/neighbourhood", response_model=NeighbourhoodReply, responses=_READ)
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


@router.get("/paths", response_model=dict[str, Any], responses=_READ)
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


@router.get("/contradictions", response_model=dict[str, Any], responses=_READ)
async def contradictions(request: Request, held: Held, corpus: CorpusPath, epoch: EpochQuery = None) -> Response:
    """Statements that cannot both hold, and those that later ones replace."""
    return await of_epoch(request, held, corpus, epoch, lambda at: find_contradictions(held.workspace, corpus, at))
