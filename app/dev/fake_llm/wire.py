"""One request and its reply in the provider's JSON, on the wire and in the counters; and how tokens are counted.

One form serves both clients. The Mistral client insists on ``usage`` being there, so a reply without usage has an
empty one; an error carries Mistral's fields and, under ``error``, OpenAI's. Counters are since the start or a reset.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from clausegraph.app.dev.fake_llm.replies import Reply
    from clausegraph.core.models.embedding import Vectors

_BYTES_PER_TOKEN = {"approximate": 4, "bytes": 1}
MODELS = ("fake-small", "fake-large", "fake-embed")
_CREATED = 1767225600  # 2026-01-01; a clock would make replies differ
_KINDS = {
    400: ("invalid_request_error", "3000"),
    401: ("unauthorized", "1000"),
    404: ("not_found", "1001"),
    422: ("invalid_request_error", "3001"),
    429: ("rate_limited", "1300"),
    500: ("internal_server_error", "1100"),
    503: ("service_unavailable", "1101"),
}
_KEPT = 64  # last requests
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]


def count_tokens(text: str, how: str) -> int:
    """Tokens of a text: ceil(UTF-8 bytes / 4) when ``how`` is "approximate", one a byte when it is "bytes"."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // _BYTES_PER_TOKEN[how])


def cut_to_tokens(text: str, limit: int, how: str) -> str:
    """The longest beginning of a text that has at most ``limit`` tokens and splits no character."""
    data = text.encode("utf-8", "surrogatepass")[: max(0, limit) * _BYTES_PER_TOKEN[how]]
    return data.decode("utf-8", "ignore")


def packed(value: Any) -> bytes:
    """A value as JSON bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def shown_model(body: dict[str, Any]) -> str:
    """The model's name as replies give it: always one that says "fake"."""
    name = str(body.get("model") or "fake-small")
    return name if name.startswith("fake-") else f"fake-{name}"


def usage_of(prompt_tokens: int, output_tokens: int, told: bool) -> dict[str, int]:
    """Tokens as a reply reports them; empty where it does not."""
    if not told:
        return {}
    total = prompt_tokens + output_tokens
    return {"prompt_tokens": prompt_tokens, "completion_tokens": output_tokens, "total_tokens": total}


def completion(body: dict[str, Any], identity: str, reply: Reply, usage: dict[str, int]) -> bytes:
    """A whole chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.tool is not None:
        message = {"role": "assistant", "content": "", "tool_calls": [_tool_call(identity, reply)]}
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return packed(_head(body, identity, "chat.completion") | {"choices": [choice], "usage": usage})


def stream_events(
    body: dict[str, Any], identity: str, reply: Reply, usage: dict[str, int], chunks: int
) -> Iterator[bytes]:
    """A chat completion as server-sent events: pieces of the text, then the end with the usage, then ``[DONE]``."""
    head = _head(body, identity, "chat.completion.chunk")
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if reply.tool is None:
        size = max(1, -(-len(reply.text) // chunks))
        deltas += [{"content": reply.text[at : at + size]} for at in range(0, len(reply.text), size)]
    else:
        deltas.append({"content": "", "tool_calls": [_tool_call(identity, reply)]})
    for delta in deltas:
        yield _event(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    last = head | {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": _finish(reply)}]}
    apart = bool((body.get("stream_options") or {}).get("include_usage"))
    yield _event(last if apart or not usage else last | {"usage": usage})
    if apart and usage:  # as OpenAI sends it when asked: in a chunk without choices
        yield _event(head | {"choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def streamed_text(event: bytes) -> str:
    """The piece of text in an event of a chat completion; empty where it has none."""
    data = event.removeprefix(b"data: ").strip()
    choices = json.loads(data)["choices"] if data.startswith(b"{") else []
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def embeddings(body: dict[str, Any], identity: str, vectors: Vectors, usage: dict[str, int]) -> bytes:
    """Embeddings as lists of numbers, or in base64 (little-endian float32) where the request says so."""
    coded = body.get("encoding_format") == "base64"
    data = [
        {
            "object": "embedding",
            "index": index,
            "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode() if coded else row.tolist(),
        }
        for index, row in enumerate(vectors)
    ]
    return packed({"id": identity, "object": "list", "model": shown_model(body), "data": data, "usage": usage})


def models(names: Sequence[str]) -> bytes:
    """The list of models."""
    abilities = {"completion_chat": True, "function_calling": True}
    common = {"object": "model", "created": _CREATED, "owned_by": "fake", "type": "base", "capabilities": abilities}
    return packed({"object": "list", "data": [{"id": name} | common for name in names]})


def error(status: int, message: str) -> bytes:
    """An error as Mistral and as OpenAI write it."""
    kind, code = _KINDS.get(status, ("error", str(status)))
    described = {"message": message, "type": kind, "param": None, "code": code}
    return packed({"object": "error"} | described | {"error": described})


def _head(body: dict[str, Any], identity: str, kind: str) -> dict[str, Any]:
    return {"id": identity, "object": kind, "created": _CREATED, "model": shown_model(body)}


def _finish(reply: Reply) -> str:
    if reply.cut_off:
        return "length"
    return "stop" if reply.tool is None else "tool_calls"


def _tool_call(identity: str, reply: Reply) -> dict[str, Any]:
    function = {"name": reply.tool, "arguments": reply.text}
    return {"id": identity[-9:], "type": "function", "index": 0, "function": function}


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + packed(value) + b"\n\n"


class Counters:
    """Requests, outcomes, tokens and load. Used from one event loop only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._in_flight = 0
        self.reset()

    def reset(self) -> None:
        """Forget everything but the requests in flight."""
        self.requests = self._in_flight
        self.ok = self.prompt_tokens = self.output_tokens = self._repeated = 0
        self.latency_sum = 0.0
        self.failed: Counter[str] = Counter()
        self.by_path: Counter[str] = Counter()
        self._answered: set[bytes] = set()
        self._recent: deque[bytes] = deque(maxlen=_KEPT)
        self._max = self._in_flight
        self._area = self._busy = 0.0
        self._since = self._clock()

    @property
    def in_flight(self) -> int:
        """Requests being served now."""
        return self._in_flight

    def arrived(self, path: str, body: bytes) -> None:
        """A request has come whole; from here on it is in flight."""
        self.requests += 1
        self.by_path[path] += 1
        self._recent.append(body)
        self._advance()
        self._in_flight += 1
        self._max = max(self._max, self._in_flight)

    def refused(self, path: str, body: bytes, why: str) -> None:
        """A request has come and is turned away at once; it is never in flight."""
        self.requests += 1
        self.by_path[path] += 1
        self._recent.append(body)
        self.failed[why] += 1

    def answered(self, digest: bytes) -> None:
        """A request in flight gets its reply."""
        self._left()
        self.ok += 1
        self._repeated += digest in self._answered
        self._answered.add(digest)

    def lost(self, why: str) -> None:
        """A request in flight ends without its reply."""
        self._left()
        self.failed[why] += 1

    def used(self, prompt_tokens: int, output_tokens: int) -> None:
        """Tokens of a reply that is sent whole."""
        self.prompt_tokens += prompt_tokens
        self.output_tokens += output_tokens

    def recent(self, n: int) -> list[bytes]:
        """The last bodies received, oldest first."""
        return list(self._recent)[-n:] if n > 0 else []

    def snapshot(self) -> dict[str, Any]:
        """All figures as plain values."""
        self._advance()
        return {
            "requests": self.requests,
            "ok": self.ok,
            "failed": dict(self.failed),
            "in_flight": self._in_flight,
            "in_flight_max": self._max,
            "mean_in_flight": self._area / self._busy if self._busy else 0.0,
            "latency_sum": self.latency_sum,
            "prompt_tokens": self.prompt_tokens,
            "output_tokens": self.output_tokens,
            "by_path": {path: self.by_path[path] for path in ("chat", "stream", "embeddings")},
            "distinct_prompts": len(self._answered),
            "repeated_ok": self._repeated,
        }

    def _left(self) -> None:
        self._advance()
        self._in_flight -= 1

    def _advance(self) -> None:
        """Add the time since the last change to the mean."""
        now = self._clock()
        if self._in_flight:
            self._area += self._in_flight * (now - self._since)
            self._busy += now - self._since
        self._since = now


class Connection(Protocol):
    """What the HTTP server knows of its connection."""

    transport: asyncio.Transport
    flow: Any  # with drain(), which waits while the other side does not read


JSON = b"application/json"
EVENTS = b"text/event-stream; charset=utf-8"
HTML = b"text/html; charset=utf-8"


@dataclass
class Exchange:
    """A request that has come whole. Once counted as arrived it is settled exactly once."""

    path: str
    content: bytes
    receive: Receive
    send: Send
    counters: Counters
    key: str = ""  # the bearer key that came with it
    connection: Connection | None = None  # below HTTP
    in_flight: bool = False
    digest: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.digest = blake2b(self.content, digest_size=16).digest()

    @property
    def identity(self) -> str:
        """The id of the reply: the same for the same request."""
        return f"fake{self.digest.hex()[:24]}"

    def arrived(self) -> None:
        """Count the request as in flight."""
        self.counters.arrived(self.path, self.content)
        self.in_flight = True

    def settle(self, fault: str = "none") -> None:
        """Count the end of the request: answered, or lost to a fault; nothing when that has been done."""
        if not self.in_flight:
            return
        self.in_flight = False
        if fault == "none":
            self.counters.answered(self.digest)
        else:
            self.counters.lost(fault)

    async def refuse(self, status: int, message: str, retry_after: float | None = None) -> None:
        """Answer with an error."""
        if self.in_flight:
            self.settle(str(status))
        else:
            self.counters.refused(self.path, self.content, str(status))
        wait = [] if retry_after is None else [(b"retry-after", f"{retry_after:g}".encode())]
        await self.reply(status, error(status, message), headers=wait)

    async def start(self, status: int, kind: bytes, headers: Headers = ()) -> None:
        """Send the status line and the headers."""
        await self.send(
            {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind), *headers]}
        )

    async def piece(self, data: bytes, more: bool = True) -> None:
        """Send a piece of the body."""
        await self.send({"type": "http.response.body", "body": data, "more_body": more})

    async def reply(self, status: int, data: bytes, kind: bytes = JSON, headers: Headers = ()) -> None:
        """Send a whole reply."""
        await self.start(status, kind, [*headers, (b"content-length", str(len(data)).encode())])
        await self.piece(data, more=False)

    async def half(self, status: int, data: bytes, kind: bytes) -> None:
        """Send the headers of a whole reply, and half of it."""
        await self.start(status, kind, [(b"content-length", str(len(data)).encode())])
        await self.piece(data[: len(data) // 2])

    async def wait(self, seconds: float | None) -> bool:
        """Sleep, for ever when None; False as soon as the client has gone away. Counts what was slept."""
        began = time.monotonic()
        try:
            async with asyncio.timeout(seconds):
                while (await self.receive())["type"] != "http.disconnect":
                    pass
        except TimeoutError:
            self.counters.latency_sum += seconds or 0.0
            return True
        self.counters.latency_sum += 0.0 if seconds is None else time.monotonic() - began
        return False
