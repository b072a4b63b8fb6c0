"""The ASGI application: a model provider's two addresses, and ``/fake/…`` to control it."""

import json
from dataclasses import replace
from random import Random
from typing import Any

from clausegraph.app.dev.fake_model import (
    CHAT,
    are_messages,
    completion,
    last_user_text,
    prompt_text,
    stream_events,
)
from clausegraph.core.errors import InputError
from tests.harness.fake_llm.options import CONTENT_FAULTS, MORE_FAULTS, STATUS_FAULTS, FakeOptions, FaultPlan
from tests.harness.fake_llm.replies import GARBAGE, Replier, spoilt, wanted
from tests.harness.fake_llm.wire import (
    EVENTS,
    HTML,
    JSON,
    Counters,
    Exchange,
    Message,
    Receive,
    Reply,
    Send,
    count_tokens,
    cut_to_tokens,
    embeddings,
    error,
    packed,
    streamed_text,
)

EMBEDDINGS = "/v1/embeddings"
HTML_PAGE = b"<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>"
_DIMENSION = 384
_HOLD_S = 0.02  # seconds between two looks whether a held reply may go on
_STATUS_TEXT = {"429": "Rate limit exceeded", "500": "Internal server error", "503": "Service unavailable"}
_NO_VECTORS: dict[str, Any] = {"wrong_schema": {"data": {"no": "vectors"}}, "empty": {"object": "list", "data": []}}


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
        self.random = Random(0)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        parts: list[bytes] = []
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            parts.append(message.get("body", b""))
            more = message.get("more_body", False)
        content, path = b"".join(parts), str(scope["path"])
        given = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
        key = str(given, "latin-1").removeprefix("Bearer ")
        kind = "embeddings" if path == EMBEDDINGS else "chat"
        exchange = Exchange(kind, content, receive, send, self.counters, key, scope.get("connection"))
        if path.startswith("/fake/"):
            await exchange.reply(*self._control(path, str(scope["query_string"], "ascii"), content))
        elif self.options.key not in (None, key):
            await exchange.refuse(401, "Unauthorized: the fake was started with another key")
        elif path in (CHAT, EMBEDDINGS) and scope["method"] == "POST":
            await self._serve(exchange)
        else:
            await exchange.refuse(404, f"the fake has no {scope['method']} {path}")

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
            await exchange.refuse(int(fault), _STATUS_TEXT[fault], None if fault == "500" else self.options.retry_after)
            return
        exchange.serve()
        seconds = None if fault == "hang" else self.random.uniform(*self.options.latency)
        try:
            if seconds != 0 and not await exchange.wait(seconds):
                exchange.settle("hang" if seconds is None else "disconnect")
            else:
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
        if path == "embeddings":
            malformed = "" if isinstance(body.get("input"), (str, list)) else "input must be a text or a list of texts"
        else:
            fits = are_messages(body.get("messages"))
            malformed = "" if fits else "messages must be a list of messages with a role, at least one"
        found = 422 if malformed else 200, malformed
        if malformed:
            return found
        if options.models and body.get("model") not in options.models:
            found = 404, f"there is no model {body.get('model')!r}"
        elif options.context_window is not None and count_tokens(prompt_text(body), "bytes") > options.context_window:
            found = 400, f"the prompt has more than the {options.context_window} tokens of the context"
        elif options.concurrency is not None and self.counters.in_flight >= options.concurrency:
            found = 429, f"Rate limit exceeded: {options.concurrency} requests at once"
        return found

    async def _chat(self, exchange: Exchange, body: dict[str, Any], fault: str) -> None:
        options = self.options
        reply, limit = spoilt(self.replier.reply(wanted(body)), fault), _limit(body)
        if limit is not None and count_tokens(reply.text, options.tokens) > limit:
            reply = Reply(cut_to_tokens(reply.text, limit, options.tokens), cut_off=True)
        used = count_tokens(prompt_text(body), options.tokens), count_tokens(reply.text, options.tokens)
        whole = completion(body, exchange.identity, reply.text, self._usage(*used), reply.finish)
        if fault in MORE_FAULTS:
            await MORE_FAULTS[fault](exchange, body, reply.text, whole)
        elif exchange.path == "stream":
            usage = self._usage(*used)
            events = stream_events(body, exchange.identity, reply.text, usage, reply.finish, options.chunks)
            await self._send(exchange, [event.encode("utf-8", "surrogatepass") for event in events], fault, used)
        else:
            await self._send(exchange, _halves(packed(whole)), fault, used)

    async def _embed(self, exchange: Exchange, body: dict[str, Any], fault: str) -> None:
        from clausegraph.core.models.embedding import HashingEmbedder

        texts = [body["input"]] if isinstance(body["input"], str) else [str(one) for one in body["input"]]
        used = sum(count_tokens(text, self.options.tokens) for text in texts), 0
        made = HashingEmbedder(int(body.get("dimensions") or _DIMENSION)).embed_texts(texts)
        whole = embeddings(body, exchange.identity, made, self._usage(*used))
        if fault in MORE_FAULTS:
            await MORE_FAULTS[fault](exchange, body, "", whole)
            return
        data = GARBAGE.encode() if fault == "garbage" else packed(_NO_VECTORS.get(fault, whole))
        await self._send(exchange, _halves(data), "none" if fault == "truncated" else fault, used)

    async def _send(self, exchange: Exchange, pieces: list[bytes], fault: str, used: tuple[int, int]) -> None:
        """A reply, whole in two pieces or as server-sent events, or what a fault leaves of it."""
        if fault == "html_body":
            exchange.settle(fault)
            await exchange.reply(200, HTML_PAGE, HTML)
            return
        if exchange.path == "stream":
            await exchange.start(200, EVENTS)
        else:
            await exchange.start(200, JSON, [(b"content-length", str(sum(map(len, pieces))).encode())])
        if fault in ("cut_connection", "stall"):
            for piece in pieces[: len(pieces) // 2]:
                await exchange.piece(piece)
            if fault == "stall":
                await exchange.wait(None)
            exchange.settle(fault)
            return  # which makes the server close the connection
        stays = True
        sent = ""
        for piece in pieces[:-1]:
            await exchange.piece(piece)
            sent += streamed_text(piece) if exchange.path == "stream" else ""
            while stays and self.options.hold_after and self.options.hold_after in sent:
                stays = await exchange.wait(_HOLD_S)
            if stays and fault == "slow_stream" and exchange.path == "stream":
                stays = await exchange.wait(self.options.chunk_delay)
            if not stays:
                exchange.settle("disconnect")
                return
        self.counters.sums.update(prompt_tokens=used[0], output_tokens=used[1])
        exchange.settle(fault if fault in CONTENT_FAULTS else "none")
        await exchange.piece(pieces[-1], more=False)

    def _usage(self, prompt: int, output: int) -> dict[str, int]:
        """Tokens as a reply reports them; empty where it does not."""
        told = {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output}
        return told if self.options.usage == "reported" else {}

    def _control(self, path: str, query: str, content: bytes) -> tuple[int, bytes]:
        """The reply to a request of ``FakeModelServer``; not counted, no key needed."""
        match path.removeprefix("/fake/"):
            case "counters":
                return 200, packed(self.counters.snapshot())
            case "requests":
                bodies = list(self.counters.recent)[-int(query.removeprefix("n=")) :]
                return 200, packed([_object(body) or body.decode("utf-8", "replace") for body in bodies])
            case "reset":
                self.counters.reset()
                self.configure(self.options)
                return 200, b"{}"
            case "set":
                self.configure(replace(self.options, **(_object(content) or {})))
                return 200, b"{}"
        return 404, error(404, f"the fake has no {path}")


def _object(content: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(content)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _limit(body: dict[str, Any]) -> int | None:
    """The most tokens a reply may have, where the request says so."""
    found = body.get("max_tokens") or body.get("max_completion_tokens")
    return int(found) if isinstance(found, (int, float)) else None


def _halves(data: bytes) -> list[bytes]:
    return [data[: len(data) // 2], data[len(data) // 2 :]]
