"""One request and its reply on the wire, and its place in the counters."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Protocol

from clausegraph.app.dev.fake_llm.counters import Counters
from clausegraph.app.dev.fake_llm.wire import error

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]


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
