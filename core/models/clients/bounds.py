"""How much of a server's reply is read, and which are none: no redirect is followed, nothing decompressed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

from clausegraph.core.models.clients.failures import Server

_PLAIN = {"accept-encoding": "identity"}  # what is not compressed cannot grow
_MARGIN = 1_000_000
_TOKEN_BYTES = 512  # of a reply token on the wire: a streamed one has an event of its own
_NUMBER_BYTES = 24
_DIMENSIONS = 8192


def reply_limit(max_output: int) -> int:
    """Bytes of a reply of at most so many tokens."""
    return _MARGIN + _TOKEN_BYTES * max_output


def vectors_limit(texts: int) -> int:
    """Bytes of the vectors of so many texts."""
    return _MARGIN + texts * _DIMENSIONS * _NUMBER_BYTES


class Body(Protocol):
    """A body as the HTTP libraries have it."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None: ...


class BoundedBody:
    """A body that ends with an error where it grows beyond a limit. Each client mixes its library's class in."""

    def __init__(self, body: Body, limit: int, server: Server) -> None:
        self._body, self._limit, self._server = body, limit, server

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for piece in self._body:
            left -= len(piece)
            if left < 0:
                raise self._server.unreadable(f"more than {self._limit:,} bytes, which no reply that was asked for has")
            yield piece

    async def aclose(self) -> None:
        """Close the body."""
        await self._body.aclose()


def bounds(server: Server, limit: int, bounded: Callable[[Body, int, Server], Body]) -> dict[str, Any]:
    """The options of a client of either library by which at most ``limit`` bytes of a reply are read.

    A redirect or a compressed body is an error, and nothing of the body is read.
    """

    async def check(response: Any) -> None:
        if 300 <= response.status_code < 400:
            raise server.redirected(response.status_code, response.headers.get("location", ""))
        coding = response.headers.get("content-encoding", "identity")
        if coding.strip().lower() not in ("", "identity"):
            raise server.unreadable(f"its body is compressed ({coding[:40]}), which was not asked for")
        response.encoding = "utf-8"  # JSON is; the codec that the server names may be none for texts
        response.stream = bounded(response.stream, limit, server)

    return {"headers": _PLAIN, "follow_redirects": False, "event_hooks": {"response": [check]}}
