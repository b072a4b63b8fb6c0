"""Asking: the form, the steps while they end, the answer, and what it becomes when a condition is taken otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from fastapi import Form, Query
from starlette.responses import RedirectResponse, Response, StreamingResponse

from clausegraph.app.api.parameters import EpochQuery
from clausegraph.app.api.problems import Refusal, problem_of, request_id
from clausegraph.app.api.work import Tell, Ticket, streamed
from clausegraph.app.console.answer import STATES, answer_view, places_of
from clausegraph.app.console.screen import HEADERS, OfScreen, Screen, address, html, render, router
from clausegraph.app.services import questions as judged
from clausegraph.app.services import watches
from clausegraph.app.services.answers import ShownStep
from clausegraph.app.services.ask import answer, parse_assumptions
from clausegraph.app.services.follow_up import ask_again_now, follow_up
from clausegraph.app.services.history import epoch_on, list_epochs
from clausegraph.app.services.kept import AskedQuestion
from clausegraph.app.services.pages import element_texts
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import ClauseGraphError, InputError, NotFoundError
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.read.model.partial import WRITING

routes, forms = router(), router(forms=True)
_HERE = ("same-origin", "none")  # a link of this console, or an address that the person typed or kept
_Text = Annotated[str, Form()]


@routes.get("/c/{corpus}/ask")
async def ask_form(
    of: OfScreen, question: str = "", scenario: str = "", epoch: EpochQuery = None,
    on: Annotated[str, Query(max_length=40)] = "",
    assume: Annotated[list[str], Query()] = [],  # noqa: B006 - FastAPI copies it
) -> Response:  # fmt: skip
    """The form; a question in the address is asked at once, unless a page of another site led here."""
    at_once = bool(question.strip()) and of.request.headers.get("sec-fetch-site") in _HERE
    filled: dict[str, Any] = {"question": question, "scenario": scenario, "epoch": epoch, "on": on, "assume": assume}
    epochs = await of.run(list_epochs)
    last = [] if at_once else await of.held.reads.run(of.held.kept.last, of.who.token, of.corpus)
    return of.html("ask.html", screen="ask", epochs=epochs, at_once=at_once, last=last, asked=None, **filled)


@forms.post("/c/{corpus}/asked")
async def ask(
    of: OfScreen, question: _Text = "", scenario: _Text = "", on: _Text = "",
    epoch: Annotated[int | None, Form(ge=1, le=10**15)] = None,
    assume: Annotated[list[str], Form()] = [],  # noqa: B006 - FastAPI copies it
) -> Response:  # fmt: skip
    """Take a question; its answer is told by :func:`events`. A day stands for the epoch that was published by then."""
    if on.strip():
        if epoch is not None:
            raise InputError("choose an epoch or a day, not both")
        epoch = await of.run(epoch_on, on.strip())
    supposed = parse_assumptions(assume)
    asked = of.held.kept.begin(of.who.token, of.corpus, Inquiry(question, scenario), epoch, supposed)
    response = of.html("asking.html", asked=asked)
    again = address(of.corpus, "ask", question=question, scenario=scenario, epoch=epoch, assume=assume)
    response.headers["HX-Push-Url"] = again
    return response


@routes.get("/c/{corpus}/asked/{name}")
async def kept(of: OfScreen, name: str) -> Response:
    """An answer that somebody got before, as it was; nothing is asked again."""
    epochs, asked = await of.run(list_epochs), await _answered(of, name)
    filled: dict[str, Any] = {"question": asked.inquiry.question, "scenario": asked.inquiry.scenario}
    filled |= {"epoch": asked.epoch, "on": "", "assume": [], "at_once": False, "last": [], "epochs": epochs}
    return of.html("ask.html", screen="ask", **filled, **await of.held.reads.run(_shown, of.held.workspace, asked))


@forms.post("/c/{corpus}/asked/{name}/forget")
async def forget(of: OfScreen, name: str) -> Response:
    """Forget an answer, with its question and scenario."""
    await of.held.reads.run(of.held.kept.forget, of.who.token, of.corpus, name)
    return RedirectResponse(address(of.corpus, "ask"), 303)


@routes.get("/c/{corpus}/asked/{name}/events")
async def events(of: OfScreen, name: str) -> Response:
    """The steps as they end, each an event ``step``; then ``answer``, which is the answer or what went wrong.

    Meanwhile an event ``writing`` has all sentences that a model has written and nobody has checked.
    """
    unchecked: list[str] = []
    request, held = of.request, of.held
    asked = await held.reads.run(held.kept.get, of.who.token, of.corpus, name)

    def work(_: Ticket, tell: Tell) -> dict[str, Any]:
        if asked.answer is not None:  # a browser that lost the connection asks for the same again
            return _shown(held.workspace, asked)
        found = answer(
            held.workspace, of.corpus, asked.inquiry, asked.epoch, watch=lambda step: tell(ShownStep.of(step))
        )
        return _shown(held.workspace, held.kept.keep(asked, found))

    def write(kind: str, value: Any) -> str:
        if kind == "step" and value.name == WRITING:
            if value.detail.get("restarted"):  # the model begins anew
                unchecked.clear()
            else:
                unchecked.append(str(value.detail["sentence"]))
            return event_of("writing", render("writing.html", sentences=unchecked))
        if kind == "step":
            return event_of("step", render("step.html", step=value))
        if kind == "problem":
            value = {"title": value["title"], "detail": value["detail"], "request_id": value["request"]}
        template = "error.html" if kind == "problem" else "answer.html"
        return event_of("answer", bytes(html(request, template, fragment=True, **value).body).decode())

    try:
        return await streamed(request, held.work, held.workspace.settings.serve_seconds, work, write)
    except (ClauseGraphError, Refusal) as error:  # an event stream has no status that a browser would show
        document = problem_of(error).document(request_id(request))
        return StreamingResponse(iter([write("problem", document)]), 200, HEADERS, "text/event-stream")


@forms.post("/c/{corpus}/asked/{name}/suppose")
async def suppose(of: OfScreen, name: str) -> Response:
    """The same answer with its conditions as the form has them: nothing is searched, read or sent to a model."""
    asked, form = await _answered(of, name), await of.request.form()
    given = {
        words: STATES[str(state)]
        for number, words in enumerate(asked.conditions())
        if (state := form.get(f"leaf-{number}")) in STATES
    }
    shown = await of.held.reads.run(_shown, of.held.workspace, replace(asked, supposed=given))
    return of.html("answer.html", screen="ask", **shown)


@forms.post("/c/{corpus}/asked/{name}/follow")
async def follow(
    of: OfScreen, name: str, said: _Text = "",
    assume: Annotated[list[str], Form()] = [],  # noqa: B006 - FastAPI copies it
) -> Response:  # fmt: skip
    """Another question of the same person, or the same one with what is different: shown in the form, and asked."""
    asked = await _answered(of, name)
    if not said.strip():
        raise InputError("say what is asked next, or what is different")
    again = follow_up(replace(asked, supposed=parse_assumptions(assume)), said.strip())
    old = {one.epoch for one in await of.run(list_epochs) if not one.published}  # of today, it is asked of today again
    epoch = asked.epoch if asked.epoch in old else None
    where = address(of.corpus, "ask", question=again.question, scenario=again.scenario, epoch=epoch)
    return RedirectResponse(where, 303)


@forms.post("/c/{corpus}/asked/{name}/again")
async def again(of: OfScreen, name: str) -> Response:
    """The answer as it was and as it is now, what differs, and the rules that changed on its pages."""
    asked = await _answered(of, name)
    found, answer_now = await of.work(lambda _: ask_again_now(of.held.workspace, asked))
    sides = [replace(asked, supposed={}), replace(asked, answer=answer_now, supposed={})]
    views = await of.held.reads.run(lambda: [_shown(of.held.workspace, one) for one in sides])
    return of.html("compared.html", screen="ask", found=found, views=views)


@forms.post("/c/{corpus}/asked/{name}/judge")
async def judge(of: OfScreen, name: str, verdict: _Text, expected: _Text = "") -> Response:
    """Keep whether the answer is right, as a question to measure engines on."""
    asked = await _answered(of, name)
    given = (asked.answer, verdict, expected, of.who.name)
    return of.html("judged.html", made=await of.held.reads.run(judged.judge, of.held.workspace, *given))


@forms.post("/c/{corpus}/asked/{name}/watch")
async def watch(of: OfScreen, name: str) -> Response:
    """Have the question asked again after each publish that touches what its answer rests on."""
    asked = await _answered(of, name)
    given = (of.held.workspace, of.corpus, asked.inquiry.question, asked.inquiry.scenario, of.who.name, asked.answer)
    return of.html("watched.html", made=await of.work(lambda _: watches.add(*given)))


def _shown(workspace: Workspace, asked: AskedQuestion) -> dict[str, Any]:
    """What the template of an answer needs."""
    assert asked.answer is not None
    texts = element_texts(workspace, asked.corpus, asked.answer.epoch, places_of(asked.answer))
    return answer_view(asked, texts)


async def _answered(of: Screen, name: str) -> AskedQuestion:
    """A question of this person that has its answer."""
    asked: AskedQuestion = await of.held.reads.run(of.held.kept.get, of.who.token, of.corpus, name)
    if asked.answer is None:
        raise NotFoundError("this question has no answer yet; wait for it")
    return asked


def event_of(kind: str, text: str) -> str:
    """An event of several lines."""
    return f"event: {kind}\n" + "".join(f"data: {line}\n" for line in text.split("\n")) + "\n"
