"""Corpora as models of a chat: OpenAI's ``/v1/models`` and ``/v1/chat/completions``, for chat front ends."""

from __future__ import annotations

import json
import time
import unicodedata
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response, StreamingResponse

from clausegraph.app.access.tokens import AccessRole
from clausegraph.app.api.guard import Face
from clausegraph.app.api.problems import Refusal, as_json, problem_of, refusal, request_id
from clausegraph.app.api.routes.questions import watching
from clausegraph.app.api.served import Held, Who
from clausegraph.app.api.work import Tell, Ticket, streamed, waited
from clausegraph.app.console.answer import page_address
from clausegraph.app.render import answer_markdown
from clausegraph.app.services.ask import answer
from clausegraph.app.services.follow_up import conversation
from clausegraph.core.errors import ClauseGraphError
from clausegraph.core.inquiry import MAX_CHARACTERS
from clausegraph.core.text import one_line
from clausegraph.core.types import Answer, Evidence
from clausegraph.indexes.corpora import list_corpora

router = APIRouter(include_in_schema=False)
_CHAT, _MODELS = "/v1/chat/completions", "/v1/models"
_TASK = "### Task:"  # how a front end's own prompts begin, for a title or tags of the conversation (Open WebUI)
_TITLE = 60  # characters
_SHOWN_WORDS = 8  # of a quote, by which a browser finds it on its page
_NO_TASK = "I answer questions from pages, with their conditions and sources, and do no other tasks."


class ChatMessage(BaseModel):
    """A message: a text, or parts of which those of the type "text" are read."""

    role: str
    content: str | list[dict[str, Any]] | None = None

    def text(self) -> str:
        """Its text."""
        if isinstance(self.content, list):
            return "\n".join(str(one.get("text", "")) for one in self.content if one.get("type") == "text").strip()
        return (self.content or "").strip()


class ChatBody(BaseModel):
    """What a front end sends; what only a language model could obey (temperature, tools, …) is passed over."""

    model: str = Field(max_length=500, description="Name of the corpus.")
    messages: list[ChatMessage] = Field(max_length=1000)
    stream: bool | None = False
    stream_options: dict[str, Any] | None = None


@router.get(_MODELS)
async def models(held: Held, who: Who) -> dict[str, Any]:
    """The corpora that the token may see, as models."""
    found = [one.name for one in await held.reads.run(list_corpora, held.workspace.ledger)]
    form = {"object": "model", "created": 0, "owned_by": "clausegraph"}
    return {"object": "list", "data": [{"id": name} | form for name in found if who.may_see(name)]}


@router.post(_CHAT)
async def chat(request: Request, held: Held, who: Who, asked: ChatBody) -> Response:
    """The answer to the last message of the user as Markdown, its numbers linked to their sources."""
    completion = _Completion(asked)
    try:
        corpus = unicodedata.normalize("NFC", asked.model)
        if not who.may_see(corpus):
            raise refusal("Forbidden", 403, "Not allowed", f"token {who.name!r} is not for corpus {corpus[:80]!r}")
        said = [text for one in asked.messages if one.role == "user" and (text := one.text())]
        while len(said) > 1 and sum(len(one) + 1 for one in said) > MAX_CHARACTERS:
            del said[0]
        if said and said[-1].startswith(_TASK):
            return completion.whole(_of_task(said[-1], corpus))
        base = str(request.base_url).rstrip("/")

        def work(ticket: Ticket, tell: Tell | None = None) -> str:
            begun = held.kept.begin(who.token, corpus, conversation(said), None, {})
            found = answer(held.workspace, corpus, begun.inquiry, watch=watching(ticket, tell))
            held.kept.keep(begun, found)
            return answer_markdown(found, lambda one: _source_of(found, one, base))

        if asked.stream:
            return await streamed(request, held.work, held.workspace.settings.serve_seconds, work, completion.event)
        return completion.whole(await waited(request, held.work, held.workspace.settings.serve_seconds, work))
    except (ClauseGraphError, Refusal) as error:
        problem = problem_of(error)
        return JSONResponse(_error(problem.document(request_id(request))), problem.status, dict(problem.headers))


def _error(problem: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"message": problem["detail"], "type": problem["error"], "code": problem["error"], "param": None}}


class _Completion:
    """The reply to one request, whole or as events, in OpenAI's form."""

    def __init__(self, asked: ChatBody) -> None:
        self._asked, self._created = asked, int(time.time())
        self._id = f"chatcmpl-{time.time_ns():x}"

    def whole(self, text: str) -> Response:
        """A text that is there at once."""
        if self._asked.stream:
            return StreamingResponse(iter([self.event("answer", text)]), media_type="text/event-stream")
        message = {"role": "assistant", "content": text}
        return JSONResponse(self._of("", index=0, message=message, finish_reason="stop", logprobs=None) | _USAGE)

    def event(self, kind: str, value: Any) -> str:
        """A step, which only says that the work goes on; the answer to its end; or what went wrong."""
        if kind == "step":
            return ": at work\n\n"
        if kind == "problem":
            return f"data: {as_json(_error(value))}\n\ndata: [DONE]\n\n"
        parts = [
            self._of(".chunk", index=0, delta={"role": "assistant", "content": value}, finish_reason=None),
            self._of(".chunk", index=0, delta={}, finish_reason="stop"),
        ]
        if (self._asked.stream_options or {}).get("include_usage"):
            parts.append(self._of(".chunk") | _USAGE)
        return "".join(f"data: {as_json(one)}\n\n" for one in parts) + "data: [DONE]\n\n"

    def _of(self, form: str, **choice: Any) -> dict[str, Any]:
        made = {"id": self._id, "object": f"chat.completion{form}", "created": self._created}
        return made | {"model": self._asked.model, "choices": [choice] if choice else []}


_USAGE = {"usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}  # none of the client's


def _source_of(answer: Answer, found: Evidence, base: str) -> str:
    """Where a number leads: to the words on the page itself, else on the console's copy of it."""
    if found.url is None or not found.url.startswith(("https://", "http://")):
        return f"{base}{page_address(answer, found.page, found.span)}#marked"
    words = quote(" ".join(found.quote.split()[:_SHOWN_WORDS]), safe="").replace("-", "%2D")
    return found.url if "#" in found.url else f"{found.url}#:~:text={words}"


def _of_task(prompt: str, corpus: str) -> str:
    """What a front end's own prompt gets, without a search: how the conversation begins as its title, the corpus as its
    tag, no suggestions."""
    begins = prompt.partition("<chat_history>")[2].partition("USER:")[2].partition("\nASSISTANT:")[0]
    title = one_line(begins, _TITLE) or corpus
    replies: dict[str, Any] = {"title": title, "tags": [corpus], "follow_ups": [], "queries": [], "text": ""}
    wanted = next((name for name in replies if f'"{name}"' in prompt), None)
    return _NO_TASK if wanted is None else json.dumps({wanted: replies[wanted]}, ensure_ascii=False)


def chat_face() -> Face:
    """The face at ``/v1/models`` and ``/v1/chat/completions``."""
    return Face({f"GET {_MODELS}": AccessRole.READER, f"POST {_CHAT}": AccessRole.READER}, [router])
