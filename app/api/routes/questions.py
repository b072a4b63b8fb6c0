"""Questions: answered from a corpus or from sent pages, kept answers, and judged ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from clausegraph.app.api.parameters import (
    ALWAYS,
    EVENTS,
    OF_A_CORPUS,
    STREAM,
    AnswerBody,
    AnswerPath,
    CorpusPath,
    CursorQuery,
    EpochQuery,
    Held,
    LimitQuery,
    PassagesBody,
    WebQuestionBody,
    Who,
    statuses,
)
from clausegraph.app.api.problems import refusal
from clausegraph.app.api.replies import after_cursor, has_it, part, reply, unchanged
from clausegraph.app.api.served import Served
from clausegraph.app.api.shapes import (
    AnswerReply,
    AnswersReply,
    JudgedQuestion,
    ListedAnswer,
    PassagesReply,
    QuestionsReply,
    WebAnswerReply,
)
from clausegraph.app.api.work import Tell, Ticket, json_event, streamed, waited
from clausegraph.app.process import version
from clausegraph.app.render import answer_json, step_json
from clausegraph.app.services.ask import answer, parse_assumptions, search
from clausegraph.app.services.ask_web import SentPage, WebPlaces, answer_from_web
from clausegraph.app.services.kept import AskedQuestion
from clausegraph.app.services.questions import forget, judged_slice
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import TraceStep

_IN_TIME = 0.95  # of the seconds that the server gives an answer: by then there is one

PagesWork = Callable[..., dict[str, Any]]  # of a ticket, and of what is told of steps


def pages_work(held: Served, asked: WebQuestionBody) -> PagesWork:
    """What answers the question; its time begins now.

    Raises:
        Refusal: it names addresses, and this server fetches none.
        QuestionError: it is none.
    """
    settings = held.workspace.settings
    if asked.addresses and not settings.serve_addresses:
        said = "this server fetches no addresses for a question (CLAUSEGRAPH_SERVE_ADDRESSES); send their pages"
        raise refusal("Forbidden", 403, "Not allowed", said)
    sent = [SentPage(one.url, one.html, one.name, one.snippet, one.modified) for one in asked.pages]
    inquiry, begun = Inquiry(asked.question), time.monotonic()

    def work(ticket: Ticket, tell: Tell | None = None) -> dict[str, Any]:
        def watch(step: TraceStep) -> None:
            ticket.check()
            if tell is not None:
                tell(step_json(step))

        found = answer_from_web(
            held.workspace, inquiry, WebPlaces(addresses=asked.addresses, sent=sent),
            at=asked.at, seconds=_IN_TIME * settings.serve_seconds, begun=begun, watch=watch, check=ticket.check,
        )  # fmt: skip
        unread = [{"page": one.what, "reason": one.reason} for one in found.rejects]
        return answer_json(found.answer, trace=asked.trace) | {"not_read": unread}

    return work


router = APIRouter(prefix="/v1", tags=["questions"])


@router.post(
    "/corpora/{corpus}/ask", response_model=AnswerReply, responses=STREAM | statuses(*OF_A_CORPUS, 409, 413, 504)
)
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


@router.post(
    "/corpora/{corpus}/retrieve", response_model=PassagesReply, responses=statuses(*OF_A_CORPUS, 409, 413, 504)
)
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


_STATUSES = (*ALWAYS, 400, 413, 502, 503, 504)


@router.post("/web-answers", response_model=WebAnswerReply, responses=STREAM | statuses(*_STATUSES))
async def web_answers(request: Request, held: Held, asked: WebQuestionBody) -> Response:
    """An answer from pages that are read for this question alone (docs/crag.md), and kept nowhere.

    Pages are sent as HTML; addresses are fetched by the guarded client, one page each, where the server allows it.
    With `Accept: text/event-stream` the steps come as they end: events `step`, then `answer` or `problem`.
    """
    work, seconds = pages_work(held, asked), held.workspace.settings.serve_seconds
    if EVENTS in request.headers.get("accept", ""):
        return await streamed(request, held.work, seconds, work)
    return reply(await waited(request, held.work, seconds, work))


@router.get("/corpora/{corpus}/answers", response_model=AnswersReply, responses=statuses(*OF_A_CORPUS))
async def answers(held: Held, who: Who, corpus: CorpusPath, limit: LimitQuery = 50) -> Response:
    """What the token asked last, newest first. Two hundred answers are kept of a token, each as long as its epoch."""

    def read() -> list[dict[str, Any]]:
        return [one.record() for one in held.kept.last(who.token, corpus, limit)]

    return reply({"corpus": corpus, "items": await held.reads.run(read)})


@router.get("/corpora/{corpus}/answers/{name}", response_model=AnswerReply, responses=statuses(*OF_A_CORPUS, 304))
async def kept_answer(
    request: Request, held: Held, who: Who, corpus: CorpusPath, name: AnswerPath,
    trace: Annotated[bool, Query(description="Whether it has the engine's steps.")] = False,
) -> Response:  # fmt: skip
    """An answer that the token got, as it was: nothing is searched, read or sent to a model."""

    def read() -> dict[str, Any]:
        return held.kept.get(who.token, corpus, name).shown(trace=trace)

    found = await held.reads.run(read)
    etag = f'W/"{name}-{version()}-{trace:d}"'  # it never changes, but how it is shown may
    if has_it(request, etag):
        return unchanged(etag, found["epoch"])
    return reply(found, epoch=found["epoch"], etag=etag)


@router.delete("/corpora/{corpus}/answers/{name}", response_model=ListedAnswer, responses=statuses(*OF_A_CORPUS))
async def forget_answer(held: Held, who: Who, corpus: CorpusPath, name: AnswerPath) -> Response:
    """Forget an answer that the token got, with its question and scenario; returns what the list had of it."""
    return reply((await held.reads.run(held.kept.forget, who.token, corpus, name)).record())


@router.get("/corpora/{corpus}/questions", response_model=QuestionsReply, responses=statuses(*OF_A_CORPUS))
async def questions(
    request: Request, held: Held, corpus: CorpusPath, cursor: CursorQuery = None, limit: LimitQuery = 50
) -> Response:
    """Answers that were judged right or wrong, oldest first: question, scenario, epoch, and what would be right."""
    found = await held.reads.run(judged_slice, held.workspace, corpus, limit, after_cursor(request, cursor))
    return reply({"corpus": corpus} | part(request, found))


@router.delete("/corpora/{corpus}/questions/{number}", response_model=JudgedQuestion, responses=statuses(*OF_A_CORPUS))
async def forget_question(
    held: Held, corpus: CorpusPath, number: Annotated[int, Path(ge=1, le=10**15, description="Its id.")]
) -> Response:
    """Forget a judged answer, with its question and scenario; returns it as it was."""
    return reply(await held.reads.run(forget, held.workspace, corpus, number))
