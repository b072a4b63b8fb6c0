"""What administrators do on screen: epochs and the end of a corpus, vacuum, tokens, evaluations."""

from __future__ import annotations

from typing import Annotated

from fastapi import File, Form, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from clausegraph.app.api.parameters import TokenBody
from clausegraph.app.api.served import Held, about
from clausegraph.app.console.admin import admin_screen
from clausegraph.app.console.screen import OfScreen, Screen, address, checked, router
from clausegraph.app.services.corpora import drop_named, standing
from clausegraph.app.services.history import list_epochs, rollback
from clausegraph.app.services.jobs import VacuumOrder
from clausegraph.app.services.measuring import EvaluationOrder, keep_questions, start_evaluation
from clausegraph.app.services.tokens import add_token, revoke_token
from clausegraph.core.errors import InputError
from clausegraph.indexes.hidden import LONGEST_REASON

routes, forms = router(), router(forms=True)
_Reason = Annotated[str, Form(max_length=LONGEST_REASON)]
_Text = Annotated[str, Form(max_length=500)]
_Number = Annotated[int, Form(ge=1, le=10**15)]


@routes.get("/c/{corpus}/manage")
async def manage(of: OfScreen) -> Response:
    """The epochs of a corpus to go back to, what may be removed of it, and its end."""
    return await _screen(of)


async def _screen(of: Screen, status: int = 200, problem: str = "") -> Response:
    kept = of.held.workspace.settings
    shown = {"keep_epochs": kept.keep_epochs, "keep_days": kept.keep_days, "problem": problem}
    shown |= {"epochs": await of.run(list_epochs), "standing": await of.run(standing)}
    return of.html("manage.html", status, screen="manage", **shown)


@forms.post("/c/{corpus}/manage/rollback")
async def roll_back(of: OfScreen, epoch: _Number, reason: _Reason = "") -> Response:
    """Let readers get an older epoch, or the newest again."""
    about(of.request, f"epoch {epoch}", reason)
    await of.run(rollback, epoch)
    return RedirectResponse(address(of.corpus, "manage"), 303)


@forms.post("/c/{corpus}/manage/vacuum")
async def vacuum(of: OfScreen, epochs: _Text, days: _Text, reason: _Reason = "") -> Response:
    """Ask for a vacuum, and go to its run."""
    order = checked(VacuumOrder, keep_epochs=epochs, keep_days=days)
    about(of.request, f"keep {order.keep_epochs} epochs and {order.keep_days:g} days", reason)
    made = await of.held.reads.run(of.held.jobs.vacuum, of.corpus, order, of.who.name)
    return of.to_run(made["id"])


@forms.post("/c/{corpus}/manage/drop")
async def drop(of: OfScreen, name: _Text, reason: _Reason = "") -> Response:
    """Remove a corpus whose name was typed; with another name it stays, and the screen says so."""
    about(of.request, "", reason)
    try:
        done = await of.run(drop_named, name)
    except InputError as error:
        return await _screen(of, 400, str(error))
    if left := [*done["remains"], *done["lagging"]]:
        return of.html("error.html", title="Dropped, but not all of it is gone", detail="; ".join(left), request_id="")
    return RedirectResponse("/corpora", 303)


@forms.post("/c/{corpus}/evaluations")
async def evaluate(of: OfScreen, questions: _Text, engine: _Text, sample: _Text = "", reason: _Reason = "") -> Response:
    """Ask for an evaluation, and go to its run."""
    order = checked(EvaluationOrder, questions=questions, engine=engine, sample=sample.strip() or None)
    about(of.request, f"{engine} on {questions}", reason)
    made = await of.run(start_evaluation, of.held.jobs.queue, order, of.who.name)
    return of.to_run(made["id"])


@forms.post("/c/{corpus}/evaluations/questions")
async def send_questions(of: OfScreen, file: Annotated[UploadFile, File()]) -> Response:
    """Keep a question file."""
    about(of.request, file.filename or "")
    await of.held.reads.run(keep_questions, of.held.workspace.settings, file.filename or "", await file.read())
    return RedirectResponse(address(of.corpus, "evaluations"), 303)


@forms.post("/admin/tokens")
async def make_token(
    request: Request, held: Held, name: _Text, role: _Text, corpora: _Text = "", days: _Text = "",
    reason: _Reason = "",
) -> Response:  # fmt: skip
    """Make a token, and show its text this once."""
    names = [one.strip() for one in corpora.split(",") if one.strip()]
    wanted = checked(TokenBody, name=name.strip(), role=role, corpora=names, days=days.strip() or None)
    about(request, f"{wanted.name}, {wanted.role}", reason)
    given = wanted.name, wanted.role, wanted.corpora, wanted.days
    try:
        made, text = await held.reads.run(add_token, held.workspace.settings, *given)
    except InputError as error:
        return await admin_screen(request, held, 400, problem=str(error))
    return await admin_screen(request, held, made=made | {"token": text})


@forms.post("/admin/tokens/revoke")
async def end_token(request: Request, held: Held, name: _Text, reason: _Reason = "") -> Response:
    """Take a token away."""
    about(request, name, reason)
    await held.reads.run(revoke_token, held.workspace.settings, name)
    return RedirectResponse(f"/admin?{request.url.query}#tokens", 303)
