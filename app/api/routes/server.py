"""The server itself: whether it is well, who asks, settings, prompts, and what ``eval`` measured."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import PlainTextResponse, Response

from clausegraph.app.api.parameters import ALWAYS, CursorQuery, LimitQuery, statuses
from clausegraph.app.api.problems import refusal
from clausegraph.app.api.replies import after_cursor, list_reply, part, reply
from clausegraph.app.api.served import CONTENT_TYPE, Held, Who
from clausegraph.app.services import Record
from clausegraph.app.services.evaluations import ListedEvaluation, case_slice, report_record
from clausegraph.app.services.overview import list_corpora
from clausegraph.app.services.settings import get_prompt, list_prompts, list_settings
from clausegraph.core.errors import ClauseGraphError
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.telemetry.redaction import error_fields

log = logger(__name__)
router = APIRouter(tags=["server"])


@router.get("/health/live", responses=statuses(421))
async def live() -> dict[str, str]:
    """The process answers."""
    return {"status": "live"}


@router.get("/health/ready", responses=statuses(421, 503))
async def ready(held: Held) -> dict[str, str]:
    """The ledger can be read, and there is room in the queue. Why not is in the log: anybody may ask this."""
    try:
        await held.reads.run(lambda: held.workspace.ledger)
    except ClauseGraphError as error:
        log.warning("http.not_ready", **error_fields(error))
        raise refusal("NotReady", 503, "Not ready", "the server's log says why", Retry_After="5") from error
    return {"status": "ready"}


@router.get("/metrics", response_class=PlainTextResponse, responses=statuses(*ALWAYS))
async def metrics(held: Held) -> Response:
    """In Prometheus's text form."""
    return Response(held.metrics.page(), media_type=CONTENT_TYPE)


@router.get("/v1/me", responses=statuses(*ALWAYS))
async def me(who: Who) -> dict[str, Any]:
    """Who asks: name, role, and the corpora that the token is bound to (null: every one)."""
    return {"name": who.name, "role": who.role, "corpora": None if who.corpora is None else sorted(who.corpora)}


@router.get("/v1/corpora", responses=statuses(*ALWAYS, 503))
async def corpora(held: Held, who: Who) -> dict[str, Any]:
    """The corpora that the token may see."""
    found = await held.reads.run(list_corpora, held.workspace)
    return {"items": [one for one in found if who.may_see(one["corpus"])]}


@router.get("/v1/prompts", response_model=dict[str, Any], responses=statuses(*ALWAYS, 400))
async def prompts(held: Held) -> Response:
    """The prompts of language models that are shipped, and those of the folder of one's own."""
    return reply({"items": await held.reads.run(list_prompts, held.workspace.settings.prompts)})


@router.get("/v1/prompts/{name}", response_model=dict[str, Any], responses=statuses(*ALWAYS, 400, 404))
async def prompt(held: Held, name: Annotated[str, Path(min_length=1, max_length=200)]) -> Response:
    """A prompt with its text, by its task, for the newest version, or as `task.vN`."""
    return reply(await held.reads.run(get_prompt, held.workspace.settings.prompts, name))


@router.get("/v1/settings", response_model=dict[str, Any], responses=statuses(*ALWAYS))
async def settings(held: Held) -> Response:
    """Every setting with its value and where that comes from; of a secret only that it is set."""
    return reply({"items": await held.reads.run(list_settings, held.workspace.settings)})


@router.get("/v1/audit", response_model=dict[str, Any], responses=statuses(*ALWAYS))
async def audit(held: Held, limit: LimitQuery = 50) -> Response:
    """Who changed what, newest first, and what was tried in vain."""
    return reply({"items": await held.reads.run(held.audit.last, limit)})


evaluations_router = APIRouter(prefix="/v1/evaluations", tags=["evaluations"])
EvaluationsReply = list_reply("EvaluationsReply", "Finished runs of `eval`, newest first.", ListedEvaluation, Record)
_ONE = statuses(*ALWAYS, 400, 404, 503)
_RunName = Annotated[str, Path(min_length=1, max_length=200, description="Name of the run's folder.")]


@evaluations_router.get("", response_model=EvaluationsReply, responses=statuses(*ALWAYS, 400, 503))
async def evaluations(held: Held, who: Who) -> Response:
    """The finished runs in the folder of the settings, newest first, of corpora that the token may see."""
    return reply({"items": await held.reads.run(held.evaluations.listed, who.may_see_run)})


@evaluations_router.get("/{run}", response_model=dict[str, Any], responses=_ONE)
async def evaluation(held: Held, who: Who, run: _RunName) -> Response:
    """A run with its report: headlines with their intervals, and tables."""
    described, report = await held.reads.run(held.evaluations.report, run, who.may_see_run)
    return reply(dict(described) | {"report": report_record(report)})


@evaluations_router.get("/{run}/cases", response_model=dict[str, Any], responses=_ONE)
async def evaluation_cases(
    request: Request, held: Held, who: Who, run: _RunName,
    cursor: CursorQuery = None, limit: LimitQuery = 50,
) -> Response:  # fmt: skip
    """Its wrong answers beside the gold ones."""
    after = after_cursor(request, cursor)
    _, report = await held.reads.run(held.evaluations.report, run, who.may_see_run)
    return reply({"run": run} | part(request, case_slice(report, limit, after)))
