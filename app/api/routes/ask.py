"""Answers and passages: what embeds a question, and may ask a language model."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from clausegraph.app.answer_json import answer_json, step_json
from clausegraph.app.api.dependencies import OF_A_CORPUS, Held, statuses
from clausegraph.app.api.parameters import AnswerBody, CorpusPath, EpochQuery, PassagesBody
from clausegraph.app.api.pool import Ticket
from clausegraph.app.api.replies import reply
from clausegraph.app.api.shapes import AnswerReply, PassagesReply
from clausegraph.app.api.waiting import Tell, streamed, waited
from clausegraph.app.services.ask import answer, parse_assumptions
from clausegraph.app.services.search import search
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer, TraceStep

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["questions"])
_EVENTS = "text/event-stream"
_STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {_EVENTS: {"schema": {"type": "string"}}}}}


@router.post("/ask", response_model=AnswerReply, responses=_STREAM | statuses(*OF_A_CORPUS, 409, 413, 504))
async def ask(
    request: Request, held: Held, corpus: CorpusPath, asked: AnswerBody, epoch: EpochQuery = None
) -> Response:
    """An answer with its conditions and evidence (docs/answers.md).

    With `Accept: text/event-stream` the steps come as they end: events `step`, then `answer` or `problem`. An answer
    nobody waits for any more is not worked out to its end.
    """
    inquiry, assumed = (
        _inquiry(asked),
        parse_assumptions([f"{name}={state}" for name, state in asked.assumptions.items()]),
    )

    def work(ticket: Ticket, tell: Tell | None = None) -> dict[str, Any]:
        def watch(step: TraceStep) -> None:
            ticket.check()
            if tell is not None:
                tell(step_json(step))

        ticket.check()
        found: Answer = answer(held.workspace, corpus, inquiry, epoch, assumed, engine=asked.engine, watch=watch)
        return answer_json(found, trace=asked.trace)

    seconds = held.workspace.settings.serve_seconds
    if _EVENTS in request.headers.get("accept", ""):
        return await streamed(request, held.work, seconds, work)
    found = await waited(request, held.work, seconds, work)
    return reply(found, epoch=found["epoch"])


@router.post("/retrieve", response_model=PassagesReply, responses=statuses(*OF_A_CORPUS, 409, 413, 504))
async def retrieve(
    request: Request, held: Held, corpus: CorpusPath, asked: PassagesBody, epoch: EpochQuery = None
) -> Response:
    """The passages a question is about, best first, with scores; nothing is answered."""
    inquiry = _inquiry(asked)

    def work(_: Ticket) -> dict[str, Any]:
        return search(
            held.workspace, corpus, inquiry,
            retriever=asked.retriever, budget=asked.budget, limit=asked.limit, epoch=epoch,
        )  # fmt: skip

    found = await waited(request, held.work, held.workspace.settings.serve_seconds, work)
    return reply(found, epoch=found["epoch"])


def _inquiry(asked: AnswerBody | PassagesBody) -> Inquiry:
    return Inquiry(asked.question, asked.scenario)
