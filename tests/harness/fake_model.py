"""A fake model server that many tests share; each finds it as if it were new."""

from collections.abc import Iterator

import pytest

from tests.harness.fake_llm import FakeModelServer, FakeOptions


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeModelServer]:
    """One that replies what the rules read, for all tests of a module."""
    with FakeModelServer(FakeOptions()) as running:
        yield running


def as_new(server: FakeModelServer, replies: str = "echo") -> FakeModelServer:
    """The server with the default options but for its replies, and no calls counted."""
    server.set(**vars(FakeOptions(replies=replies)))
    server.reset()
    return server
