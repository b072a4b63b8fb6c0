"""What ``eval`` measured: runs, the report of one, and its wrong answers."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import ALWAYS, Held, Who, statuses
from clausegraph.app.api.paging import after_cursor, part
from clausegraph.app.api.parameters import CursorQuery, LimitQuery
from clausegraph.app.api.replies import reply
from clausegraph.app.api.shapes import EvaluationsReply
from clausegraph.app.services.evaluations import case_slice, report_record

router = APIRouter(prefix="/v1/evaluations", tags=["evaluations"])
_ONE = statuses(*ALWAYS, 400, 404, 503)
_Run = Annotated[str, Path(min_length=1, max_length=200, description="Name of the run's folder.")]


@router.get("", response_model=EvaluationsReply, responses=statuses(*ALWAYS, 400, 503))
async def evaluations(held: Held, who: Who) -> Response:
    """The finished runs in the folder of the settings, newest first, of corpora that the token may see."""
    return reply({"items": await held.reads.run(held.evaluations.listed, who.may_see_run)})


@router.get("/{run}", response_model=dict[str, Any], responses=_ONE)
async def evaluation(held: Held, who: Who, run: _Run) -> Response:
    """A run with its report: headlines with their intervals, tables, and the kinds of its errors."""
    described, report = await held.reads.run(held.evaluations.report, run, who.may_see_run)
    return reply(described | {"report": report_record(report)})


@router.get("/{run}/cases", response_model=dict[str, Any], responses=_ONE)
async def evaluation_cases(
    request: Request, held: Held, who: Who, run: _Run,
    kind: Annotated[str, Query(max_length=200, description="Only errors of this kind.")] = "",
    cursor: CursorQuery = None, limit: LimitQuery = 50,
) -> Response:  # fmt: skip
    """Its wrong answers beside the gold ones."""
    after = after_cursor(request, cursor)
    _, report = await held.reads.run(held.evaluations.report, run, who.may_see_run)
    return reply({"run": run} | part(request, case_slice(report, limit, after, kind)))
