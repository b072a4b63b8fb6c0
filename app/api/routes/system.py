"""The server itself: whether it is well, what it counted, who asks, what it is set to."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.responses import PlainTextResponse, Response

from clausegraph.app.api.dependencies import ALWAYS, Held, Who, statuses
from clausegraph.app.api.metrics import CONTENT_TYPE
from clausegraph.app.api.parameters import LimitQuery
from clausegraph.app.api.problems import refusal
from clausegraph.app.api.replies import reply
from clausegraph.app.services.corpora import list_corpora
from clausegraph.app.services.prompts import get_prompt, list_prompts
from clausegraph.app.services.settings import list_settings
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
