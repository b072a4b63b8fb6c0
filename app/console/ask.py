"""Asking: the form, the steps while they end, the answer, and what it becomes when a condition is taken otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Form, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from clausegraph.app.api.parameters import CorpusPath, EpochQuery, Held, Who
from clausegraph.app.api.problems import Refusal, problem_of, request_id
from clausegraph.app.api.work import Tell, Ticket, streamed
from clausegraph.app.console.answer import STATES, answer_view, places_of, step_title
from clausegraph.app.console.screen import HEADERS, address, check_form, html, render, router
from clausegraph.app.render import step_json
from clausegraph.app.services import questions as judged
from clausegraph.app.services.ask import answer, parse_assumptions
from clausegraph.app.services.history import epoch_on, list_epochs
from clausegraph.app.services.kept import AskedQuestion
from clausegraph.app.services.pages import element_texts
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import ClauseGraphError, InputError, NotFoundError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import TraceStep
from clausegraph.query.read.model.partial import WRITING

routes = router()
_HERE = ("same-origin", "none")  # a link of this console, or an address that the person typed or kept
_Text = Annotated[str, Form()]


@routes.get("/c/{corpus}/ask")
async def ask_form(
    request: Request,
    held: Held,
    who: Who,
    corpus: CorpusPath,
    question: str = "",
    scenario: str = "",
    epoch: EpochQuery = None,
    on: Annotated[str, Query(max_length=40)] = "",
    assume: Annotated[list[str], Query()] = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    """The form; a question in the address is asked at once, unless a page of another site led here."""
    epochs = await held.reads.run(list_epochs, held.workspace, corpus)
    at_once = bool(question.strip()) and request.headers.get("sec-fetch-site") in _HERE
    filled: dict[str, Any] = {"question": question, "scenario": scenario, "epoch": epoch, "on": on, "assume": assume}
    last = [] if at_once else await held.reads.run(held.kept.last, who.token, corpus)
    return html(request, "ask.html", screen="ask", epochs=epochs, at_once=at_once, last=last, asked=None, **filled)


@routes.post("/c/{corpus}/asked")
async def ask(
    request: Request,
    held: Held,
    who: Who,
    corpus: CorpusPath,
    question: _Text = "",
    scenario: _Text = "",
    epoch: _Text = "",
    on: _Text = "",
    assume: Annotated[list[str], Form()] = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    """Take a question; its answer is told by :func:`events`. A day stands for the epoch that was published by then."""
    await check_form(request)
    number = int(epoch) if epoch.isascii() and epoch.isdigit() else None
    if on.strip():
        if number is not None:
            raise InputError("choose an epoch or a day, not both")
        number = await held.reads.run(epoch_on, held.workspace, corpus, on.strip())
    supposed = parse_assumptions(assume)
    asked = held.kept.begin(who.token, corpus, Inquiry(question, scenario), number, supposed)
    response = html(request, "asking.html", asked=asked)
    again = address(corpus, "ask", question=question, scenario=scenario, epoch=number, assume=assume)
    response.headers["HX-Push-Url"] = again
    return response


@routes.get("/c/{corpus}/asked/{name}")
async def kept(request: Request, held: Held, who: Who, corpus: CorpusPath, name: str) -> Response:
    """An answer that somebody got before, as it was; nothing is asked again."""
    epochs = await held.reads.run(list_epochs, held.workspace, corpus)
    asked = _answered(await held.reads.run(held.kept.get, who.token, corpus, name))
    filled: dict[str, Any] = {"question": asked.inquiry.question, "scenario": asked.inquiry.scenario}
    filled |= {"epoch": asked.epoch, "on": "", "assume": [], "at_once": False, "last": [], "epochs": epochs}
    shown = await held.reads.run(_shown, held.workspace, asked)
    return html(request, "ask.html", screen="ask", **filled, **shown)


@routes.post("/c/{corpus}/asked/{name}/forget")
async def forget(request: Request, held: Held, who: Who, corpus: CorpusPath, name: str) -> Response:
    """Forget an answer, with its question and scenario."""
    await check_form(request)
    await held.reads.run(held.kept.forget, who.token, corpus, name)
    return RedirectResponse(address(corpus, "ask"), 303)


@routes.get("/c/{corpus}/asked/{name}/events")
async def events(request: Request, held: Held, who: Who, corpus: CorpusPath, name: str) -> Response:
    """The steps as they end, each an event ``step``; then ``answer``, which is the answer or what went wrong.

    Meanwhile an event ``writing`` has all sentences that a model has written and nobody has checked.
    """
    unchecked: list[str] = []
    asked = await held.reads.run(held.kept.get, who.token, corpus, name)

    def work(ticket: Ticket, tell: Tell) -> dict[str, Any]:
        def watch(step: TraceStep) -> None:
            tell(step_json(step))

        ticket.check()
        if asked.answer is not None:  # a browser that lost the connection asks for the same again
            return _shown(held.workspace, asked)
        found = answer(held.workspace, corpus, asked.inquiry, asked.epoch, watch=watch)
        return _shown(held.workspace, held.kept.keep(asked, found))

    def write(kind: str, value: Any) -> str:
        if kind == "step" and value["name"] == WRITING:
            _take(unchecked, value["detail"])
            return _event("writing", render("writing.html", sentences=unchecked))
        if kind == "step":
            return _event("step", render("step.html", step=value, title=step_title(value["name"])))
        if kind == "problem":
            told = {"title": value["title"], "detail": value["detail"], "request_id": value["request"]}
            return _event("answer", _part(request, "error.html", **told))
        return _event("answer", _part(request, "answer.html", **value))

    try:
        return await streamed(request, held.work, held.workspace.settings.serve_seconds, work, write)
    except (ClauseGraphError, Refusal) as error:  # an event stream has no status that a browser would show
        document = problem_of(error).document(request_id(request))
        return StreamingResponse(iter([write("problem", document)]), 200, HEADERS, "text/event-stream")


@routes.post("/c/{corpus}/asked/{name}/suppose")
async def suppose(request: Request, held: Held, who: Who, corpus: CorpusPath, name: str) -> Response:
    """The same answer with its conditions as the form has them: nothing is searched, read or sent to a model."""
    await check_form(request)
    asked = _answered(await held.reads.run(held.kept.get, who.token, corpus, name))
    form = await request.form()
    given = {
        words: STATES[str(state)]
        for number, words in enumerate(asked.conditions())
        if (state := form.get(f"leaf-{number}")) in STATES
    }
    made = replace(asked, supposed=given)
    return html(request, "answer.html", screen="ask", **await held.reads.run(_shown, held.workspace, made))


@routes.post("/c/{corpus}/asked/{name}/judge")
async def judge(
    request: Request, held: Held, who: Who, corpus: CorpusPath, name: str, verdict: _Text, expected: _Text = ""
) -> Response:
    """Keep whether the answer is right, as a question to measure engines on."""
    await check_form(request)
    asked = _answered(await held.reads.run(held.kept.get, who.token, corpus, name))
    assert asked.answer is not None
    made = await held.reads.run(judged.judge, held.workspace, asked.answer, verdict, expected, who.name)
    return html(request, "judged.html", made=made)


def _shown(workspace: Workspace, asked: AskedQuestion) -> dict[str, Any]:
    """What the template of an answer needs."""
    assert asked.answer is not None
    places = places_of(asked.answer)
    return answer_view(asked, element_texts(workspace, asked.corpus, asked.answer.epoch, places))


def _take(sentences: list[str], detail: Mapping[str, Any]) -> None:
    """Add the sentence of a step "writing", or drop all where the model begins anew."""
    if detail.get("restarted"):
        sentences.clear()
    else:
        sentences.append(str(detail["sentence"]))


def _answered(asked: AskedQuestion) -> AskedQuestion:
    if asked.answer is None:
        raise NotFoundError("this question has no answer yet; wait for it")
    return asked


def _part(request: Request, template: str, **values: Any) -> str:
    """A template as a part of the page that waits for it."""
    state = request.scope["state"]
    session = state.get("session")
    known = {"csrf": session.csrf if session else "", "who": state["principal"], "corpus": "", "screen": ""}
    return render(template, fragment=True, **known, **values)


def _event(kind: str, text: str) -> str:
    """An event of several lines."""
    return f"event: {kind}\n" + "".join(f"data: {line}\n" for line in text.split("\n")) + "\n"
