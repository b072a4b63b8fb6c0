"""What administrators do: tokens, vacuum, evaluations, the end of a corpus, and whether all is sound."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, File, Path, Query, Request, UploadFile
from starlette.responses import Response

from clausegraph.app.api.parameters import ALWAYS, OF_A_CORPUS, TokenBody, statuses
from clausegraph.app.api.replies import OfCorpus, reply
from clausegraph.app.api.served import Held, about
from clausegraph.app.api.work import waited
from clausegraph.app.services.corpora import drop_named
from clausegraph.app.services.doctor import examine
from clausegraph.app.services.jobs import VacuumOrder
from clausegraph.app.services.measuring import EvaluationOrder, keep_questions, question_files, start_evaluation
from clausegraph.app.services.tokens import add_token, list_tokens, revoke_token
from clausegraph.indexes.hidden import LONGEST_REASON

router = APIRouter(prefix="/v1", tags=["administration"])
_OF_ALL = (*ALWAYS, 400, 503)
_CHANGE = statuses(*OF_A_CORPUS, 409, 413)
_Reason = Annotated[str, Query(max_length=LONGEST_REASON, description="Why; the audit log keeps it.")]
_TokenName = Annotated[str, Path(min_length=1, max_length=200)]
_Again = Annotated[str, Query(min_length=1, max_length=500, description="The name of the corpus once more.")]


@router.get("/tokens", response_model=dict[str, Any], responses=statuses(*_OF_ALL))
async def tokens(held: Held) -> Response:
    """Every token by name, without anything secret."""
    return reply({"items": await held.reads.run(list_tokens, held.workspace.settings)})


@router.post("/tokens", status_code=201, response_model=dict[str, Any], responses=statuses(*_OF_ALL, 413))
async def make_token(request: Request, held: Held, wanted: TokenBody) -> Response:
    """Make a token. `token` is its text, which is shown this once; only its hash is kept."""
    about(request, f"{wanted.name}, {wanted.role}", wanted.reason)
    given = wanted.name, wanted.role, wanted.corpora, wanted.days
    made, text = await held.reads.run(add_token, held.workspace.settings, *given)
    return reply(made | {"token": text}, 201)


@router.delete("/tokens/{name}", response_model=dict[str, Any], responses=statuses(*_OF_ALL, 404))
async def end_token(request: Request, held: Held, name: _TokenName, reason: _Reason = "") -> Response:
    """Take a token away; it is refused from the next request on."""
    about(request, "", reason)
    return reply(await held.reads.run(revoke_token, held.workspace.settings, name))


@router.get("/doctor", response_model=dict[str, Any], responses=statuses(*_OF_ALL, 504))
async def doctor(request: Request, held: Held) -> Response:
    """Whether installation, model, ledger, vectors and disk are sound; it reads the whole ledger."""
    settings = held.workspace.settings
    found = await waited(request, held.work, settings.serve_seconds, lambda _: examine(settings))
    return reply({"findings": [asdict(one) for one in found]})


@router.get("/question-files", response_model=dict[str, Any], responses=statuses(*_OF_ALL))
async def questions_there(held: Held) -> Response:
    """The question files that an evaluation may take."""
    return reply({"items": await held.reads.run(question_files, held.workspace.settings)})


@router.post("/question-files", response_model=dict[str, Any], responses=statuses(*_OF_ALL, 413))
async def send_questions(request: Request, held: Held, file: Annotated[UploadFile, File()]) -> Response:
    """Keep a question file in ConditionalQA's form."""
    about(request, file.filename or "")
    kept = await held.reads.run(keep_questions, held.workspace.settings, file.filename or "", await file.read())
    return reply({"items": kept})


@router.post("/corpora/{corpus}/evaluations", status_code=202, response_model=dict[str, Any], responses=_CHANGE)
async def evaluate(of: OfCorpus, order: EvaluationOrder) -> Response:
    """Measure an engine on questions, as a run that `Location` has; `/v1/evaluations/RUN` has the figures then."""
    about(of.request, f"{order.engine} on {order.questions}", order.reason)
    return _begun(of, await of.run(start_evaluation, of.held.jobs.queue, order, of.who.name))


@router.post("/corpora/{corpus}/vacuum", status_code=202, response_model=dict[str, Any], responses=_CHANGE)
async def vacuum(of: OfCorpus, order: VacuumOrder) -> Response:
    """Remove for good what only old epochs show, as a run that `Location` has."""
    about(of.request, "", order.reason)
    return _begun(of, await of.held.reads.run(of.held.jobs.vacuum, of.corpus, order, of.who.name))


def _begun(of: OfCorpus, made: dict[str, Any]) -> Response:
    return reply(made, 202, made=f"/v1/corpora/{quote(of.corpus, safe='')}/runs/{made['id']}")


@router.delete("/corpora/{corpus}", response_model=dict[str, Any], responses=_CHANGE)
async def drop(of: OfCorpus, name: _Again, reason: _Reason = "") -> Response:
    """Remove a corpus with everything it has; `remains` says what could not be removed, and why."""
    about(of.request, "", reason)
    return await of.reply(drop_named, name)
