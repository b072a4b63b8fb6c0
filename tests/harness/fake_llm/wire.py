"""One request and its reply in the provider's JSON, on the wire and in the counters; and how tokens are counted.

One form serves both clients. The Mistral client insists on ``usage`` being there, so a reply without usage has an
empty one; an error carries Mistral's fields and, under ``error``, OpenAI's. Counters are since the start or a reset.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from clausegraph.app.dev import fake_model

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Vectors

_BYTES_PER_TOKEN = {"approximate": 4, "bytes": 1}
_KEPT = 64  # last requests
JSON = b"application/json"
EVENTS = b"text/event-stream; charset=utf-8"
HTML = b"text/html; charset=utf-8"
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of a reply, and whether it was cut off."""

    text: str
    cut_off: bool = False

    @property
    def finish(self) -> str:
        """Why it ended, as the provider says it."""
        return "length" if self.cut_off else "stop"


def count_tokens(text: str, how: str) -> int:
    """Tokens of a text: ceil(UTF-8 bytes / 4) when ``how`` is "approximate", one a byte when it is "bytes"."""
    return fake_model.count_tokens(text, _BYTES_PER_TOKEN[how])


def cut_to_tokens(text: str, limit: int, how: str) -> str:
    """The longest beginning of a text that has at most ``limit`` tokens and splits no character."""
    data = text.encode("utf-8", "surrogatepass")[: max(0, limit) * _BYTES_PER_TOKEN[how]]
    return data.decode("utf-8", "ignore")


def packed(value: Any) -> bytes:
    """A value as JSON bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def streamed_text(event: bytes) -> str:
    """The piece of text in an event of a chat completion; empty where it has none."""
    data = event.removeprefix(b"data: ").strip()
    choices = json.loads(data)["choices"] if data.startswith(b"{") else []
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def embeddings(body: dict[str, Any], identity: str, vectors: Vectors, usage: dict[str, int]) -> dict[str, Any]:
    """Embeddings as lists of numbers."""
    data = [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(vectors)]
    return fake_model.reply_head(body, identity, "list") | {"data": data, "usage": usage}


def error(status: int, message: str) -> bytes:
    """An error as Mistral and as OpenAI write it."""
    return packed(fake_model.error(status, message))


class Counters:
    """Requests, outcomes, tokens and load. Used from one event loop only."""

    def __init__(self) -> None:
        self.in_flight = 0
        self.reset()

    def reset(self) -> None:
        """Forget everything but the requests in flight."""
        self.sums = Counter(requests=self.in_flight)
        self.failed: Counter[str] = Counter()
        self.recent: deque[bytes] = deque(maxlen=_KEPT)
        self._answered: set[bytes] = set()
        self._most = self.in_flight

    def arrived(self, path: str, body: bytes) -> None:
        """A request has come whole."""
        self.sums.update(["requests", path])
        self.recent.append(body)

    def entered(self, by: int) -> None:
        """A request is in flight from here on (1), or no more (-1)."""
        self.in_flight += by
        self._most = max(self._most, self.in_flight)

    def answered(self, digest: bytes) -> None:
        """A request gets its reply."""
        self.sums.update(ok=1, repeated_ok=digest in self._answered)
        self._answered.add(digest)

    def snapshot(self) -> dict[str, Any]:
        """All figures as plain values; the README beside this says what each means."""
        names = ("requests", "ok", "prompt_tokens", "output_tokens", "repeated_ok")
        return {name: self.sums[name] for name in names} | {
            "failed": dict(self.failed),
            "in_flight": self.in_flight,
            "in_flight_max": self._most,
            "by_path": {path: self.sums[path] for path in ("chat", "stream", "embeddings")},
            "distinct_prompts": len(self._answered),
        }


@dataclass
class Exchange:
    """A request that has come whole. Once it is served it is settled exactly once."""

    path: str
    content: bytes
    receive: Receive
    send: Send
    counters: Counters
    key: str = ""  # the bearer key that came with it
    connection: Any = None  # below HTTP, where the server shows it
    in_flight: bool = False
    digest: bytes = field(init=False)

    def __post_init__(self) -> None:
        self.digest = blake2b(self.content, digest_size=16).digest()

    @property
    def identity(self) -> str:
        """The id of the reply: the same for the same request."""
        return f"fake{self.digest.hex()[:24]}"

    def serve(self) -> None:
        """Count the request as in flight."""
        self.counters.arrived(self.path, self.content)
        self.counters.entered(1)
        self.in_flight = True

    def settle(self, fault: str = "none") -> None:
        """Count the end of the request: answered, or lost to a fault; nothing when that has been done."""
        if not self.in_flight:
            return
        self.in_flight = False
        self.counters.entered(-1)
        if fault == "none":
            self.counters.answered(self.digest)
        else:
            self.counters.failed[fault] += 1

    async def refuse(self, status: int, message: str, retry_after: float | None = None) -> None:
        """Answer with an error."""
        if self.in_flight:
            self.settle(str(status))
        else:
            self.counters.arrived(self.path, self.content)
            self.counters.failed[str(status)] += 1
        wait = [] if retry_after is None else [(b"retry-after", f"{retry_after:g}".encode())]
        await self.reply(status, error(status, message), headers=wait)

    async def start(self, status: int, kind: bytes, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """Send the status line and the headers."""
        told = [(b"content-type", kind), *headers]
        await self.send({"type": "http.response.start", "status": status, "headers": told})

    async def piece(self, data: bytes, more: bool = True) -> None:
        """Send a piece of the body."""
        await self.send({"type": "http.response.body", "body": data, "more_body": more})

    async def reply(
        self, status: int, data: bytes, kind: bytes = JSON, headers: Iterable[tuple[bytes, bytes]] = ()
    ) -> None:
        """Send a whole reply."""
        await self.start(status, kind, [*headers, (b"content-length", str(len(data)).encode())])
        await self.piece(data, more=False)

    async def wait(self, seconds: float | None) -> bool:
        """Sleep, for ever when None; False as soon as the client has gone away."""
        try:
            async with asyncio.timeout(seconds):
                while (await self.receive())["type"] != "http.disconnect":
                    pass
        except TimeoutError:
            return True
        return False
