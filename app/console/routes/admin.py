"""The server as a whole, for whoever runs it: corpora, schedules, disk, settings, who changed what, and the doctor."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import Held
from clausegraph.app.api.pool import Ticket
from clausegraph.app.api.served import Served
from clausegraph.app.api.waiting import waited
from clausegraph.app.console.routing import router
from clausegraph.app.console.templating import html
from clausegraph.app.services.doctor import Finding, examine
from clausegraph.app.services.settings import list_settings
from clausegraph.app.services.status import corpus_status
from clausegraph.app.services.storage import disk_use

routes = router()
_DEEDS = 20  # of the audit log


@routes.get("/admin")
async def admin(request: Request, held: Held, examined: Annotated[bool, Query()] = False) -> Response:
    """All of it; the doctor reads the whole ledger, so it looks only when asked to."""
    found = await held.reads.run(_look, held)
    findings: list[Finding] | None = None
    if examined:
        seconds = held.workspace.settings.serve_seconds
        findings = await waited(request, held.work, seconds, lambda ticket: _examine(held, ticket))
    return html(request, "admin.html", screen="admin", findings=findings, **found)


def _look(held: Served) -> dict[str, Any]:
    settings = held.workspace.settings
    return {
        "corpora": corpus_status(held.workspace),
        "schedules": sorted(settings.corpora.items()),
        "disk": disk_use(settings),
        "settings": [one for one in list_settings(settings) if one["name"] != "corpora"],
        "deeds": held.audit.last(_DEEDS),
    }


def _examine(held: Served, ticket: Ticket) -> list[Finding]:
    ticket.check()
    return examine(held.workspace.settings)
