"""The ASGI application: a model provider's three addresses, and ``/fake/…`` to control it."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from clausegraph.app.dev.fake_llm.options import CONTENT_FAULTS, MORE_FAULTS, STATUS_FAULTS, FakeOptions, FaultPlan
from clausegraph.app.dev.fake_llm.replies import Replier, Reply, last_user_text, prompt_text, spoilt, wanted
from clausegraph.app.dev.fake_llm.wire import (
    EVENTS,
    HTML,
    JSON,
    MODELS,
    Counters,
    Exchange,
    Message,
    Receive,
    Send,
    completion,
    count_tokens,
    cut_to_tokens,
    embeddings,
    error,
    models,
    packed,
    stream_events,
    streamed_text,
    usage_of,
)
from clausegraph.core.errors import InputError

CHAT, EMBEDDINGS, LIST = "/v1/chat/completions", "/v1/embeddings", "/v1/models"
HTML_PAGE = b"<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>"
_HOLD_S = 0.02  # seconds between two looks whether a held reply may go on
_STATUS_TEXT = {"429": "Rate limit exceeded", "500": "Internal server error", "503": "Service unavailable"}


class FakeApp:
    """The application; one event loop, no state but options and counters."""

    def __init__(self, options: FakeOptions) -> None:
        self.counters = Counters()
        self.configure(options)

    def configure(self, options: FakeOptions) -> None:
        """Work under these options from the next request on; scripts and faults begin anew."""
        self.options = options
        self.plan = FaultPlan(options)
        self.replier = Replier(options)
        self.random = Random(options.seed)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        content = await _whole(receive)
        if content is None:
            return
        path = str(scope["path"])
        kind = "embeddings" if path == EMBEDDINGS else "chat"
        exchange = Exchange(kind, content, receive, send, self.counters, _bearer(scope), scope.get("connection"))
        if path.startswith("/fake/"):
            await exchange.reply(*self._control(path, str(scope["query_string"], "ascii"), content))
        elif not self._authorised(scope):
            await exchange.refuse(401, "Unauthorized: the fake was started with another key")
        elif path == LIST:
            await exchange.reply(200, models(self.options.models or MODELS))
        elif path in (CHAT, EMBEDDINGS) and scope["method"] == "POST":
            await self._serve(exchange)
        else:
            await exchange.refuse(404, f"the fake has no {scope['method']} {path}")

    def _authorised(self, scope: Message) -> bool:
        key = self.options.key
        return key is None or _bearer(scope) == key

    async def _serve(self, exchange: Exchange) -> None:
        """A request for a reply or for embeddings: refuse it, or serve it with its fault."""
        body = _object(exchange.content)
        if body is not None and exchange.path == "chat" and body.get("stream") is True:
            exchange.path = "stream"
        status, problem = self._problem(exchange.path, body)
        if body is None or problem:
            await exchange.refuse(status, problem, self.options.retry_after if status == 429 else None)
            return
        chat = exchange.path != "embeddings"
        fault = self.plan.fault_of(exchange.digest, last_user_text(body) if chat else json.dumps(body.get("input")))
        if fault in STATUS_FAULTS:
            wait = None if fault == "500" else self.options.retry_after
            await exchange.refuse(int(fault), _STATUS_TEXT[fault], wait)
            return
        exchange.arrived()
        try:
            if await self._delayed(exchange, fault):
                await (self._chat if chat else self._embed)(exchange, body, fault)
        except InputError as problem_found:
            await exchange.refuse(400, str(problem_found))
        finally:
            exchange.settle("error")  # only what a defect or the end of the server left open

    def _problem(self, path: str, body: dict[str, Any] | None) -> tuple[int, str]:
        """Why a request is refused, with the status; no text when it is not."""
        options = self.options
        if body is None:
            return 400, "the body is no JSON object"
        problem = _shape_problem(path, body)
        if problem:
            return 422, problem
        if options.models and body.get("model") not in options.models:
            return 404, f"there is no model {body.get('model')!r}"
        if path != "embeddings" and options.context_window is not None:
            tokens = self._prompt_tokens(body) + (_limit(body) or 0)
            if tokens > options.context_window:
                return 400, f"prompt and max_tokens are {tokens} tokens; the context has {options.context_window}"
        if options.concurrency is not None and self.counters.in_flight >= options.concurrency:
            return 429, f"Rate limit exceeded: {options.concurrency} requests at once"
        return 200, ""

    async def _delayed(self, exchange: Exchange, fault: str) -> bool:
        """Sleep the latency; False when there is nothing left to answer."""
        if fault == "hang":
            await exchange.wait(None)
            exchange.settle("hang")
            return False
        seconds = self.random.uniform(*self.options.latency)
        if seconds <= 0:
            return True
        if not await exchange.wait(seconds):
            exchange.settle("disconnect")
            return False
        return True

    async def _chat(self, exchange: Exchange, body: dict[str, Any], fault: str) -> None:
        reply = self._limited(spoilt(self.replier.reply(wanted(body)), fault, self.options.truncated_share), body)
        tokens = self._prompt_tokens(body), count_tokens(reply.text, self.options.tokens)
        usage = usage_of(*tokens, self.options.usage == "reported")
        if fault in MORE_FAULTS:
            good = json.loads(completion(body, exchange.identity, reply, usage))
            await MORE_FAULTS[fault](exchange, body, reply.text, good)
        elif exchange.path == "stream":
            events = list(stream_events(body, exchange.identity, reply, usage, self.options.chunks))
            await self._send_stream(exchange, events, fault, tokens)
        else:
            await self._send(exchange, completion(body, exchange.identity, reply, usage), fault, tokens)

    async def _embed(self, exchange: Exchange, body: dict[str, Any], fault: str) -> None:
        from clausegraph.core.models.embedding import HashingEmbedder

        texts = _texts(body["input"])
        tokens = sum(count_tokens(text, self.options.tokens) for text in texts), 0
        made = HashingEmbedder(int(body.get("dimensions") or self.options.dimension)).embed_texts(texts)
        usage = usage_of(*tokens, self.options.usage == "reported")
        if fault in MORE_FAULTS:
            good = json.loads(embeddings(body, exchange.identity, made, usage))
            await MORE_FAULTS[fault](exchange, body, "", good)
            return
        data = {
            "garbage": b"vectors: none",
            "wrong_schema": packed({"data": {"no": "vectors"}}),
            "empty": packed({"object": "list", "data": []}),
        }.get(fault) or embeddings(body, exchange.identity, made, usage)
        await self._send(exchange, data, "none" if fault == "truncated" else fault, tokens)

    async def _send(self, exchange: Exchange, data: bytes, fault: str, tokens: tuple[int, int]) -> None:
        """A whole reply, or what a fault leaves of it."""
        if fault == "html_body":
            exchange.settle(fault)
            await exchange.reply(200, HTML_PAGE, HTML)
        elif fault == "cut_connection":
            exchange.settle(fault)
            await exchange.half(200, data, JSON)  # returning now makes the server close the connection
        elif fault == "stall":
            await exchange.half(200, data, JSON)
            await exchange.wait(None)
            exchange.settle(fault)
        else:
            self._count(exchange, fault, tokens)
            await exchange.reply(200, data)

    async def _send_stream(self, exchange: Exchange, events: list[bytes], fault: str, tokens: tuple[int, int]) -> None:
        """A reply as server-sent events, or what a fault leaves of it."""
        if fault == "html_body":
            await self._send(exchange, b"", fault, tokens)
            return
        await exchange.start(200, EVENTS)
        broken = fault in ("cut_connection", "stall")
        sent = ""
        for event in events[: len(events) // 2] if broken else events[:-1]:
            await exchange.piece(event)
            sent += streamed_text(event)
            if not await self._held(exchange, sent):
                exchange.settle("disconnect")
                return
            if fault == "slow_stream" and not await exchange.wait(self.options.chunk_delay):
                exchange.settle("disconnect")
                return
        if broken:
            if fault == "stall":
                await exchange.wait(None)
            exchange.settle(fault)
            return
        self._count(exchange, fault, tokens)
        await exchange.piece(events[-1], more=False)

    async def _held(self, exchange: Exchange, sent: str) -> bool:
        """Wait while this much of a reply is to be held; False when the client went away."""
        while self.options.hold_after and self.options.hold_after in sent:
            if not await exchange.wait(_HOLD_S):
                return False
        return True

    def _count(self, exchange: Exchange, fault: str, tokens: tuple[int, int]) -> None:
        """Count a reply whose last byte is about to be sent."""
        self.counters.used(*tokens)
        exchange.settle(fault if fault in CONTENT_FAULTS else "none")

    def _limited(self, reply: Reply, body: dict[str, Any]) -> Reply:
        """The reply within ``max_tokens``."""
        limit = _limit(body)
        if limit is None or count_tokens(reply.text, self.options.tokens) <= limit:
            return reply
        return Reply(cut_to_tokens(reply.text, limit, self.options.tokens), reply.tool, cut_off=True)

    def _prompt_tokens(self, body: dict[str, Any]) -> int:
        """Tokens of all message texts, and of the tools as JSON."""
        tools = packed(body["tools"]).decode("utf-8", "replace") if body.get("tools") else ""
        return count_tokens(prompt_text(body) + tools, self.options.tokens)

    def _control(self, path: str, query: str, content: bytes) -> tuple[int, bytes]:
        """The reply to a request of ``FakeModelServer``; not counted, no key needed."""
        match path.removeprefix("/fake/"):
            case "counters":
                return 200, packed(self.counters.snapshot())
            case "requests":
                bodies = self.counters.recent(int(query.removeprefix("n=") or 5))
                return 200, packed([_object(body) or body.decode("utf-8", "replace") for body in bodies])
            case "reset":
                self.counters.reset()
                self.configure(self.options)
                return 200, b"{}"
            case "set":
                try:
                    self.configure(self.options.changed(**(_object(content) or {})))
                except InputError as problem:
                    return 400, error(400, str(problem))
                return 200, b"{}"
        return 404, error(404, f"the fake has no {path}")


def _bearer(scope: Message) -> str:
    """The bearer key of a request; empty without one."""
    given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    return str(given, "latin-1").removeprefix("Bearer ")


async def _whole(receive: Receive) -> bytes | None:
    """The body of a request; none when the client went away before it was whole."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _object(content: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(content)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _shape_problem(path: str, body: dict[str, Any]) -> str:
    """What is wrong with the shape of a request, or nothing."""
    if path == "embeddings":
        return "" if isinstance(body.get("input"), (str, list)) else "input must be a text or a list of texts"
    messages = body.get("messages")
    fits = isinstance(messages, list) and bool(messages)
    if fits and all(isinstance(message, dict) and isinstance(message.get("role"), str) for message in messages or ()):
        return ""
    return "messages must be a list of messages with a role, at least one"


def _limit(body: dict[str, Any]) -> int | None:
    """The most tokens a reply may have, where the request says so."""
    found = body.get("max_tokens") or body.get("max_completion_tokens")
    return int(found) if isinstance(found, (int, float)) else None


def _texts(given: Any) -> list[str]:
    """The inputs of an embeddings request: a text, texts, or lists of token numbers."""
    if isinstance(given, str):
        return [given]
    if given and all(isinstance(one, int) for one in given):
        return [" ".join(map(str, given))]
    return [one if isinstance(one, str) else " ".join(map(str, one)) for one in given]
