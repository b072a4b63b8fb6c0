"""What an epoch of a corpus holds: pages, rules, facts, entities, paths, contradictions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from clausegraph.app.api.parameters import OF_A_CORPUS, MaybeName, NameQuery, StatementPath, statuses
from clausegraph.app.api.replies import AtEpoch, OfCorpus, PartOfEpoch, WholeList, by_content, list_reply
from clausegraph.app.services import connections
from clausegraph.app.services import contradictions as disagreements
from clausegraph.app.services.browse import look_up_fact
from clausegraph.app.services.changes import ComparisonReply, ListedVersion, compare_versions, page_versions_of
from clausegraph.app.services.explore import (
    ListedEntity,
    ListedPage,
    element_slice,
    entity_slice,
    fact_slice,
    page_slice,
    show_entity,
)
from clausegraph.app.services.page_history import HistoryReply, history
from clausegraph.app.services.pages import show_page
from clausegraph.app.services.records import ListedElement, ShownFact
from clausegraph.app.services.rules import RulesReply, find_rules
from clausegraph.core.types import RuleKind

pages_router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["pages"])
graph_router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["graph"])
PagesReply = list_reply("PagesReply", "Pages by source and uri.", ListedPage, epoch=int)
ElementsReply = list_reply("ElementsReply", "The elements of a page in its order.", ListedElement, epoch=int)
VersionsReply = list_reply("VersionsReply", "The versions of a page, newest first.", ListedVersion, WholeList)
FactsReply = list_reply("FactsReply", "Facts by id.", ShownFact, epoch=int)
EntitiesReply = list_reply("EntitiesReply", "Entities by key.", ListedEntity, epoch=int)
_READ = statuses(*OF_A_CORPUS, 304)
_Version = Annotated[int | None, Query(ge=1, le=10**15)]
_Names = Annotated[list[str], Query(alias="entity", min_length=1, max_length=20, description="May be given again.")]
_Relations = Annotated[list[str] | None, Query(alias="relation", max_length=50, description="May be given again.")]


@pages_router.get("/pages", response_model=PagesReply, responses=_READ)
async def pages(at: PartOfEpoch) -> Response:
    """Pages by source and uri, each with the number of its statements and rules."""
    return await at.reply(page_slice)


@pages_router.get("/page", response_model=dict[str, Any], responses=_READ)
async def page(at: AtEpoch, name: NameQuery) -> Response:
    """A page by its uri, `source:uri`, title or another address of it: its version, its addresses with what each
    answered last, and how much it holds and states."""
    found = await at.run(show_page, name, at.epoch)
    return by_content(at.request, found, found["epoch"])  # a fetch may add to its addresses at any time


@pages_router.get("/page/elements", response_model=ElementsReply, responses=_READ)
async def elements(at: PartOfEpoch, name: NameQuery) -> Response:
    """The elements of a page in its order, each with its anchor, by which answers and facts point to it."""
    return await at.reply(element_slice, name)


@pages_router.get("/page/comparison", response_model=ComparisonReply, responses=_READ)
async def comparison(
    of: OfCorpus, uri: NameQuery, source: MaybeName = None,
    version: _Version = None, against: Annotated[int | None, Query(alias="with", ge=1, le=10**15)] = None,
) -> Response:  # fmt: skip
    """Two versions of a page beside each other: elements and rules that are new, gone or changed; by default the
    newest two. `version` is the older, `with` the newer, by their ids."""
    return by_content(of.request, await of.run(compare_versions, uri, source, version, against))


@pages_router.get("/page/versions", response_model=VersionsReply, responses=_READ)
async def versions(of: OfCorpus, uri: NameQuery, source: MaybeName = None) -> Response:
    """The versions of a page that retained epochs have, newest first."""
    found = await of.run(page_versions_of, uri, source)
    return by_content(of.request, {"corpus": of.corpus, "items": found})


@pages_router.get("/page/history", response_model=HistoryReply, responses=_READ)
async def page_history(of: OfCorpus, name: NameQuery) -> Response:
    """What became of a page, or of a rule or statement by its id, over the retained epochs."""
    return by_content(of.request, await of.run(history, name))


@graph_router.get("/rules", response_model=RulesReply, responses=_READ)
async def rules(
    at: AtEpoch, topic: NameQuery, kind: RuleKind | None = None, role: MaybeName = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
) -> Response:  # fmt: skip
    """What the pages rule about a topic (an entity by any name, or a page), verbatim, with condition, values, roles and
    place: rules about it first, by page and in its order. `role` is a person or body that a rule must name, too."""
    return await at.reply(find_rules, topic, kind=kind, role=role, limit=limit)


@graph_router.get("/facts", response_model=FactsReply, responses=_READ)
async def facts(
    at: PartOfEpoch, entity: MaybeName = None, relation: MaybeName = None, page: MaybeName = None
) -> Response:
    """Facts by id, each with its statements and their sentences; of an entity, a relation, a page, or all three."""
    return await at.reply(fact_slice, entity=entity, relation=relation, page=page)


@graph_router.get("/facts/{fact}", response_model=dict[str, Any], responses=_READ)
async def fact(at: AtEpoch, fact: StatementPath) -> Response:
    """A fact with every statement of it: conditions, dates, sentences and where they stand."""
    return await at.reply(look_up_fact, fact)


@graph_router.get("/entities", response_model=EntitiesReply, responses=_READ)
async def entities(at: PartOfEpoch, search: MaybeName = None) -> Response:
    """Entities by key; with `search`, those that share most words with it, which is no list that goes on."""
    return await at.reply(entity_slice, search=search)


@graph_router.get("/entity", response_model=dict[str, Any], responses=_READ)
async def entity(at: AtEpoch, name: NameQuery) -> Response:
    """What the graph has of an entity: how pages write it, types, pages, its first rules of each kind, all its facts,
    and its neighbours."""
    return await at.reply(show_entity, name)


@graph_router.get("/neighbourhood", response_model=connections.NeighbourhoodReply, responses=_READ)
async def neighbourhood(
    at: AtEpoch, entity: _Names, relation: _Relations = None,
    hops: Annotated[int, Query(ge=1, le=2)] = 1, limit: Annotated[int, Query(ge=1, le=5000)] = 200,
) -> Response:  # fmt: skip
    """The facts around entities, nearest and most stated first, and the entities among them."""
    return await at.reply(connections.neighbourhood, entity, hops=hops, limit=limit, relations=relation)


@graph_router.get("/paths", response_model=dict[str, Any], responses=_READ)
async def paths(
    at: AtEpoch,
    start: Annotated[str, Query(alias="from", min_length=1, max_length=2000)],
    goal: Annotated[str, Query(alias="to", min_length=1, max_length=2000)],
    hops: Annotated[int, Query(ge=1, le=6)] = 4, limit: Annotated[int, Query(ge=1, le=100)] = 3,
) -> Response:  # fmt: skip
    """The shortest chains of facts and rules between two entities, each fact with its statements."""
    return await at.reply(connections.find_paths, start, goal, hops=hops, limit=limit)


@graph_router.get("/contradictions", response_model=dict[str, Any], responses=_READ)
async def contradictions(
    at: AtEpoch,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50, offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:  # fmt: skip
    """Statements that cannot both hold, and those that later ones replace, newest first: of each kind `limit` behind
    the first `offset`, of as many as `found` says."""
    return await at.reply(disagreements.contradictions, limit=limit, offset=offset)
