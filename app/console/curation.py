"""What curators decide: which names are one entity, and which statements are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Form, Query
from starlette.responses import RedirectResponse, Response

from clausegraph.app.api.served import about
from clausegraph.app.console.screen import OfScreen, Screen, address, router
from clausegraph.app.services import entities, statements
from clausegraph.app.services.contradictions import contradictions
from clausegraph.app.services.quarantine import accept_held, drop_held
from clausegraph.core.errors import InputError, NotFoundError

routes, forms = router(), router(forms=True)
_PROPOSALS, _DECISIONS, _PAIRS = 20, 200, 20  # of one screen
_Name = Annotated[str, Form(max_length=500)]
_Number = Annotated[int, Form(ge=1, le=10**15)]
_Statement = Query(pattern="^[0-9a-f]{4,64}$")


@routes.get("/c/{corpus}/curation")
async def curation(of: OfScreen, looked: Annotated[int | None, Query(ge=0, le=10**9)] = None) -> Response:
    """Proposals with sentences of both names, every decision with author and state, and what waits for a publish."""
    return await _screen(of, looked=looked)


async def _screen(of: Screen, status: int = 200, **more: Any) -> Response:
    names, hidden = await of.run(entities.decisions_status), await of.run(statements.hidden_status)
    waits = [one for one in hidden.hidden if one.state == "waits"]
    shown = {
        "review": await of.run(entities.open_proposals, _PROPOSALS),
        "decided": _newest([one for one in names.decisions if one.state != "proposed"]),
        "defined": names.defined,
        "hidden": _newest(hidden.hidden),
        "returning": hidden.returning,
        "waiting": len(names.pending) + len(waits) + len(hidden.returning),
        "looked": None,
        "problem": "",
        "typed": {"name": "", "entity": ""},
    }
    return of.html("curation.html", status, screen="curation", **(shown | more))


@routes.get("/c/{corpus}/contradictions")
async def contradicted(of: OfScreen, offset: Annotated[int, Query(ge=0, le=10**9)] = 0) -> Response:
    """Pairs of rules that cannot both hold, each with both sides, of which a curator hides the wrong one."""
    found = await of.run(contradictions, limit=_PAIRS, offset=offset)
    return of.html("contradictions.html", screen="curation", found=found, offset=offset, end=offset + _PAIRS)


def _newest(decisions: Sequence[entities.ListedDecision | statements.HidingDecision]) -> dict[str, Any]:
    """The last ones that were made, newest first, and how many more there are."""
    ordered = sorted(decisions, key=lambda one: -(one.decided or 0))
    return {"shown": ordered[:_DECISIONS], "more": max(0, len(ordered) - _DECISIONS)}


@forms.post("/c/{corpus}/curation/review")
async def review(of: OfScreen) -> Response:
    """Look for pairs of names that may be one entity, and keep what is new."""
    found = await of.run(entities.review, None, 0)
    return _back(of, "proposals", looked=found["new"])


@forms.post("/c/{corpus}/curation/merge")
async def merge(of: OfScreen, name: _Name, entity: _Name) -> Response:
    """Take a name for an entity; where that cannot be, the screen says why and keeps what was typed."""
    about(of.request, f"{name!r} is {entity!r}")
    try:
        await of.run(entities.merge, name, entity, of.who.name)
    except (InputError, NotFoundError) as error:
        status = 404 if isinstance(error, NotFoundError) else 400
        return await _screen(of, status, problem=str(error), typed={"name": name, "entity": entity})
    return _back(of, "names")


@forms.post("/c/{corpus}/curation/settle")
async def settle(of: OfScreen, number: _Number, state: _Name, to: _Name = "names") -> Response:
    """Accept or reject a proposal, or take that back."""
    if state not in ("accepted", "rejected", "proposed"):
        raise InputError(f"no state {state[:40]!r}; take accepted, rejected or proposed")
    about(of.request, f"{number} {state}")
    await of.run(entities.settle, number, state, of.who.name)
    return _back(of, "proposals" if to == "proposals" else "names")


@forms.post("/c/{corpus}/curation/deny")
async def deny(of: OfScreen, name: _Name) -> Response:
    """Decide that a name is not what pages define it to be."""
    about(of.request, repr(name))
    await of.run(entities.deny, name, of.who.name)
    return _back(of, "names")


@forms.post("/c/{corpus}/curation/publish")
async def publish(of: OfScreen) -> Response:
    """Publish what was decided; it goes on to its end whether or not somebody waits for it."""
    await of.work(lambda _: entities.run_apply(of.held.workspace, of.corpus))
    return _back(of, "")


@forms.post("/c/{corpus}/curation/quarantine")
async def decide(of: OfScreen, run: _Name, state: _Name) -> Response:
    """Publish what a run in quarantine had read, or drop it."""
    if state not in ("accepted", "dropped"):
        raise InputError(f"no state {state[:40]!r}; take accepted or dropped")
    about(of.request, f"{run} {state}")
    if state == "accepted":
        await of.work(lambda _: accept_held(of.held.workspace, of.corpus, run, of.who.name))
    else:
        await of.run(drop_held, run)
    return of.to_run(run)


@routes.get("/c/{corpus}/hide")
async def hide_form(of: OfScreen, statement: Annotated[str, _Statement]) -> Response:
    """A statement with its sentences, and the form that asks why it is wrong."""
    return of.html("hide.html", screen="curation", found=await of.run(statements.look_up, statement))


@forms.post("/c/{corpus}/curation/hide")
async def hide(of: OfScreen, statement: _Name, reason: Annotated[str, Form()] = "") -> Response:
    """Hide a statement from the next publish on."""
    about(of.request, f"{statement}: {reason[:200]}")
    made = await of.run(statements.hide, statement, reason, of.who.name)
    if not made.new:
        return await _screen(of, problem=f"{made.decided_by} has hidden it before: {made.reason}")
    return _back(of, "hidden")


@forms.post("/c/{corpus}/curation/unhide")
async def unhide(of: OfScreen, number: _Number) -> Response:
    """Take such a decision back."""
    about(of.request, str(number))
    await of.run(statements.undo, number)
    return _back(of, "hidden")


def _back(of: Screen, part: str, **query: object) -> Response:
    """To the screen, where the decision is listed now: whoever loads it again sends nothing again."""
    return RedirectResponse(address(of.corpus, "curation", **query) + (f"#{part}" if part else ""), 303)
