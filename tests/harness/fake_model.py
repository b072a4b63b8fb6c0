"""A fake model server that many tests share; each finds it as if it were new."""

from __future__ import annotations

from tests.harness.fake_llm import FakeModelServer, FakeOptions


def as_new(server: FakeModelServer) -> FakeModelServer:
    """The server with the options it was started with, and no calls counted."""
    defaults = FakeOptions(replies="echo")
    server.set(**{name: getattr(defaults, name) for name in defaults.__dataclass_fields__ if name != "port"})
    server.reset()
    return server
