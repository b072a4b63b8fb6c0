"""The server itself: whether it is well, what it counted, who asks, what it is set to."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import PlainTextResponse, Response

from clausegraph.app.api.dependencies import ALWAYS, Held, Who, statuses
from clausegraph.app.api.metrics import CONTENT_TYPE
from clausegraph.app.api.problems import refusal
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
    from clausegraph.app.services.corpora import list_corpora

    found = await held.reads.run(list_corpora, held.workspace)
    return {"items": [one for one in found if who.may_see(one["corpus"])]}
