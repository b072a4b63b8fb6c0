"""Runs, changes, evaluations, and the server as a whole."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.api.parameters import EpochNumber
from clausegraph.app.api.served import Held
from clausegraph.app.api.work import waited
from clausegraph.app.console.screen import TEMPLATES, OfScreen, html, router
from clausegraph.app.services.changes import changes as find_changes
from clausegraph.app.services.corpora import disk_use, get_run_record
from clausegraph.app.services.doctor import examine
from clausegraph.app.services.evaluations import case_slice, report_record
from clausegraph.app.services.history import list_epochs, reject_slice, run_summaries, run_summary
from clausegraph.app.services.measuring import question_files
from clausegraph.app.services.overview import overview
from clausegraph.app.services.settings import list_settings
from clausegraph.app.services.tokens import list_tokens

routes = router()
_RUNS, _REJECTS, _CASES = 50, 200, 20  # of one screen
_DEEDS = 20  # of the audit log
_Run = Annotated[str, Query(max_length=100)]
_Name = Annotated[str, Query(min_length=1, max_length=200)]
_After = Annotated[int | None, Query(ge=0, le=10**9)]


def deed(action: str) -> str:
    """What somebody did, in words: "add files" of ``POST /c/{corpus}/add/files``; a command as it is."""
    verb, is_request, path = action.partition(" /")
    words = [part for part in path.split("/") if part not in ("c", "v1", "admin") and not part.startswith("{")]
    return " ".join(["remove"] * (verb == "DELETE") + words) if is_request else action


TEMPLATES.filters["deed"] = deed


@routes.get("/c/{corpus}/runs")
async def runs(
    of: OfScreen, before: Annotated[float | None, Query(ge=0, le=1e12, allow_inf_nan=False)] = None, run: _Run = ""
) -> Response:
    """Runs, newest first; from after the one that started at ``before`` and is called ``run``."""
    found = await of.run(run_summaries, _RUNS, None if before is None else [before, run])
    return of.html("runs.html", screen="runs", found=found)


@routes.get("/c/{corpus}/run")
async def run(of: OfScreen, name: _Run, after: _After = None) -> Response:
    """One run: how far it is while it is at work; then what it did, what failed in it and what it did not use."""
    record = await of.run(get_run_record, name)
    left = await of.run(reject_slice, name, _REJECTS, None if after is None else [after])
    return of.html("run.html", screen="runs", run=record, summary=run_summary(record), left=left)


@routes.get("/c/{corpus}/changes")
async def changes(
    of: OfScreen, since: EpochNumber = None, until: EpochNumber = None, reworded: bool = False
) -> Response:
    """Pages and rules that differ between two epochs; by default the published one and the one before it, or after a
    rollback to the first of all, that and the newest."""
    epochs = await of.run(list_epochs)
    if since is None and until is None and epochs and epochs[-1].published:
        since, until = epochs[-1].epoch, epochs[0].epoch
    found = None if len(epochs) < 2 and since == until else await of.run(find_changes, since, until, reworded=reworded)
    return of.html("changes.html", screen="changes", epochs=epochs, found=found, reworded=reworded)


@routes.get("/c/{corpus}/evaluations")
async def evaluations(of: OfScreen) -> Response:
    """The finished runs of corpora that somebody may see, newest first."""
    from clausegraph.query.engines.bank import ENGINES

    found = await of.held.reads.run(of.held.evaluations.listed, of.who.may_see_run)
    settings = of.held.workspace.settings
    shown: dict[str, Any] = {"files": question_files(settings), "engines": ENGINES.names, "engine": settings.engine}
    return of.html("evaluations.html", screen="evaluations", found=found, **shown)


@routes.get("/c/{corpus}/evaluation")
async def evaluation(
    of: OfScreen, name: _Name, against: Annotated[str, Query(alias="with", max_length=200)] = "",
    after: _After = None,
) -> Response:  # fmt: skip
    """A run: its headlines, beside those of another where one is named, its tables, and its wrong answers."""
    evaluations, may, read = of.held.evaluations, of.who.may_see_run, of.held.reads.run
    run, made = await read(evaluations.report, name, may)
    others = [one for one in await read(evaluations.listed, may) if one.name != name]
    beside = await read(evaluations.compared, name, against, may) if against else []
    cases = case_slice(made, _CASES, [after] if after else None)
    shown: dict[str, Any] = {
        "run": run,
        "report": report_record(made),
        "others": others,
        "beside": beside,
        "cases": cases,
    }
    return of.html("evaluation.html", screen="evaluations", name=name, against=against, **shown)


@routes.get("/admin")
async def admin(request: Request, held: Held, examined: Annotated[bool, Query()] = False) -> Response:
    """All of it; the doctor reads the whole ledger, so it looks only when asked to."""
    settings = held.workspace.settings
    found = await waited(request, held.work, settings.serve_seconds, lambda _: examine(settings)) if examined else None
    return await admin_screen(request, held, findings=found)


async def admin_screen(request: Request, held: Held, status: int = 200, **more: Any) -> Response:
    """The screen of the whole server; ``more`` has findings, a token just made, or a problem."""
    settings = held.workspace.settings

    def look() -> dict[str, Any]:
        listed = [one for one in list_settings(settings) if one["name"] != "corpora"]
        shown = {"corpora": overview(held.workspace, lambda _: True), "disk": disk_use(settings), "settings": listed}
        return shown | {"tokens": list_tokens(settings), "deeds": held.audit.last(_DEEDS), "first": settings.corpus}

    shown = {"findings": None, "made": None, "problem": ""} | await held.reads.run(look) | more
    return html(request, "admin.html", status, screen="admin", **shown)
