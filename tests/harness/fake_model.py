"""The fake model server of this process' tests; each finds it as if it were new."""

import functools
from typing import Any

import pytest

from tests.harness.ending import at_session_end
from tests.harness.fake_llm import FakeModelServer, FakeOptions
from tests.harness.wait import until


@functools.cache
def shared_fake() -> FakeModelServer:
    """The server, started here: starting one takes half a second of processor time."""
    server = FakeModelServer().start()
    at_session_end.callback(server.close)
    return server


def fake_with(**options: Any) -> FakeModelServer:
    """The shared server with these options, no call in flight and none counted."""
    return as_new(shared_fake(), **options)


def as_new(server: FakeModelServer, **options: Any) -> FakeModelServer:
    """A server with the default options but for these, no call in flight and none counted."""
    server.set(**vars(FakeOptions(**options)))
    until(lambda: not server.counters()["in_flight"], every=0.01)  # a client of an earlier test may just be hanging up
    server.reset()
    return server


@pytest.fixture
def fake() -> FakeModelServer:
    """It replies what the rules read."""
    return fake_with()
