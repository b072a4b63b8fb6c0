"""Questions: answered from a corpus or from sent pages, kept answers, and judged ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
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
    LimitQuery,
    PassagesBody,
    QuestionBody,
    WebQuestionBody,
    statuses,
)
from clausegraph.app.api.problems import refusal
from clausegraph.app.api.replies import AtEpoch, OfCorpus, OfPart, WholeList, if_changed, list_reply, reply
from clausegraph.app.api.served import Held, Served
from clausegraph.app.api.work import Tell, Ticket, json_event, streamed, waited
from clausegraph.app.process import version
from clausegraph.app.services.answers import AnswerReply, ShownStep, WebAnswerReply, shown_web_answer
from clausegraph.app.services.ask import PassagesReply, answer, parse_assumptions, search
from clausegraph.app.services.ask_web import WebPlaces, answer_from_web
from clausegraph.app.services.follow_up import ChangedSince, ask_again_now, follow_up
from clausegraph.app.services.kept import AskedQuestion, ListedAnswer
from clausegraph.app.services.questions import JudgedQuestion, forget, judged_slice
from clausegraph.app.services.watches import ListedWatch, WatchReply, add, approve, remove, show, watch_slice
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import TraceStep
from clausegraph.query.crag.types import SentPage

router = APIRouter(prefix="/v1", tags=["questions"])
AnswersReply = list_reply(
    "AnswersReply", "Answers that are kept for whoever asks for them, newest first.", ListedAnswer, WholeList
)
QuestionsReply = list_reply("QuestionsReply", "Judged answers, oldest first.", JudgedQuestion)
WatchesReply = list_reply("WatchesReply", "Watched questions, oldest first.", ListedWatch)
_Number = Annotated[int, Path(ge=1, le=10**15, description="Its id.")]
_READ, _ASK = statuses(*OF_A_CORPUS), statuses(*OF_A_CORPUS, 409, 413, 504)
_IN_TIME = 0.95  # of the seconds that the server gives an answer: by then there is one

PagesWork = Callable[..., WebAnswerReply]  # of a ticket, and of what is told of steps


def pages_work(held: Served, asked: WebQuestionBody) -> PagesWork:
    """What answers a question that brings its pages; its time begins now.

    Raises:
        Refusal: it names addresses, and this server fetches none.
        QuestionError: it is none.
    """
    settings = held.workspace.settings
    if asked.addresses and not settings.serve_addresses:
        said = "this server fetches no addresses for a question (CLAUSEGRAPH_SERVE_ADDRESSES); send their pages"
        raise refusal("Forbidden", 403, "Not allowed", said)
    places = WebPlaces(addresses=asked.addresses, sent=[SentPage(**one.model_dump()) for one in asked.pages])
    inquiry, begun = Inquiry(asked.question), time.monotonic()

    def work(ticket: Ticket, tell: Tell | None = None) -> WebAnswerReply:
        found = answer_from_web(
            held.workspace, inquiry, places, at=asked.at, seconds=_IN_TIME * settings.serve_seconds, begun=begun,
            watch=watching(ticket, tell), check=ticket.check,
        )  # fmt: skip
        return shown_web_answer(found.answer, found.rejects, trace=asked.trace)

    return work


def watching(ticket: Ticket, tell: Tell | None) -> Callable[[TraceStep], None]:
    """What is told of each step of an engine: it ends work that nobody waits for."""

    def watch(step: TraceStep) -> None:
        ticket.check()
        if tell is not None:
            tell(ShownStep.of(step))

    return watch


@router.post("/corpora/{corpus}/ask", response_model=AnswerReply, responses=STREAM | _ASK)
async def ask(at: AtEpoch, asked: AnswerBody) -> Response:
    """An answer with its conditions and evidence (docs/answers.md).

    With `Accept: text/event-stream` the steps come as they end: events `step`, then `answer` or `problem`. An answer
    nobody waits for any more is not worked out to its end.

    It is kept for the token that asked: `Content-Location` says where, and so does the `id` of the event `answer`.
    """
    inquiry, held = Inquiry(asked.question, asked.scenario), at.held
    if asked.after is not None:
        before = await held.reads.run(held.kept.get, at.who.token, at.corpus, asked.after)
        inquiry = follow_up(before, asked.question)
        inquiry = replace(inquiry, scenario=f"{inquiry.scenario}\n{asked.scenario}".strip())
    supposed = parse_assumptions([f"{name}={state}" for name, state in asked.assumptions.items()])

    def work(ticket: Ticket, tell: Tell | None = None) -> AskedQuestion:
        begun, watch = held.kept.begin(at.who.token, at.corpus, inquiry, at.epoch, supposed), watching(ticket, tell)
        found = answer(held.workspace, at.corpus, inquiry, at.epoch, engine=asked.engine, watch=watch)
        return held.kept.keep(begun, found)

    def write(kind: str, value: Any) -> str:
        if kind != "answer":
            return json_event(kind, value)
        return json_event(kind, value.shown(trace=asked.trace), value.id if value.is_kept else "")

    if EVENTS in at.request.headers.get("accept", ""):
        return await streamed(at.request, held.work, held.workspace.settings.serve_seconds, work, write)
    found = await at.work(work)
    shown, where = found.shown(trace=asked.trace), f"/v1/corpora/{quote(found.corpus, safe='')}/answers/{found.id}"
    return reply(shown, epoch=shown.epoch, location=where if found.is_kept else "")


@router.post("/corpora/{corpus}/retrieve", response_model=PassagesReply, responses=_ASK)
async def retrieve(at: AtEpoch, asked: PassagesBody) -> Response:
    """The passages a question is about, best first, with scores; nothing is answered."""
    inquiry = Inquiry(asked.question, asked.scenario)
    given: dict[str, Any] = {
        "retriever": asked.retriever,
        "budget": asked.budget,
        "limit": asked.limit,
        "epoch": at.epoch,
    }
    found = await at.work(lambda _: search(at.held.workspace, at.corpus, inquiry, **given))
    return reply(found, epoch=found.epoch)


@router.post(
    "/web-answers", response_model=WebAnswerReply, responses=STREAM | statuses(*ALWAYS, 400, 413, 502, 503, 504)
)
async def web_answers(request: Request, held: Held, asked: WebQuestionBody) -> Response:
    """An answer from pages that are read for this question alone (docs/crag.md), and kept nowhere.

    Pages are sent as HTML; addresses are fetched by the guarded client, one page each, where the server allows it.
    With `Accept: text/event-stream` the steps come as they end: events `step`, then `answer` or `problem`.
    """
    work, seconds = pages_work(held, asked), held.workspace.settings.serve_seconds
    if EVENTS in request.headers.get("accept", ""):
        return await streamed(request, held.work, seconds, work)
    return reply(await waited(request, held.work, seconds, work))


@router.get("/corpora/{corpus}/answers", response_model=AnswersReply, responses=_READ)
async def answers(of: OfCorpus, limit: LimitQuery = 50) -> Response:
    """What the token asked last, newest first. Two hundred answers are kept of a token, each as long as its epoch."""
    found = await of.held.reads.run(of.held.kept.last, of.who.token, of.corpus, limit)
    return reply({"corpus": of.corpus, "items": [one.record() for one in found]})


@router.get("/corpora/{corpus}/answers/{name}", response_model=AnswerReply, responses=statuses(*OF_A_CORPUS, 304))
async def kept_answer(
    of: OfCorpus, name: AnswerPath,
    trace: Annotated[bool, Query(description="Whether it has the engine's steps.")] = False,
) -> Response:  # fmt: skip
    """An answer that the token got, as it was: nothing is searched, read or sent to a model."""
    found = await of.held.reads.run(lambda: of.held.kept.get(of.who.token, of.corpus, name).shown(trace=trace))
    etag = f'W/"{name}-{version()}-{trace:d}"'  # it never changes, but how it is shown may
    return if_changed(of.request, etag, found.epoch) or reply(found, epoch=found.epoch, etag=etag)


@router.post("/corpora/{corpus}/answers/{name}/compared", response_model=ChangedSince, responses=_ASK)
async def compare_answer(of: OfCorpus, name: AnswerPath) -> Response:
    """The question of an answer that the token got, asked again now: what differs, and what changed on its pages."""
    asked = await of.held.reads.run(of.held.kept.get, of.who.token, of.corpus, name)
    found, _ = await of.work(lambda _: ask_again_now(of.held.workspace, asked))
    return reply(found, epoch=found.epoch)


@router.delete("/corpora/{corpus}/answers/{name}", response_model=ListedAnswer, responses=_READ)
async def forget_answer(of: OfCorpus, name: AnswerPath) -> Response:
    """Forget an answer that the token got, with its question and scenario; returns what the list had of it."""
    return reply((await of.held.reads.run(of.held.kept.forget, of.who.token, of.corpus, name)).record())


@router.get("/corpora/{corpus}/questions", response_model=QuestionsReply, responses=_READ)
async def questions(of: OfPart) -> Response:
    """Answers that were judged right or wrong, oldest first: question, scenario, epoch, and what would be right."""
    return await of.reply(judged_slice)


@router.delete("/corpora/{corpus}/questions/{number}", response_model=JudgedQuestion, responses=_READ)
async def forget_question(of: OfCorpus, number: _Number) -> Response:
    """Forget a judged answer, with its question and scenario; returns it as it was."""
    return await of.reply(forget, number)


@router.get("/corpora/{corpus}/watches", response_model=WatchesReply, responses=_READ)
async def watches(of: OfPart) -> Response:
    """Watched questions, oldest first, each with its answer in a line and how often that changed."""
    return await of.reply(watch_slice)


@router.post("/corpora/{corpus}/watches", response_model=ListedWatch, responses=_ASK)
async def watch(of: OfCorpus, asked: QuestionBody) -> Response:
    """Watch a question: it is answered now, and again after each publish that touches what its answer rests on."""
    given = (of.held.workspace, of.corpus, asked.question, asked.scenario, of.who.name)
    return reply(await of.work(lambda _: add(*given)))


@router.get("/corpora/{corpus}/watches/{number}", response_model=WatchReply, responses=_READ)
async def watched(of: OfCorpus, number: _Number) -> Response:
    """A watched question with its answer, and how that changed, newest first."""
    return await of.reply(show, number)


@router.put("/corpora/{corpus}/watches/{number}/approved", response_model=ListedWatch, responses=_READ)
async def approve_watched(of: OfCorpus, number: _Number) -> Response:
    """Say that the present answer is right; what changes later is held against it."""
    return await of.reply(approve, number, of.who.name)


@router.delete("/corpora/{corpus}/watches/{number}", response_model=ListedWatch, responses=_READ)
async def forget_watch(of: OfCorpus, number: _Number) -> Response:
    """Watch a question no more, and forget its answer and its changes; returns it as it was."""
    return await of.reply(remove, number)
