"""Runs, changes, evaluations, and the server as a whole."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.access.roles import Principal
from clausegraph.app.api.parameters import CorpusPath, EpochNumber, Held, Who
from clausegraph.app.api.served import Served
from clausegraph.app.api.work import Ticket, waited
from clausegraph.app.console.screen import html, router
from clausegraph.app.services.changes import changes as find_changes
from clausegraph.app.services.corpora import corpus_status, disk_use, get_run_record
from clausegraph.app.services.doctor import Finding, examine
from clausegraph.app.services.evaluations import case_slice, evaluations_of, plot_of, report_record
from clausegraph.app.services.history import RunProgress, list_epochs, run_progress, run_summaries, run_summary
from clausegraph.app.services.listings import reject_slice
from clausegraph.app.services.records import Slice
from clausegraph.app.services.settings import list_settings
from clausegraph.app.workspace import Workspace

routes = router()
_RUNS, _REJECTS = 50, 200  # of one screen
_Run = Annotated[str, Query(max_length=100)]


@routes.get("/c/{corpus}/runs")
async def runs(
    request: Request,
    held: Held,
    corpus: CorpusPath,
    before: Annotated[float | None, Query(ge=0, le=1e12, allow_inf_nan=False)] = None,
    run: _Run = "",
) -> Response:
    """Runs, newest first; from after the one that started at ``before`` and is called ``run``."""
    after = None if before is None else [before, run]
    found = await held.reads.run(run_summaries, held.workspace, corpus, _RUNS, after)
    return html(request, "runs.html", screen="runs", found=found)


@routes.get("/c/{corpus}/run")
async def run(
    request: Request,
    held: Held,
    corpus: CorpusPath,
    name: _Run,
    after: Annotated[int | None, Query(ge=0, le=10**9)] = None,
) -> Response:
    """One run: how far it is while it is at work; then what it did, what failed in it and what it did not use."""
    record, left, progress = await held.reads.run(_run, held.workspace, corpus, name, after)
    values: dict[str, Any] = {"run": record, "summary": run_summary(record), "left": left, "progress": progress}
    return html(request, "run.html", screen="runs", **values)


def _run(
    workspace: Workspace, corpus: str, name: str, after: int | None
) -> tuple[dict[str, Any], Slice, RunProgress | None]:
    key, record = None if after is None else [after], get_run_record(workspace, corpus, name)
    return record, reject_slice(workspace, corpus, name, _REJECTS, key), run_progress(workspace, corpus, record)


@routes.get("/c/{corpus}/changes")
async def changes(
    request: Request, held: Held, corpus: CorpusPath, since: EpochNumber = None, until: EpochNumber = None
) -> Response:
    """Pages and statements that differ between two epochs; by default the published one and the one before it."""
    epochs, found = await held.reads.run(_changes, held.workspace, corpus, since, until)
    return html(request, "changes.html", screen="changes", epochs=epochs, found=found)


def _changes(
    workspace: Workspace, corpus: str, since: int | None, until: int | None
) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
    """The retained epochs, and what differs; None where there is but one epoch and none was asked for."""
    epochs = list_epochs(workspace, corpus)
    if len(epochs) < 2 and since is None and until is None:
        return epochs, None
    return epochs, find_changes(workspace, corpus, since, until)


_CASES = 20  # of one screen
_Name = Annotated[str, Query(min_length=1, max_length=200)]


@routes.get("/c/{corpus}/evaluations")
async def evaluations(request: Request, held: Held, who: Who, corpus: CorpusPath) -> Response:
    """The finished runs of corpora that somebody may see, newest first."""
    found = await held.reads.run(held.evaluations.listed, who.may_see_run)
    hint = evaluations_of(held.workspace.settings.evaluations)
    return html(request, "evaluations.html", screen="evaluations", found=found, hint=hint)


@routes.get("/c/{corpus}/evaluation")
async def evaluation(
    request: Request,
    held: Held,
    who: Who,
    corpus: CorpusPath,
    name: _Name,
    against: Annotated[str, Query(alias="with", max_length=200)] = "",
    kind: Annotated[str, Query(max_length=200)] = "",
    after: Annotated[int, Query(ge=0, le=10**9)] = 0,
) -> Response:
    """A run: its headlines, beside those of another where one is named, its tables and plots, and its wrong answers."""
    found = await held.reads.run(_evaluation, held, who, name, against)
    cases = case_slice(found.pop("made"), _CASES, [after] if after else None, kind)
    values: dict[str, Any] = {"name": name, "against": against, "kind": kind, "cases": cases}
    return html(request, "evaluation.html", screen="evaluations", **found, **values)


def _evaluation(held: Served, who: Principal, name: str, against: str) -> dict[str, Any]:
    run, made = held.evaluations.report(name, who.may_see_run)
    others = [one for one in held.evaluations.listed(who.may_see_run) if one["name"] != name]
    beside = held.evaluations.compared(name, against, who.may_see_run) if against else []
    return {"run": run, "made": made, "report": report_record(made), "others": others, "beside": beside}


@routes.get("/c/{corpus}/evaluation/plot")
async def plot(held: Held, who: Who, corpus: CorpusPath, name: _Name, plot: _Name) -> Response:
    """A picture of a report."""
    _, made = await held.reads.run(held.evaluations.report, name, who.may_see_run)
    return Response(plot_of(made, plot), headers={"Cache-Control": "no-store"}, media_type="image/png")


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
