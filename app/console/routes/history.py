"""How a corpus came to be what it is: its runs, what each did not use, and what changed between two epochs."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.api.dependencies import Held
from clausegraph.app.api.parameters import CorpusPath, EpochNumber
from clausegraph.app.console.routing import router
from clausegraph.app.console.templating import html
from clausegraph.app.services.changes import changes as find_changes
from clausegraph.app.services.epochs import list_epochs
from clausegraph.app.services.history import RunProgress, run_progress, run_summaries, run_summary
from clausegraph.app.services.listings import Slice, reject_slice
from clausegraph.app.services.status import get_run_record
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
