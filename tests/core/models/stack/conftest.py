"""A fake model server for the whole folder, and models in front of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.guard import GuardedLLM, make_llm
from tests.core.models.stack.doubles import MemoryBudget, MemoryCache, Records
from tests.harness.fake_llm import FakeModelServer
from tests.harness.fake_model import fake_with

Make = Callable[..., GuardedLLM]


@pytest.fixture
def fake() -> FakeModelServer:
    return fake_with(replies="echo")


@pytest.fixture(params=["mistral", "openai"])
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def by_turns(*rows: Any) -> list[Any]:
    """``(row…, provider)`` for both clients: one takes the even rows, the other the odd ones, the rest is for long."""
    made = []
    for number, row in enumerate(rows):
        values = row if isinstance(row, tuple) else (row,)
        for client, name in enumerate(("mistral", "openai")):
            marks = [] if number % 2 == client else [pytest.mark.long]
            made.append(pytest.param(*values, name, marks=marks))
    return made


@pytest.fixture
def records() -> Records:
    return Records()


@pytest.fixture
def budget() -> MemoryBudget:
    return MemoryBudget()


@pytest.fixture
def cache() -> MemoryCache:
    return MemoryCache()


@pytest.fixture
def make(fake: FakeModelServer, records: Records) -> Iterator[Make]:
    """Makes models; quick to give up, with records. They are closed at the end."""
    made: list[GuardedLLM] = []

    def build(provider: Any = "mistral", *, cache: Any = None, budget: Any = None, **options: Any) -> GuardedLLM:
        values = {"model": "fake-small", "url": fake.url, "key": "none", "max_output": 500, "attempts": 3} | options
        llm = make_llm(ModelOptions(provider=provider, **values), cache=cache, budget=budget, usage=records)
        made.append(llm)
        return llm

    yield build
    for llm in made:
        llm.close()
