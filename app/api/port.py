"""The port: HTTP/1.1 connections whose headers, body, time and number per address are bounded before anybody asks."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from clausegraph.app.api.problems import MEDIA_TYPE, Problem, as_json

_LINGER, _LINGER_BYTES = 2.0, 16_777_216  # seconds and bytes that a refused client may still send, so that it reads why
_PIECE = 65_536


@dataclass(eq=False)
class Port:
    """What a client of one server may send, how long it may take, and who is connected: bytes, seconds, connections at
    once. Uvicorn calls it for the protocol of a new connection.

    ``proxies`` are addresses or networks that speak for many clients, whose connections they bound themselves;
    ``address_connections`` are those of any other address (IPv6: of one /64). ``header_bytes`` are of the request line
    with all headers, and of trailers; their time begins with the connection, or the response before. A body has a
    second more for each ``body_pace`` bytes that have come.
    """

    proxies: Sequence[str] = ()
    header_bytes: int = 65_536
    header_seconds: float = 20.0
    body_seconds: float = 30.0
    body_pace: float = 4_096
    connections: int = 768
    address_connections: int = 256
    open: Counter[str] = field(default_factory=Counter, init=False)  # connections by client

    def __call__(self, *values: Any, **named: Any) -> BoundedProtocol:
        return BoundedProtocol(self, *values, **named)

    def client(self, address: str) -> str:
        """Of whom a connection is; empty for a proxy's, and where there is no address."""
        try:
            found = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return ""
        if any(found in ipaddress.ip_network(proxy) for proxy in self.proxies):
            return ""
        return str(found) if found.version == 4 else str(ipaddress.ip_network((found, 64), strict=False))

    def enter(self, client: str) -> bool:
        """Count a connection; False where there are as many as may be."""
        of_client = self.open[client] if client else 0
        if self.open.total() >= self.connections or of_client >= self.address_connections:
            return False
        self.open[client] += 1
        return True

    def leave(self, client: str) -> None:
        """Count a connection no more."""
        self.open[client] -= 1
        self.open += Counter()  # without those of nobody


class BoundedProtocol(H11Protocol):
    """Uvicorn's protocol within the limits of a port."""

    def __init__(self, port: Port, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self._port, self._client = port, ""
        self.conn = h11.Connection(h11.SERVER, port.header_bytes)
        self._awaited, self._since, self._came = "", 0.0, 0
        self._timer: asyncio.TimerHandle | None = None
        self._is_counted = self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or refuse it where there are too many."""
        super().connection_made(transport)
        self._client = self._port.client(self.client[0] if self.client else "")
        self._is_counted = self._port.enter(self._client)
        if self._is_counted:
            self._watch()
        else:
            self._refuse(503, "TooManyConnections", "this server has as many connections as it takes from one address")

    def data_received(self, data: bytes) -> None:
        """Take what the client sent."""
        self._came += len(data)
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Refuse what cannot be read."""
        most = self._port.header_bytes
        if len(self.conn.trailing_data[0]) > most:
            self._refuse(431, "HeadersTooLong", f"request line and headers may have {most:,} bytes")
        else:
            self._refuse(400, "NotHttp", msg)

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the connection; one that is closed before its client has sent all is read on for a moment."""
        if self._timer is not None:
            self._timer.cancel()
        rest = None
        if exc is None and self._is_counted and (self._is_refused or self.conn.their_state is h11.SEND_BODY):
            with suppress(OSError):  # no file handle is left
                rest = self.transport.get_extra_info("socket").dup()
        super().connection_lost(exc)
        if rest is not None:
            _drop(self.loop, rest, lambda: self._port.leave(self._client))
        elif self._is_counted:
            self._port.leave(self._client)

    def _watch(self) -> None:
        """Begin to count the time of what is awaited now: headers, a body, or nothing."""
        awaited = {h11.IDLE: "headers", h11.SEND_BODY: "body"}.get(self.conn.their_state, "")
        if awaited == self._awaited or self.transport.is_closing():
            return
        if self._timer is not None:
            self._timer.cancel()
        self._awaited, self._since, self._came = awaited, self.loop.time(), self._came if awaited == "body" else 0
        if awaited:
            self._timer = self.loop.call_later(self._seconds(), self._late)

    def _seconds(self) -> float:
        if self._awaited == "headers":
            return self._port.header_seconds
        return self._port.body_seconds + self._came / self._port.body_pace

    def _late(self) -> None:
        """The time is over, unless more has come meanwhile, or it is we who do not read."""
        left = self._since + self._seconds() - self.loop.time()
        if self.flow.read_paused:
            left = self._port.body_seconds
        if left > 0:
            self._timer = self.loop.call_later(left, self._late)
        elif self._awaited == "headers" and not self.conn.trailing_data[0]:
            self.transport.close()  # it was opened in advance, as browsers do, and not used
        else:
            self._refuse(408, "TooSlow", f"the {self._awaited} did not come within {self._seconds():g} seconds")

    def _refuse(self, status: int, kind: str, said: str) -> None:
        """Say why, where no response has begun, and close."""
        self._is_refused, title = True, HTTPStatus(status).phrase
        body = as_json(Problem(kind, status, title, said).document("")).encode()
        headers = [("content-type", MEDIA_TYPE), ("content-length", str(len(body))), ("connection", "close")]
        with suppress(h11.LocalProtocolError):  # a response is under way: the closed connection tells
            head = self.conn.send(h11.Response(status_code=status, headers=headers, reason=title.encode()))
            self.transport.write((head or b"") + body)
        self.transport.close()


def _drop(loop: asyncio.AbstractEventLoop, rest: socket.socket, ended: Callable[[], None]) -> None:
    """Read on a socket until its client ends it or a moment has passed: closed at once, it would be reset while the
    client still sends, and the response lost with it."""
    left = _LINGER_BYTES

    def end() -> None:
        timer.cancel()
        loop.remove_reader(rest.fileno())
        rest.close()
        ended()

    def read() -> None:
        nonlocal left
        try:
            more = len(rest.recv(_PIECE))
        except BlockingIOError:
            return
        except OSError:
            more = 0
        left -= more
        if not more or left < 0:
            end()

    timer = loop.call_later(_LINGER, end)
    with suppress(OSError):  # the client is gone already
        rest.shutdown(socket.SHUT_WR)
    loop.add_reader(rest.fileno(), read)
