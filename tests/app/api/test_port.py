"""The port over real sockets: what a client may send before anybody asks who it is, and how long it may take."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from clausegraph.app.api.application import create_app
from clausegraph.app.api.port import Port
from clausegraph.app.api.served import server_config
from clausegraph.app.process import listening_socket
from clausegraph.app.workspace import Workspace
from tests.app.api.conftest import ASK, Stand
from tests.harness.wait import until

pytestmark = pytest.mark.integration
WAIT = 30.0  # seconds that a test gives the server before it fails
MOST = 100_000_000  # bytes: a server that reads on without end has read so many
PIECE = b"x" * 65_536
GET = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n"
POST = f"POST {ASK} HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
CHUNK = b"10000\r\n" + PIECE + b"\r\n"


@contextmanager
def port_of(stand: Stand, **limits: Any) -> Iterator[int]:
    """The port of a server with these limits, in a thread."""
    app = create_app(Workspace(stand.settings()))
    server = uvicorn.Server(server_config(app, (), **limits))
    with listening_socket("127.0.0.1", 0, 64) as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            yield bound.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def port(stand: Stand) -> Iterator[int]:
    with port_of(stand) as number:
        yield number


def _call(port: int, *parts: bytes, endless: bytes = b"") -> tuple[bytes, int]:
    """All that the server replies until it closes, and how many bytes of what is ``endless`` it took."""
    taken = 0
    with closing(socket.create_connection(("127.0.0.1", port), WAIT)) as client:
        try:
            for part in parts:
                client.sendall(part)
            while endless and taken < MOST:
                client.sendall(endless)
                taken += len(endless)
        except OSError:
            pass  # it reads no more
        reply = b""
        try:
            while more := client.recv(65_536):
                reply += more
        except ConnectionResetError:
            pass
    return reply, taken


def _problem(reply: bytes) -> int:
    """The status of a problem document after which the connection is closed."""
    head, _, body = reply.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower() and b"application/problem+json" in head
    assert int(head.split()[1]) == json.loads(body)["status"]
    return int(head.split()[1])


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
ENDLESS = {
    "header lines": (GET, b"".join(b"X-%d: y\r\n" % number for number in range(5000)), {431}),
    "one header": (GET + b"X: ", PIECE, {431}),
    "a path": (b"GET /", PIECE, {431}),
    "a chunk's head": (POST + CHUNKED + b"1;", PIECE, {401, 431}),  # whichever is seen first
    "trailers": (POST + CHUNKED + b"0\r\n", b"X-Trailer: y\r\n" * 5000, {401, 431}),
    "no HTTP at all": (b"\x16\x03\x01 hello\r\n\r\n", PIECE, {400, 431}),  # whichever is seen first
    "a body without a token": (POST + CHUNKED, CHUNK, {401}),
    "a body of a stated length": (POST + b"Content-Length: 99999999999\r\n\r\n", PIECE, {401}),
    "an admin's body": (POST + b"Authorization: Bearer %s\r\n" + CHUNKED, CHUNK, {413}),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_what_has_no_end_is_refused_in_little_memory(port: int, stand: Stand, what: str) -> None:
    first, endless, statuses = ENDLESS[what]
    before = _resident()
    reply, taken = _call(port, first.replace(b"%s", stand.tokens["admin", False].encode()), endless=endless)
    assert taken < MOST, "it is still read"
    assert _resident() - before < 32_000_000
    assert _problem(reply) in statuses


@pytest.mark.parametrize(
    ("head", "wrong"),
    [
        (GET + b"X: y\r\n" * 100, 431),
        (b"GET /" + b"x" * 40_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n", 414),
        (GET + b"Content-Length: 1\r\nContent-Length: 2\r\n", 400),
    ],
)
def test_a_head_that_is_too_long_or_wrong_is_a_problem(port: int, head: bytes, wrong: int) -> None:
    assert _call(port, head + b"Connection: close\r\n\r\n")[0].startswith(b"HTTP/1.1 %d" % wrong)


def test_a_refusal_without_a_body_keeps_the_connection(port: int) -> None:
    reply, _ = _call(port, POST + b"\r\n", GET + b"Connection: close\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 401") and reply.count(b"HTTP/1.1 200") == 1


def test_half_open_connections_and_slow_bodies_are_closed(stand: Stand) -> None:
    with port_of(stand, header_seconds=0.2, body_seconds=0.2, body_pace=4_096) as port:
        assert _call(port) == (b"", 0)  # opened in advance and never used
        assert _problem(_call(port, GET)[0]) == 408
        bearer = f"Authorization: {stand.bearer()['Authorization']}\r\n".encode()
        slow = POST + bearer + b"Content-Length: 100\r\n\r\n{"
        assert _problem(_call(port, slow)[0]) == 408
        second = _call(port, GET + b"\r\n" + GET)[0]  # the time begins anew with each request
        assert second.startswith(b"HTTP/1.1 200") and b"HTTP/1.1 408" in second


def test_a_body_that_comes_at_its_pace_has_its_time(stand: Stand) -> None:
    body = b'{"question": "Can I get the Warm Home Grant?"}'
    head = f"Authorization: {stand.bearer()['Authorization']}\r\nContent-Type: application/json\r\n"
    with (
        port_of(stand, body_seconds=0.2, body_pace=0.001) as port,
        closing(socket.create_connection(("127.0.0.1", port), WAIT)) as client,
    ):
        client.sendall(POST + head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body[:10])
        threading.Event().wait(0.5)  # beyond its first seconds
        client.sendall(body[10:])
        assert client.recv(12) == b"HTTP/1.1 200"


def test_one_address_has_so_many_connections(stand: Stand) -> None:
    with port_of(stand, address_connections=2) as port:
        held = [socket.create_connection(("127.0.0.1", port), WAIT) for _ in range(2)]
        until(lambda: _call(port, GET)[0].startswith(b"HTTP/1.1 503"))
        for client in held:
            client.close()
        until(lambda: _call(port, GET + b"Connection: close\r\n\r\n")[0].startswith(b"HTTP/1.1 200"))


def test_connections_are_counted_by_address_and_by_ipv6_site_and_not_of_proxies() -> None:
    port, proxied = Port(("10.0.0.0/8",), connections=5, address_connections=1), "10.0.0.7"
    addresses = ["192.0.2.1", "192.0.2.1", "2001:db8::1", "2001:db8::ffff", proxied, proxied, "192.0.2.2", "192.0.2.3"]
    taken = [port.enter(port.client(address)) for address in addresses]
    assert taken == [True, False, True, False, True, True, True, False]
    port.leave(port.client("192.0.2.1"))
    assert port.enter(port.client("192.0.2.1"))
