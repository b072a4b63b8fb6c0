"""How a corpus came to be what it is: epochs, what each changed, runs and what they did not use."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import OF_A_CORPUS, Held, statuses
from clausegraph.app.api.paging import after_cursor, by_content, part
from clausegraph.app.api.parameters import CorpusPath, CursorQuery, EpochNumber, LimitQuery, RollbackBody
from clausegraph.app.api.replies import reply
from clausegraph.app.api.shapes import ChangesReply, EpochsReply, RunsReply
from clausegraph.app.services import epochs as epoch_services
from clausegraph.app.services.changes import changes as find_changes
from clausegraph.app.services.listings import reject_slice, run_slice
from clausegraph.app.services.status import corpus_status, get_run_record

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
