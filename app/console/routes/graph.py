"""The graph around entities: a table of facts with their sentences, and the same drawn beside it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BeforeValidator, Field
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import Held
from clausegraph.app.api.hints import SCREENS, hinted
from clausegraph.app.api.parameters import CorpusPath, EpochQuery
from clausegraph.app.api.replies import reply
from clausegraph.app.console.routing import router
from clausegraph.app.console.templating import html
from clausegraph.app.services.browse import open_shelf
from clausegraph.app.services.epochs import list_epochs
from clausegraph.app.services.explore import overview
from clausegraph.app.services.listings import search_entities
from clausegraph.app.services.neighbourhood import neighbourhood, outline
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.types import LITERAL, Modality

routes = router()
_MOST = 300  # facts of the table, with their sentences
_DRAWN = 5000  # facts drawn at once
_NEAR = 20
_SHORT = 40  # characters of a condition that a drawing has room for
_Name = Annotated[str, Query(max_length=500)]
_Number = Annotated[int, Field(ge=1, le=10**15)]
_Epoch = Annotated[_Number | None, BeforeValidator(lambda text: text or None), Query()]  # "" in a form: now
_Page = Annotated[str, Query(max_length=5000)]


@routes.get("/c/{corpus}/graph")
async def graph(
    request: Request,
    held: Held,
    corpus: CorpusPath,
    name: Annotated[list[_Name], Query(max_length=50)] = [],  # noqa: B006 - FastAPI copies it
    search: _Name = "",
    relation: _Name = "",
    page: _Page = "",
    epoch: _Epoch = None,
    draw: Annotated[str, Query(pattern="^(all)?$")] = "",
) -> Response:
    """What is stated of the named entities or of a page, or entities that share words with what is searched for.

    The table has so many facts; ``draw=all`` draws more than that (:func:`drawn`).
    """
    found = await held.reads.run(_look, held.workspace, corpus, name, search, relation, page, epoch)
    asked: dict[str, Any] = {"names": name, "search": search, "relation": relation, "epoch": epoch}
    asked |= {"page": page, "draw": draw, "most": _MOST, "most_drawn": _DRAWN}
    return html(request, "graph.html", 404 if found["lost"] else 200, screen="graph", **found, **asked)


@routes.get("/c/{corpus}/graph/drawn")
async def drawn(
    held: Held,
    corpus: CorpusPath,
    name: Annotated[list[_Name], Query(max_length=50)] = [],  # noqa: B006 - FastAPI copies it
    relation: _Name = "",
    page: _Page = "",
    epoch: EpochQuery = None,
) -> Response:
    """The facts to draw as JSON: id, subject, relation and object of each, and whether there are more."""

    def read() -> dict[str, Any]:
        only = [relation] if relation else None
        return outline(
            held.workspace, corpus, name, limit=_DRAWN, relations=only, page=page or None, epoch=epoch
        )  # fmt: skip

    found = await held.reads.run(read)
    facts = [
        [one["id"], one["subject"], shown_relation(one), LITERAL * one["literal"] + one["object"]]
        for one in found["facts"]
    ]
    return reply({"epoch": found["epoch"], "facts": facts, "more": found["more"]}, epoch=found["epoch"])


def _look(
    workspace: Workspace, corpus: str, names: list[str], search: str, relation: str, page: str, epoch: int | None
) -> dict[str, Any]:
    at = open_shelf(workspace.ledger, corpus, epoch).epoch
    whole = overview(workspace, corpus, at)
    near = search_entities(workspace, corpus, at, search, _NEAR).items if search.strip() else []
    around, lost = None, ""
    if names or page:
        only = [relation] if relation else None
        try:
            around = neighbourhood(workspace, corpus, names, limit=_MOST, relations=only, page=page or None, epoch=at)
        except NotFoundError as error:  # an entity or the page: the epoch is there
            lost = hinted(error.afar, SCREENS)
        else:
            around["facts"] = [fact | {"shown": shown_relation(fact)} for fact in around["facts"]]
    found = {"overview": whole, "near": near, "around": around, "lost": lost}
    return found | {"epochs": list_epochs(workspace, corpus)}


def shown_relation(fact: dict[str, Any]) -> str:
    """A relation as a drawing names it, which has no room for the statements: with how they state or deny it, and when.

    A fact is its subject, relation and object alone; drawn as that, "is not taxed" would say the opposite, and the
    rates of two years would both hold.
    """
    told = [one["modality"] for one in fact["statements"] if one["modality"] != Modality.IS]
    told += ["not" for one in fact["statements"] if not one["polarity"] and one["modality"] == Modality.IS]
    told += ["is"] if told and len(told) < len(fact["statements"]) else []
    cases = list(dict.fromkeys(one["condition"] for one in fact["statements"]))
    if any(cases):
        told.append(f"if {cases[0]}" if len(cases) == 1 and len(cases[0]) <= _SHORT else "if …")
    return f"{fact['relation']} ({', '.join(dict.fromkeys(told))})" if told else str(fact["relation"])
