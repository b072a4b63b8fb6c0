"""A fake model server per module of tests, reset before each."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from clausegraph.app.dev.fake_llm import FakeModelServer, FakeOptions

PAGE = """\
<<<PAGE 00ff12>>>
## Tax credit > Claim
1 You can claim the tax credit if all of these apply:
2- you are over 16
3- you live in the UK
4 You must tell us within 30 days unless you are ill.
5| Single | £1,200 (columns: Status | Amount)
## Tax credit > Stop
6# Stop
7 You cannot claim if you are in prison.
<<<END 00ff12>>>
"""


@pytest.fixture(scope="module")
def server() -> Iterator[FakeModelServer]:
    with FakeModelServer() as started:
        yield started


@pytest.fixture
def fake(server: FakeModelServer) -> FakeModelServer:
    """The module's server with the default options and nothing counted."""
    defaults = FakeOptions()
    server.set(**{name: getattr(defaults, name) for name in defaults.__dataclass_fields__ if name != "port"})
    server.reset()
    return server


@pytest.fixture
def client(fake: FakeModelServer) -> Iterator[httpx.Client]:
    """A plain HTTP client at the provider's address."""
    with httpx.Client(base_url=fake.url + "/v1", timeout=30, trust_env=False) as opened:
        yield opened


def chat_body(text: str = PAGE, **more: object) -> dict[str, object]:
    return {"model": "fake-small", "messages": [{"role": "user", "content": text}], **more}


def ask(client: httpx.Client, text: str = PAGE, **more: object) -> httpx.Response:
    return client.post("/chat/completions", json=chat_body(text, **more))


def said(response: httpx.Response) -> str:
    """The text of a whole reply."""
    assert response.status_code == 200, response.text
    return str(response.json()["choices"][0]["message"]["content"])


@contextmanager
def held(fake: FakeModelServer, *bodies: dict[str, object]) -> Iterator[list[socket.socket]]:
    """Requests that are in flight inside the block; afterwards their client has gone and the server knows."""
    with ExitStack() as stack:
        sockets = []
        before = fake.counters()["in_flight"]
        for body in bodies:
            content = json.dumps(body).encode()
            head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: fake\r\ncontent-length: {len(content)}\r\n\r\n"
            opened = stack.enter_context(socket.create_connection(("127.0.0.1", fake.port)))
            opened.sendall(head.encode() + content)
            sockets.append(opened)
        await_in_flight(fake, before + len(bodies))
        yield sockets
    await_in_flight(fake, before)


def await_in_flight(fake: FakeModelServer, count: int) -> None:
    """Wait until so many requests are in flight."""
    while fake.counters()["in_flight"] != count:
        time.sleep(0.005)
