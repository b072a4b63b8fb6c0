"""What curators decide: which names are one entity, which statements are wrong; in force from the next publish on."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from clausegraph.app.api.decision_shapes import (
    DecisionsReply,
    HideReply,
    HidingDecision,
    NameDecision,
    SettledReply,
)
from clausegraph.app.api.dependencies import OF_A_CORPUS, Held, Who, about, statuses
from clausegraph.app.api.parameters import (
    CorpusPath,
    DecisionPath,
    DenyBody,
    HideBody,
    MergeBody,
    ReviewBody,
    SettleBody,
    StatementPath,
)
from clausegraph.app.api.pool import Ticket
from clausegraph.app.api.replies import reply
from clausegraph.app.api.waiting import waited
from clausegraph.app.services import entities, statements

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["decisions"])
_CHANGE = statuses(*OF_A_CORPUS, 409, 413)


@router.get("/decisions", response_model=DecisionsReply, responses=statuses(*OF_A_CORPUS))
async def decisions(held: Held, corpus: CorpusPath) -> Response:
    """Every decision, by whom, since which epoch it is in force, and what waits for the next publish: about names
    (`decisions`, what pages define, `pending`), and about statements (`hidden`, and what comes back: `returning`)."""

    def read() -> dict[str, Any]:
        found = entities.decisions_status(held.workspace, corpus)
        return found | statements.hidden_status(held.workspace, corpus)

    return reply(await held.reads.run(read))


@router.post("/decisions/review", response_model=dict[str, Any], responses=_CHANGE)
async def review(held: Held, corpus: CorpusPath, wanted: ReviewBody) -> Response:
    """Pairs of names that may be one entity, best first, with sentences of both; what is new among them is kept."""
    return reply(await held.reads.run(entities.review, held.workspace, corpus, wanted.type, wanted.limit))


@router.post("/decisions/merge", response_model=NameDecision, responses=_CHANGE)
async def merge(request: Request, held: Held, who: Who, corpus: CorpusPath, pair: MergeBody) -> Response:
    """Take a name for an entity; a pair that is merged already stays so."""
    about(request, f"{pair.name!r} is {pair.entity!r}")
    return reply(await held.reads.run(entities.merge, held.workspace, corpus, pair.name, pair.entity, who.name))


@router.post("/decisions/deny", response_model=SettledReply, responses=_CHANGE)
async def deny(request: Request, held: Held, who: Who, corpus: CorpusPath, denied: DenyBody) -> Response:
    """Decide that a name is not what pages define it to be."""
    about(request, repr(denied.name))
    return reply(await held.reads.run(entities.deny, held.workspace, corpus, denied.name, who.name))


@router.post("/decisions/publish", response_model=dict[str, Any], responses=statuses(*OF_A_CORPUS, 409, 413, 504))
async def publish(request: Request, held: Held, corpus: CorpusPath) -> Response:
    """Publish what was decided, without a run of a source; the report has no epoch where everything is in force.

    A publish whose client goes away, or whose time is over, goes on to its end.
    """

    def work(ticket: Ticket) -> dict[str, object]:
        ticket.check()
        return entities.run_apply(held.workspace, corpus).as_dict()

    return reply(await waited(request, held.work, held.workspace.settings.serve_seconds, work))


@router.put("/decisions/{number}", response_model=SettledReply, responses=_CHANGE)
async def settle(
    request: Request, held: Held, who: Who, corpus: CorpusPath, number: DecisionPath, wanted: SettleBody
) -> Response:
    """Accept or reject a proposal, or take that back, which removes a merge that nobody had proposed."""
    about(request, wanted.state)
    return reply(await held.reads.run(entities.settle, held.workspace, corpus, number, wanted.state, who.name))


@router.put("/statements/{statement}/hidden", response_model=HideReply, responses=_CHANGE)
async def hide(
    request: Request, held: Held, who: Who, corpus: CorpusPath, statement: StatementPath, why: HideBody
) -> Response:
    """Hide a statement that is wrong, with the reason; one that is hidden already stays as it was decided."""
    about(request, why.reason)
    return reply(await held.reads.run(statements.hide, held.workspace, corpus, statement, why.reason, who.name))


@router.delete("/hidden/{number}", response_model=HidingDecision, responses=_CHANGE)
async def unhide(held: Held, corpus: CorpusPath, number: DecisionPath) -> Response:
    """Take back a decision that hides a statement."""
    return reply(await held.reads.run(statements.undo, held.workspace, corpus, number))
