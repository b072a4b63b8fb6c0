"""A call, streamed or not, leads through the whole stack, for both clients."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from llama_index.core.base.llms.types import ChatMessage

from clausegraph.app.dev.fake_llm import FakeModelServer
from clausegraph.core.models.guard import GuardedLLM
from tests.core.models.stack.conftest import Make
from tests.core.models.stack.doubles import MemoryBudget, MemoryCache, Records, asked, heard

pytestmark = pytest.mark.integration
TEXT = "Rent is due monthly."


def _messages() -> list[ChatMessage]:
    return [ChatMessage(role="user", content=TEXT)]


@pytest.mark.parametrize("ask", [asked, heard])
def test_no_request_reaches_the_server_around_the_stack(
    ask: Callable[[GuardedLLM, str], str], provider: str, fake: FakeModelServer, make: Make, records: Records,
    budget: MemoryBudget, cache: MemoryCache,
) -> None:  # fmt: skip
    llm = make(provider, budget=budget, cache=cache)
    assert ask(llm, TEXT) == TEXT
    counted = fake.counters()
    assert counted["requests"] == counted["ok"] == len(records.sent) == len(budget.reservations) == 1
    assert records.outcomes == ["ok"]
    assert budget.reserved == 0
    assert budget.used == counted["prompt_tokens"] + counted["output_tokens"] > 0
    assert sum(record.usage.total or 0 for record in records.sent) == budget.used
    assert budget.reservations[0].tokens >= budget.used

    assert asked(llm, TEXT) == heard(llm, TEXT) == TEXT
    assert fake.counters()["requests"] == 1
    assert records.outcomes == ["ok", "cached", "cached"]
    assert len(cache.stored) == 1


def test_a_listener_gets_the_text_as_it_grows(provider: str, make: Make) -> None:
    pieces: list[str] = []
    assert heard(make(provider), TEXT, pieces) == TEXT == pieces[-1]
    assert all(after.startswith(before) for before, after in pairwise(pieces))


def test_options_reach_the_server(provider: str, make: Make, fake: FakeModelServer) -> None:
    llm = make(provider, temperature=0.5, max_output=321)
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    llm.chat(_messages(), **llm.json_options("answer", schema))
    llm.chat(_messages(), max_tokens=77)
    first, second = fake.last_requests(2)
    assert (first["model"], first["temperature"], first["max_tokens"]) == ("fake-small", 0.5, 321)
    assert first["response_format"]["json_schema"]["schema"] == schema
    assert second["max_tokens"] == 77 and "response_format" not in second


def test_a_forgotten_reply_is_asked_for_again(
    provider: str, make: Make, cache: MemoryCache, fake: FakeModelServer
) -> None:
    llm = make(provider, cache=cache)
    options = llm.json_options("a", {"type": "object"})
    llm.chat(_messages(), **options)
    llm.forget(_messages(), **options)
    llm.chat(_messages(), **options)
    assert fake.counters()["requests"] == 2


def test_an_unknown_model_name_is_no_trouble(provider: str, make: Make) -> None:
    llm = make(provider, model="no-library-knows-this", context_window=4321)
    assert asked(llm, "Hello") == "Hello"
    assert str(llm.fingerprint) == f"{provider}:no-library-knows-this|t=0|max=500|json=schema"
