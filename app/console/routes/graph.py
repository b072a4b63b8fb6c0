"""The graph around entities: a table of facts with their sentences, and the same drawn beside it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import Held
from clausegraph.app.api.parameters import CorpusPath, EpochQuery
from clausegraph.app.console.routing import router
from clausegraph.app.console.templating import html
from clausegraph.app.services.browse import open_shelf
from clausegraph.app.services.explore import overview
from clausegraph.app.services.listings import search_entities
from clausegraph.app.services.neighbourhood import neighbourhood
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.types import Modality

routes = router()
_MOST = 300  # facts drawn at once
_NEAR = 20
_Name = Annotated[str, Query(max_length=500)]


@routes.get("/c/{corpus}/graph")
async def graph(
    request: Request,
    held: Held,
    corpus: CorpusPath,
    name: Annotated[list[_Name], Query(max_length=50)] = [],  # noqa: B006 - FastAPI copies it
    search: _Name = "",
    relation: _Name = "",
    epoch: EpochQuery = None,
) -> Response:
    """What is stated of the named entities, or entities that share words with what is searched for."""
    found = await held.reads.run(_look, held.workspace, corpus, name, search, relation, epoch)
    asked: dict[str, Any] = {"names": name, "search": search, "relation": relation, "epoch": epoch}
    return html(request, "graph.html", 404 if found["lost"] else 200, screen="graph", **found, **asked)


def _look(
    workspace: Workspace, corpus: str, names: list[str], search: str, relation: str, epoch: int | None
) -> dict[str, Any]:
    at = open_shelf(workspace.ledger, corpus, epoch).epoch
    whole = overview(workspace, corpus, at)
    near = search_entities(workspace, corpus, at, search, _NEAR).items if search.strip() else []
    around, lost = None, ""
    if names:
        only = [relation] if relation else None
        try:
            around = neighbourhood(workspace, corpus, names, limit=_MOST, relations=only, epoch=at)
        except NotFoundError as error:  # an entity: the epoch is there
            lost = error.afar
        else:
            around["facts"] = [fact | {"shown": shown_relation(fact)} for fact in around["facts"]]
    return {"overview": whole, "near": near, "around": around, "lost": lost}


def shown_relation(fact: dict[str, Any]) -> str:
    """A relation as a drawing names it, which has no room for the statements: with how they state or deny it.

    A fact is its subject, relation and object alone; drawn as that, "is not taxed" would say the opposite.
    """
    told = [one["modality"] for one in fact["statements"] if one["modality"] != Modality.IS]
    told += ["not" for one in fact["statements"] if not one["polarity"] and one["modality"] == Modality.IS]
    told += ["is"] if told and len(told) < len(fact["statements"]) else []
    return f"{fact['relation']} ({', '.join(dict.fromkeys(told))})" if told else str(fact["relation"])
