"""How a corpus came to be what it is: epochs, changes, runs, and what curators decide."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from clausegraph.app.api.parameters import (
    OF_A_CORPUS,
    CorpusPath,
    CursorQuery,
    DecisionPath,
    DenyBody,
    EpochNumber,
    Held,
    HideBody,
    LimitQuery,
    MergeBody,
    ReviewBody,
    RollbackBody,
    SettleBody,
    StatementPath,
    Who,
    about,
    statuses,
)
from clausegraph.app.api.replies import after_cursor, by_content, part, reply
from clausegraph.app.api.shapes import (
    ChangesReply,
    DecisionsReply,
    EpochsReply,
    HideReply,
    HidingDecision,
    NameDecision,
    RunsReply,
    SettledReply,
)
from clausegraph.app.api.work import Ticket, waited
from clausegraph.app.services import entities, statements
from clausegraph.app.services import history as epoch_services
from clausegraph.app.services.changes import changes as find_changes
from clausegraph.app.services.corpora import corpus_status, get_run_record
from clausegraph.app.services.listings import reject_slice, run_slice

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["history"])
_READ = statuses(*OF_A_CORPUS)
_Run = Annotated[str, Path(min_length=1, max_length=100)]


@router.get("", response_model=dict[str, Any], responses=_READ)
async def status(held: Held, corpus: CorpusPath) -> Response:
    """What its published epoch holds, its sources, its last runs, and who is at work on it."""
    return reply((await held.reads.run(corpus_status, held.workspace, corpus))[0])


@router.get("/epochs", response_model=EpochsReply, responses=_READ)
async def epochs(
    held: Held,
    corpus: CorpusPath,
    on: Annotated[str | None, Query(max_length=40, description="A day, as 2026-01-31.")] = None,
) -> Response:
    """The retained epochs, newest first; with `on` only the newest that was published by the end of that day, in the
    server's time zone."""
    found = await held.reads.run(epoch_services.list_epochs, held.workspace, corpus)
    if on is not None:
        number = await held.reads.run(epoch_services.epoch_on, held.workspace, corpus, on)
        found = [one for one in found if one["epoch"] == number]
    return reply({"corpus": corpus, "items": found})


@router.post("/rollback", response_model=dict[str, Any], responses=statuses(*OF_A_CORPUS, 409, 413))
async def rollback(held: Held, corpus: CorpusPath, wanted: RollbackBody) -> Response:
    """Let readers get an older epoch, or the newest again; the next publish goes on from the newest."""
    return reply(await held.reads.run(epoch_services.rollback, held.workspace, corpus, wanted.epoch))


@router.get("/changes", response_model=ChangesReply, responses=statuses(*OF_A_CORPUS, 304))
async def changes(
    request: Request, held: Held, corpus: CorpusPath, since: EpochNumber = None, until: EpochNumber = None
) -> Response:
    """Pages and statements that are new, gone or changed between two retained epochs; by default the published one and
    the one before it."""
    return by_content(request, await held.reads.run(find_changes, held.workspace, corpus, since, until))


@router.get("/runs", response_model=RunsReply, responses=_READ)
async def runs(
    request: Request, held: Held, corpus: CorpusPath, cursor: CursorQuery = None, limit: LimitQuery = 50
) -> Response:
    """Runs, newest first, without their reports."""
    after = after_cursor(request, cursor)
    found = await held.reads.run(run_slice, held.workspace, corpus, limit, after)
    return reply({"corpus": corpus} | part(request, found))


@router.get("/runs/{run}", response_model=dict[str, Any], responses=_READ)
async def run(held: Held, corpus: CorpusPath, run: _Run) -> Response:
    """A run with its report."""
    return reply(await held.reads.run(get_run_record, held.workspace, corpus, run))


@router.get("/runs/{run}/rejects", response_model=dict[str, Any], responses=_READ)
async def rejects(
    request: Request, held: Held, corpus: CorpusPath, run: _Run, cursor: CursorQuery = None, limit: LimitQuery = 50
) -> Response:
    """What a run did not use and what failed in it, each with its reason."""
    after = after_cursor(request, cursor)
    found = await held.reads.run(reject_slice, held.workspace, corpus, run, limit, after)
    return reply({"corpus": corpus, "run": run} | part(request, found))


decisions_router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["decisions"])
_CHANGE = statuses(*OF_A_CORPUS, 409, 413)


@decisions_router.get("/decisions", response_model=DecisionsReply, responses=statuses(*OF_A_CORPUS))
async def decisions(held: Held, corpus: CorpusPath) -> Response:
    """Every decision, by whom, since which epoch it is in force, and what waits for the next publish: about names
    (`decisions`, what pages define, `pending`), and about statements (`hidden`, and what comes back: `returning`)."""

    def read() -> dict[str, Any]:
        found = entities.decisions_status(held.workspace, corpus)
        return found | statements.hidden_status(held.workspace, corpus)

    return reply(await held.reads.run(read))


@decisions_router.post("/decisions/review", response_model=dict[str, Any], responses=_CHANGE)
async def review(held: Held, corpus: CorpusPath, wanted: ReviewBody) -> Response:
    """Pairs of names that may be one entity, best first, with sentences of both; what is new among them is kept."""
    return reply(await held.reads.run(entities.review, held.workspace, corpus, wanted.type, wanted.limit))


@decisions_router.post("/decisions/merge", response_model=NameDecision, responses=_CHANGE)
async def merge(request: Request, held: Held, who: Who, corpus: CorpusPath, pair: MergeBody) -> Response:
    """Take a name for an entity; a pair that is merged already stays so."""
    about(request, f"{pair.name!r} is {pair.entity!r}")
    return reply(await held.reads.run(entities.merge, held.workspace, corpus, pair.name, pair.entity, who.name))


@decisions_router.post("/decisions/deny", response_model=SettledReply, responses=_CHANGE)
async def deny(request: Request, held: Held, who: Who, corpus: CorpusPath, denied: DenyBody) -> Response:
    """Decide that a name is not what pages define it to be."""
    about(request, repr(denied.name))
    return reply(await held.reads.run(entities.deny, held.workspace, corpus, denied.name, who.name))


@decisions_router.post(
    "/decisions/publish", response_model=dict[str, Any], responses=statuses(*OF_A_CORPUS, 409, 413, 504)
)
async def publish(request: Request, held: Held, corpus: CorpusPath) -> Response:
    """Publish what was decided, without a run of a source; the report has no epoch where everything is in force.

    A publish whose client goes away, or whose time is over, goes on to its end.
    """

    def work(ticket: Ticket) -> dict[str, object]:
        ticket.check()
        return entities.run_apply(held.workspace, corpus).as_dict()

    return reply(await waited(request, held.work, held.workspace.settings.serve_seconds, work))


@decisions_router.put("/decisions/{number}", response_model=SettledReply, responses=_CHANGE)
async def settle(
    request: Request, held: Held, who: Who, corpus: CorpusPath, number: DecisionPath, wanted: SettleBody
) -> Response:
    """Accept or reject a proposal, or take that back, which removes a merge that nobody had proposed."""
    about(request, wanted.state)
    return reply(await held.reads.run(entities.settle, held.workspace, corpus, number, wanted.state, who.name))


@decisions_router.put("/statements/{statement}/hidden", response_model=HideReply, responses=_CHANGE)
async def hide(
    request: Request, held: Held, who: Who, corpus: CorpusPath, statement: StatementPath, why: HideBody
) -> Response:
    """Hide a statement that is wrong, with the reason; one that is hidden already stays as it was decided."""
    about(request, why.reason)
    return reply(await held.reads.run(statements.hide, held.workspace, corpus, statement, why.reason, who.name))


@decisions_router.delete("/hidden/{number}", response_model=HidingDecision, responses=_CHANGE)
async def unhide(held: Held, corpus: CorpusPath, number: DecisionPath) -> Response:
    """Take back a decision that hides a statement."""
    return reply(await held.reads.run(statements.undo, held.workspace, corpus, number))
