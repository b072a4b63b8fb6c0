"""What ``eval`` measured: runs, one with figures, plots and wrong answers, and two of them side by side."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from clausegraph.app.access.roles import Principal
from clausegraph.app.api.dependencies import Held, Who
from clausegraph.app.api.parameters import CorpusPath
from clausegraph.app.api.served import Served
from clausegraph.app.console.routing import router
from clausegraph.app.console.templating import html
from clausegraph.app.services.evaluations import case_slice, evaluations_of, plot_of, report_record

routes = router()
_CASES = 20  # of one screen
_Run = Annotated[str, Query(min_length=1, max_length=200)]


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
    name: _Run,
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
async def plot(held: Held, who: Who, corpus: CorpusPath, name: _Run, plot: _Run) -> Response:
    """A picture of a report."""
    _, made = await held.reads.run(held.evaluations.report, name, who.may_see_run)
    return Response(plot_of(made, plot), headers={"Cache-Control": "no-store"}, media_type="image/png")
