"""Answers and passages: what embeds a question, and may ask a language model."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import Response

from clausegraph.app.answer_json import step_json
from clausegraph.app.api.dependencies import EVENTS, OF_A_CORPUS, STREAM, Held, Who, statuses
from clausegraph.app.api.parameters import AnswerBody, CorpusPath, EpochQuery, PassagesBody
from clausegraph.app.api.pool import Ticket
from clausegraph.app.api.replies import reply
from clausegraph.app.api.shapes import AnswerReply, PassagesReply
from clausegraph.app.api.waiting import Tell, json_event, streamed, waited
from clausegraph.app.services.ask import answer, parse_assumptions
from clausegraph.app.services.kept import AskedQuestion
from clausegraph.app.services.search import search
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import TraceStep

router = APIRouter(prefix="/v1/corpora/{corpus}", tags=["questions"])


@router.post("/ask", response_model=AnswerReply, responses=STREAM | statuses(*OF_A_CORPUS, 409, 413, 504))
async def ask(
    request: Request, held: Held, who: Who, corpus: CorpusPath, asked: AnswerBody, epoch: EpochQuery = None
) -> Response:
    """An answer with its conditions and evidence (docs/answers.md).

    With `Accept: text/event-stream` the steps come as they end: events `step`, then `answer` or `problem`. An answer
    nobody waits for any more is not worked out to its end.

    It is kept for the token that asked: `Content-Location` says where, and so does the `id` of the event `answer`.
    """
    inquiry = _inquiry(asked)
    supposed = parse_assumptions([f"{name}={state}" for name, state in asked.assumptions.items()])

    def work(ticket: Ticket, tell: Tell | None = None) -> AskedQuestion:
        def watch(step: TraceStep) -> None:
            ticket.check()
            if tell is not None:
                tell(step_json(step))

        ticket.check()
        begun = held.kept.begin(who.token, corpus, inquiry, epoch, supposed)
        return held.kept.keep(begun, answer(held.workspace, corpus, inquiry, epoch, engine=asked.engine, watch=watch))

    def write(kind: str, value: Any) -> str:
        if kind != "answer":
            return json_event(kind, value)
        return json_event(kind, value.shown(trace=asked.trace), value.id if value.is_kept else "")

    seconds = held.workspace.settings.serve_seconds
    if EVENTS in request.headers.get("accept", ""):
        return await streamed(request, held.work, seconds, work, write)
    found = await waited(request, held.work, seconds, work)
    shown, where = found.shown(trace=asked.trace), f"/v1/corpora/{quote(found.corpus, safe='')}/answers/{found.id}"
    return reply(shown, epoch=shown["epoch"], location=where if found.is_kept else "")


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
