"""What curators decide: which names are one entity, and which statements are wrong."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clausegraph.app.api.parameters import CorpusPath, Held, Who, about
from clausegraph.app.api.work import Ticket, waited
from clausegraph.app.console.screen import address, check_form, html, router
from clausegraph.app.services import entities, statements
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError

routes = router()
_PROPOSALS, _DECISIONS = 20, 200  # of one screen
_Name = Annotated[str, Form(max_length=500)]
_Number = Annotated[int, Form(ge=1, le=10**15)]
_Statement = Query(pattern="^[0-9a-f]{4,64}$")


@routes.get("/c/{corpus}/curation")
async def curation(
    request: Request, held: Held, corpus: CorpusPath, looked: Annotated[int | None, Query(ge=0, le=10**9)] = None
) -> Response:
    """Proposals with sentences of both names, every decision with author and state, and what waits for a publish."""
    return await _screen(request, held, corpus, looked=looked)


async def _screen(request: Request, held: Held, corpus: str, status: int = 200, **more: Any) -> Response:
    shown = await held.reads.run(_look, held.workspace, corpus)
    return html(request, "curation.html", status, screen="curation", **(shown | more))


def _look(workspace: Workspace, corpus: str) -> dict[str, Any]:
    names = entities.decisions_status(workspace, corpus)
    hidden = statements.hidden_status(workspace, corpus)
    waits = [one for one in hidden["hidden"] if one["state"] == "waits"]
    return {
        "review": entities.open_proposals(workspace, corpus, _PROPOSALS),
        "decided": _newest([one for one in names["decisions"] if one["state"] != "proposed"]),
        "defined": names["defined"],
        "hidden": _newest(hidden["hidden"]),
        "returning": hidden["returning"],
        "waiting": len(names["pending"]) + len(waits) + len(hidden["returning"]),
        "looked": None,
        "problem": "",
        "typed": {"name": "", "entity": ""},
    }


def _newest(decisions: list[dict[str, Any]]) -> dict[str, Any]:
    """The last ones that were made, newest first, and how many more there are."""
    ordered = sorted(decisions, key=lambda one: -one["decided"])
    return {"shown": ordered[:_DECISIONS], "more": max(0, len(ordered) - _DECISIONS)}


@routes.post("/c/{corpus}/curation/review")
async def review(request: Request, held: Held, corpus: CorpusPath) -> Response:
    """Look for pairs of names that may be one entity, and keep what is new."""
    await check_form(request)
    found = await held.reads.run(entities.review, held.workspace, corpus, None, 0)
    return _back(corpus, "proposals", looked=found["new"])


@routes.post("/c/{corpus}/curation/merge")
async def merge(request: Request, held: Held, who: Who, corpus: CorpusPath, name: _Name, entity: _Name) -> Response:
    """Take a name for an entity; where that cannot be, the screen says why and keeps what was typed."""
    await check_form(request)
    about(request, f"{name!r} is {entity!r}")
    try:
        await held.reads.run(entities.merge, held.workspace, corpus, name, entity, who.name)
    except (InputError, NotFoundError) as error:
        status = 404 if isinstance(error, NotFoundError) else 400
        typed = {"name": name, "entity": entity}
        return await _screen(request, held, corpus, status, problem=str(error), typed=typed)
    return _back(corpus, "names")


@routes.post("/c/{corpus}/curation/settle")
async def settle(
    request: Request, held: Held, who: Who, corpus: CorpusPath, number: _Number, state: _Name, to: _Name = "names"
) -> Response:
    """Accept or reject a proposal, or take that back."""
    await check_form(request)
    if state not in ("accepted", "rejected", "proposed"):
        raise InputError(f"no state {state[:40]!r}; take accepted, rejected or proposed")
    about(request, f"{number} {state}")
    await held.reads.run(entities.settle, held.workspace, corpus, number, state, who.name)
    return _back(corpus, "proposals" if to == "proposals" else "names")


@routes.post("/c/{corpus}/curation/deny")
async def deny(request: Request, held: Held, who: Who, corpus: CorpusPath, name: _Name) -> Response:
    """Decide that a name is not what pages define it to be."""
    await check_form(request)
    about(request, repr(name))
    await held.reads.run(entities.deny, held.workspace, corpus, name, who.name)
    return _back(corpus, "names")


@routes.post("/c/{corpus}/curation/publish")
async def publish(request: Request, held: Held, corpus: CorpusPath) -> Response:
    """Publish what was decided; it goes on to its end whether or not somebody waits for it."""
    await check_form(request)

    def work(ticket: Ticket) -> None:
        ticket.check()
        entities.run_apply(held.workspace, corpus)

    await waited(request, held.work, held.workspace.settings.serve_seconds, work)
    return _back(corpus, "")


@routes.get("/c/{corpus}/hide")
async def hide_form(
    request: Request, held: Held, corpus: CorpusPath, statement: Annotated[str, _Statement]
) -> Response:
    """A statement with its sentences, and the form that asks why it is wrong."""
    found = await held.reads.run(statements.look_up, held.workspace, corpus, statement)
    return html(request, "hide.html", screen="curation", found=found)


@routes.post("/c/{corpus}/curation/hide")
async def hide(
    request: Request, held: Held, who: Who, corpus: CorpusPath, statement: _Name, reason: Annotated[str, Form()] = ""
) -> Response:
    """Hide a statement from the next publish on."""
    await check_form(request)
    about(request, f"{statement}: {reason[:200]}")
    await held.reads.run(statements.hide, held.workspace, corpus, statement, reason, who.name)
    return _back(corpus, "hidden")


@routes.post("/c/{corpus}/curation/unhide")
async def unhide(request: Request, held: Held, corpus: CorpusPath, number: _Number) -> Response:
    """Take such a decision back."""
    await check_form(request)
    about(request, str(number))
    await held.reads.run(statements.undo, held.workspace, corpus, number)
    return _back(corpus, "hidden")


def _back(corpus: str, part: str, **query: object) -> Response:
    """To the screen, where the decision is listed now: whoever loads it again sends nothing again."""
    return RedirectResponse(address(corpus, "curation", **query) + (f"#{part}" if part else ""), 303)
