"""Runs: asked for, followed, cancelled, looked at; and the files and addresses that they read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, File, Form, UploadFile
from starlette.responses import Response, StreamingResponse

from clausegraph.app.api.parameters import EVENTS, OF_A_CORPUS, STREAM, RunPath, statuses
from clausegraph.app.api.replies import CorpusRequest, OfCorpus, OfPart, list_reply, reply
from clausegraph.app.api.served import about
from clausegraph.app.api.work import json_event
from clausegraph.app.services import uploads
from clausegraph.app.services.corpora import get_run_record
from clausegraph.app.services.history import ListedRun, reject_slice, run_slice
from clausegraph.app.services.jobs import PreviewReply, RunOrder, preview
from clausegraph.app.services.uploads import SentFile, UploadReply
from clausegraph.indexes.corpora import QUEUED, RUNNING

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["runs"])
RunsReply = list_reply("RunsReply", "Runs, newest first.", ListedRun)
_READ, _CHANGE = statuses(*OF_A_CORPUS), statuses(*OF_A_CORPUS, 409, 413)
_LOOK_S, _BEAT_S = 0.5, 15.0  # between two looks at a run; and two signs of life where nothing moves
_Source = Annotated[str, Form(min_length=1, max_length=500, description="Of which they are to be the files.")]
_Files = Annotated[list[UploadFile], File(description="Files that are read, or .zip of them.")]
_Only = Annotated[bool, Form(description="Take away the files that the source has beside them.")]


@router.post("/runs", status_code=202, response_model=dict[str, Any], responses=_CHANGE)
async def start_run(of: OfCorpus, order: RunOrder) -> Response:
    """Ask for a run of a source, an address or a page, or with `dry_run` for its forecast; `Location` has it.

    The corpus is made where there is none. A run waits until its corpus is free."""
    made = await of.held.reads.run(of.held.jobs.start, of.corpus, order, of.who.name)
    about(of.request, f"{order.page or order.address or order.source}{', dry run' if order.dry_run else ''}")
    return reply(made, 202, made=f"/v1/corpora/{quote(of.corpus, safe='')}/runs/{made['id']}")


@router.put("/runs/{run}/cancelled", response_model=dict[str, Any], responses=_CHANGE)
async def cancel_run(of: OfCorpus, run: RunPath) -> Response:
    """End a run that was asked for here at its next step: nothing of it is published, unless it publishes already."""
    return reply(await of.held.reads.run(of.held.jobs.cancel, of.corpus, run, of.who.name))


@router.get("/runs/{run}/events", response_model=str, responses=STREAM | _READ)
async def run_events(of: OfCorpus, run: RunPath) -> Response:
    """A run as it goes on: events `progress`, each the run as its resource has it, without the report; then `end`."""
    return await followed(of, run, lambda kind, found: json_event(kind, found | {"report": None}))


async def followed(of: CorpusRequest, run: str, write: Callable[[str, Any], str]) -> Response:
    """A stream of how far a run is, whichever process does it, until it or this server ends."""
    first = await of.run(get_run_record, run)

    async def following() -> AsyncIterator[str]:
        found, since, ending = first, 0.0, of.held.jobs.ending
        yield write("progress", found)
        while found["status"] in (QUEUED, RUNNING) and not ending.is_set():
            await asyncio.sleep(_LOOK_S)
            before, found = found, await of.run(get_run_record, run)
            since = 0.0 if found != before else since + _LOOK_S
            if found != before:
                yield write("progress", found)
            elif since % _BEAT_S < _LOOK_S:
                yield ": at work\n\n"
        if not ending.is_set():
            yield write("end", found)

    return StreamingResponse(following(), 200, {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}, EVENTS)


@router.get("/runs", response_model=RunsReply, responses=_READ)
async def runs(of: OfPart) -> Response:
    """Runs, newest first, without their reports."""
    return await of.reply(run_slice)


@router.get("/runs/{run}", response_model=dict[str, Any], responses=_READ)
async def run(of: OfCorpus, run: RunPath) -> Response:
    """A run with its report."""
    return await of.reply(get_run_record, run)


@router.get("/runs/{run}/rejects", response_model=dict[str, Any], responses=_READ)
async def rejects(of: OfPart, run: RunPath) -> Response:
    """What a run did not use and what failed in it, each with its reason."""
    return await of.reply(reject_slice, run, run=run)


@router.post("/uploads", response_model=UploadReply, responses=_CHANGE)
async def upload(of: OfCorpus, source: _Source, files: _Files, only: _Only = False) -> Response:
    """Keep files for a source, beside those that it has; one of the same name is replaced. A run of the source reads
    them: nothing is read or published before. The corpus is made where there is none."""
    about(of.request, f"{source}: {len(files)} files")
    sent = [SentFile(one.filename or "", one.file) for one in files]
    return await of.reply(uploads.store, source, sent, only=only)


@router.post("/preview", response_model=PreviewReply, responses=statuses(*OF_A_CORPUS, 413, 504))
async def preview_address(of: OfCorpus, order: RunOrder) -> Response:
    """What a run of an address would ask, by a few requests through the guarded client; nothing is stored."""
    return reply(await of.work(lambda _: preview(of.held.workspace, order)))
