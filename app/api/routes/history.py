"""How a corpus came to be what it is: epochs, changes, and what curators decide."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from clausegraph.app.api.parameters import (
    OF_A_CORPUS,
    DecisionPath,
    DenyBody,
    EpochNumber,
    ForgetBody,
    HideBody,
    MergeBody,
    ReviewBody,
    RollbackBody,
    RunPath,
    SettleBody,
    StatementPath,
    VerdictBody,
    statuses,
)
from clausegraph.app.api.replies import OfCorpus, WholeList, by_content, list_reply, reply
from clausegraph.app.api.served import about
from clausegraph.app.services import entities, forget, statements
from clausegraph.app.services import history as services
from clausegraph.app.services.changes import ChangesReply
from clausegraph.app.services.changes import changes as find_changes
from clausegraph.app.services.corpora import corpus_status
from clausegraph.app.services.entities import NameDecision, NameDecisions, SettledReply
from clausegraph.app.services.history import ListedEpoch
from clausegraph.app.services.quarantine import HeldRun, accept_held, drop_held, list_held
from clausegraph.app.services.statements import HiddenStatements, HideReply, HidingDecision

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["history"])
decisions_router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["decisions"])
EpochsReply = list_reply("EpochsReply", "Retained epochs, newest first.", ListedEpoch, WholeList)
QuarantineReply = list_reply("QuarantineReply", "Runs in quarantine, the last one first.", HeldRun, WholeList)
ForgottenReply = list_reply("ForgottenReply", "What stays out, oldest first.", forget.ForgottenItem, WholeList)


class DecisionsReply(HiddenStatements, NameDecisions):
    """Every decision of a corpus, and what waits for the next publish."""


_READ, _CHANGE = statuses(*OF_A_CORPUS), statuses(*OF_A_CORPUS, 409, 413)


@router.get("", response_model=dict[str, Any], responses=_READ)
async def status(of: OfCorpus) -> Response:
    """What its published epoch holds, its sources, its last runs, and who is at work on it."""
    return reply((await of.run(corpus_status))[0])


@router.get("/epochs", response_model=EpochsReply, responses=_READ)
async def epochs(
    of: OfCorpus, on: Annotated[str | None, Query(max_length=40, description="A day, as 2026-01-31.")] = None
) -> Response:
    """The retained epochs, newest first; with `on` only the newest that was published by the end of that day, in the
    server's time zone."""
    found = await of.run(services.list_epochs)
    if on is not None:
        number = await of.run(services.epoch_on, on)
        found = [one for one in found if one.epoch == number]
    return reply({"corpus": of.corpus, "items": found})


@router.post("/rollback", response_model=dict[str, Any], responses=_CHANGE)
async def rollback(of: OfCorpus, wanted: RollbackBody) -> Response:
    """Let readers get an older epoch, or the newest again; the next publish goes on from the newest."""
    about(of.request, f"epoch {wanted.epoch}", wanted.reason)
    return await of.reply(services.rollback, wanted.epoch)


@router.get("/changes", response_model=ChangesReply, responses=statuses(*OF_A_CORPUS, 304))
async def changes(
    of: OfCorpus, since: EpochNumber = None, until: EpochNumber = None,
    reworded: Annotated[bool, Query(description="Also rules that rule the same in other words.")] = False,
) -> Response:  # fmt: skip
    """Pages and rules that are new, gone or changed between two retained epochs, and in what; by default the published
    one and the one before it."""
    return by_content(of.request, await of.run(find_changes, since, until, reworded=reworded))


@decisions_router.get("/decisions", response_model=DecisionsReply, responses=_READ)
async def decisions(of: OfCorpus) -> Response:
    """Every decision, by whom, since which epoch it is in force, and what waits for the next publish: about names
    (`decisions`, what pages define, `pending`), and about statements (`hidden`, and what comes back: `returning`)."""
    names, hidden = await of.run(entities.decisions_status), await of.run(statements.hidden_status)
    return reply(dict(names) | dict(hidden))


@decisions_router.post("/decisions/review", response_model=dict[str, Any], responses=_CHANGE)
async def review(of: OfCorpus, wanted: ReviewBody) -> Response:
    """Pairs of names that may be one entity, best first, with sentences of both; what is new among them is kept."""
    return await of.reply(entities.review, wanted.type, wanted.limit)


@decisions_router.post("/decisions/merge", response_model=NameDecision, responses=_CHANGE)
async def merge(of: OfCorpus, pair: MergeBody) -> Response:
    """Take a name for an entity; a pair that is merged already stays so."""
    about(of.request, f"{pair.name!r} is {pair.entity!r}")
    return await of.reply(entities.merge, pair.name, pair.entity, of.who.name)


@decisions_router.post("/decisions/deny", response_model=SettledReply, responses=_CHANGE)
async def deny(of: OfCorpus, denied: DenyBody) -> Response:
    """Decide that a name is not what pages define it to be."""
    about(of.request, repr(denied.name))
    return await of.reply(entities.deny, denied.name, of.who.name)


@router.get("/quarantine", response_model=QuarantineReply, responses=_READ)
async def quarantine(of: OfCorpus) -> Response:
    """The runs that would have taken away too much, and why each was held; nothing of them is published."""
    return reply({"corpus": of.corpus, "items": await of.run(list_held)})


@router.put("/quarantine/{run}", response_model=dict[str, Any], responses=statuses(*OF_A_CORPUS, 409, 413, 504))
async def decide(of: OfCorpus, run: RunPath, wanted: VerdictBody) -> Response:
    """Publish what a run in quarantine had read (the reply is its report), or drop it.

    A publish whose client goes away, or whose time is over, goes on to its end.
    """
    about(of.request, f"{run} {wanted.state}")
    if wanted.state == "dropped":
        return await of.reply(drop_held, run)
    report = await of.work(lambda _: accept_held(of.held.workspace, of.corpus, run, of.who.name))
    return reply(report.as_dict())


@router.get("/forgotten", response_model=ForgottenReply, responses=_READ)
async def forgotten(of: OfCorpus) -> Response:
    """What was forgotten and stays out, oldest first, by its key: a hash of its names."""
    return reply({"corpus": of.corpus, "items": await of.run(forget.list_items)})


@router.post("/forgotten", response_model=dict[str, Any], responses=statuses(*OF_A_CORPUS, 409, 413, 504))
async def forget_for_good(of: OfCorpus, wanted: ForgetBody) -> Response:
    """Remove a page or a source from every place, search for it, keep it out; the reply is the signed certificate.

    All older epochs go with it. Where something of it is left the same request again goes on.
    """
    page, source = wanted.page, wanted.source
    about(of.request, "", wanted.reason)
    return reply(
        await of.work(lambda _: forget.forget(of.held.workspace, of.corpus, page, source, wanted.reason, of.who.name))
    )


@decisions_router.post(
    "/decisions/publish", response_model=dict[str, Any], responses=statuses(*OF_A_CORPUS, 409, 413, 504)
)
async def publish(of: OfCorpus) -> Response:
    """Publish what was decided, without a run of a source; the report has no epoch where everything is in force.

    A publish whose client goes away, or whose time is over, goes on to its end.
    """
    report = await of.work(lambda _: entities.run_apply(of.held.workspace, of.corpus))
    return reply(report.as_dict())


@decisions_router.put("/decisions/{number:digits}", response_model=SettledReply, responses=_CHANGE)
async def settle(of: OfCorpus, number: DecisionPath, wanted: SettleBody) -> Response:
    """Accept or reject a proposal, or take that back, which removes a merge that nobody had proposed."""
    about(of.request, wanted.state)
    return await of.reply(entities.settle, number, wanted.state, of.who.name)


@decisions_router.put("/statements/{statement}/hidden", response_model=HideReply, responses=_CHANGE)
async def hide(of: OfCorpus, statement: StatementPath, why: HideBody) -> Response:
    """Hide a statement that is wrong, with the reason; one that is hidden already stays as it was decided."""
    about(of.request, "", why.reason)
    return await of.reply(statements.hide, statement, why.reason, of.who.name)


@decisions_router.delete("/hidden/{number}", response_model=HidingDecision, responses=_CHANGE)
async def unhide(of: OfCorpus, number: DecisionPath) -> Response:
    """Take back a decision that hides a statement."""
    return await of.reply(statements.undo, number)
