"""The port: an HTTP/1.1 connection whose headers, body, time and number per address are bounded before anybody asks."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from clausegraph.app.api.problems import MEDIA_TYPE, Problem, as_json
from clausegraph.core.telemetry.logs import logger

log = logger(__name__)

_LINGER, _LINGER_BYTES = 2.0, 16_777_216  # what a refused client still sends is dropped, so that it reads why
_PIECE = 65_536
_IPV6_SITE = 64  # bits that are one household's or machine's


@dataclass(frozen=True, slots=True)
class PortLimits:
    """What a client may send, and how long it may take.

    Args:
        header_bytes: of the request line and all headers, of a chunk's head and of trailers.
        header_count: headers of a request.
        target_bytes: path and query.
        header_seconds: from the connection, or the response before, to the end of the headers.
        body_seconds: to the end of the body, and one more for each ``body_pace`` bytes that have come.
        connections: open at once, of all addresses.
        address_connections: open at once of one address (IPv6: of one /64), unless it is a proxy's.
    """

    header_bytes: int = 65_536
    header_count: int = 100
    target_bytes: int = 32_768
    header_seconds: float = 20.0
    body_seconds: float = 30.0
    body_pace: int = 4_096
    connections: int = 768
    address_connections: int = 256


class Port:
    """What the connections of one server share; called by uvicorn, it makes the protocol of a new one.

    Args:
        proxies: addresses or networks that speak for many clients: their number of connections is theirs to bound.
    """

    def __init__(self, limits: PortLimits, proxies: Sequence[str] = ()) -> None:
        self.limits = limits
        self._proxies = [ipaddress.ip_network(proxy) for proxy in proxies]
        self._open: Counter[str] = Counter()

    def __call__(self, *values: Any, **named: Any) -> BoundedProtocol:
        return BoundedProtocol(self, *values, **named)

    def enter(self, address: str) -> Problem | None:
        """Count a connection; where there are as many as may be, it is not counted, and the problem is returned."""
        client, limits = self._client(address), self.limits
        if self._open.total() >= limits.connections:
            return _problem(503, "TooManyConnections", f"this server takes {limits.connections} connections")
        if client and self._open[client] >= limits.address_connections:
            said = f"this server takes {limits.address_connections} connections from one address"
            return _problem(503, "TooManyConnections", said)
        self._open[client] += 1
        return None

    def leave(self, address: str) -> None:
        """Count a connection no more."""
        client = self._client(address)
        self._open[client] -= 1
        if not self._open[client]:
            del self._open[client]

    def _client(self, address: str) -> str:
        """Of whom a connection is; empty for a proxy's, and where there is no address."""
        try:
            found = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return ""
        if any(found in proxy for proxy in self._proxies):
            return ""
        if found.version == 6:
            return str(ipaddress.ip_network((found, _IPV6_SITE), strict=False))
        return str(found)


class _Head(h11.Connection):
    """Refuses a request of too many headers or too long a path as one that cannot be read."""

    def __init__(self, limits: PortLimits) -> None:
        super().__init__(h11.SERVER, limits.header_bytes)
        self._limits = limits
        self.problem: Problem | None = None  # why the last event could not be read

    def next_event(self) -> Any:
        """The next event; ``RemoteProtocolError`` for what is no HTTP, or beyond the limits."""
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            long = error.error_status_hint == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            said = f"request line and headers may have {self._limits.header_bytes:,} bytes"
            self.problem = self._too_long(said) if long else _problem(400, "NotHttp", f"this is no HTTP/1.1: {error}")
            raise
        if isinstance(event, h11.Request):
            if len(event.target) > self._limits.target_bytes:
                said = f"path and query may have {self._limits.target_bytes:,} bytes"
                self.problem = _problem(414, "TargetTooLong", said)
            elif len(event.headers) > self._limits.header_count:
                self.problem = self._too_long(f"a request may have {self._limits.header_count} headers")
            if self.problem is not None:
                raise h11.RemoteProtocolError(self.problem.detail)
        return event

    def _too_long(self, said: str) -> Problem:
        return _problem(431, "HeadersTooLong", said)


def _problem(status: int, kind: str, said: str) -> Problem:
    return Problem(kind, status, HTTPStatus(status).phrase, said)


class BoundedProtocol(H11Protocol):
    """Uvicorn's protocol within the limits of a port."""

    def __init__(self, port: Port, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self._port, self._address = port, ""
        self.conn: _Head = _Head(port.limits)
        self._awaited, self._timer = "", self.loop.call_later(0, lambda: None)
        self._since, self._came = 0.0, 0
        self._is_counted, self._is_refused = False, False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or refuse it where there are too many."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        problem = self._port.enter(self._address)
        self._is_counted = problem is None
        if problem is None:
            self._watch()
        else:
            self._refuse(problem)

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
        self._refuse(self.conn.problem or _problem(400, "NotHttp", msg))

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of the connection; one that is closed before its client has sent all is read on for a moment."""
        self._timer.cancel()
        taken = None
        if exc is None and self._is_counted and (self._is_refused or self.conn.their_state is h11.SEND_BODY):
            with suppress(OSError):  # no file handle is left
                taken = self.transport.get_extra_info("socket").dup()
        super().connection_lost(exc)
        if taken is not None:
            _Lingering(self.loop, taken, lambda: self._port.leave(self._address))
        elif self._is_counted:
            self._port.leave(self._address)

    def _watch(self) -> None:
        """Begin to count the time of what is awaited now: headers, a body, or nothing."""
        awaited = {h11.IDLE: "headers", h11.SEND_BODY: "body"}.get(self.conn.their_state, "")
        if awaited == self._awaited or self.transport.is_closing():
            return
        self._timer.cancel()
        self._awaited, self._since = awaited, self.loop.time()
        if awaited == "headers":
            self._came = 0
        if awaited:
            self._timer = self.loop.call_later(self._seconds(), self._late)

    def _seconds(self) -> float:
        limits = self._port.limits
        if self._awaited == "headers":
            return limits.header_seconds
        return limits.body_seconds + self._came / limits.body_pace

    def _late(self) -> None:
        """The time is over, unless more has come meanwhile, or it is we who do not read."""
        left = self._since + self._seconds() - self.loop.time()
        if self.flow.read_paused:
            left = self._port.limits.body_seconds
        if left > 0:
            self._timer = self.loop.call_later(left, self._late)
        elif self._awaited == "headers" and not self.conn.trailing_data[0]:
            self.transport.close()  # it was opened in advance, as browsers do, and not used
        else:
            said = f"the {self._awaited} of the request did not come within {self._seconds():g} seconds"
            self._refuse(_problem(408, "TooSlow", said))

    def _refuse(self, problem: Problem) -> None:
        """Say why, where no response has begun, and close."""
        self._is_refused = True
        log.info("http.refused", kind=problem.kind, status=problem.status)
        with suppress(h11.LocalProtocolError):  # a response is under way: the closed connection tells
            body = as_json(problem.document("")).encode()
            headers = [("content-type", MEDIA_TYPE), ("content-length", str(len(body))), ("connection", "close")]
            for event in (
                h11.Response(status_code=problem.status, headers=headers, reason=problem.title.encode()),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


class _Lingering:
    """A closed connection, of which what comes is read and dropped until the client ends it or a moment has passed.

    Closed at once, it would be reset while the client still sends, and the response lost with what it has not read.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, taken: socket.socket, ended: Any) -> None:
        self._loop, self._taken, self._ended, self._left = loop, taken, ended, _LINGER_BYTES
        with suppress(OSError):  # the client is gone already
            taken.shutdown(socket.SHUT_WR)
        loop.add_reader(taken.fileno(), self._drop)
        self._timer = loop.call_later(_LINGER, self._end)

    def _drop(self) -> None:
        try:
            more = self._taken.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError:
            more = b""
        self._left -= len(more)
        if not more or self._left < 0:
            self._end()

    def _end(self) -> None:
        self._timer.cancel()
        self._loop.remove_reader(self._taken.fileno())
        self._taken.close()
        self._ended()
