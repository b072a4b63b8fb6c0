"""A fake model server that many tests share; each finds it as if it were new."""

from __future__ import annotations

from tests.harness.fake_llm import FakeModelServer, FakeOptions


def as_new(server: FakeModelServer) -> FakeModelServer:
    """The server with the default options but for echoes, and no calls counted."""
    server.set(**vars(FakeOptions(replies="echo")))
    server.reset()
    return server
