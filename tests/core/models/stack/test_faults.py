"""What servers do wrong: how often we ask, what we say, what it costs."""

from __future__ import annotations

import json
import time
from email.utils import formatdate
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage

from clausegraph.core.errors import ModelCallError, ModelRefused, ModelUnavailable, UnusableReply
from clausegraph.core.models import guard
from clausegraph.core.models.failures import Server, retry_after
from tests.core.models.stack.conftest import Make, by_turns
from tests.core.models.stack.doubles import MemoryBudget, MemoryCache, Records, asked, heard
from tests.harness.fake_llm import FakeModelServer

TEXT = "Rent is due monthly."
MESSAGES = [ChatMessage(role="user", content=TEXT)]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BASE_S", 0.01)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("fault", "error", "provider"),
    by_turns(
        ("429", ModelUnavailable),
        ("500", ModelUnavailable),
        ("hang", ModelUnavailable),
        ("503", ModelUnavailable),
        ("html_body", UnusableReply),
        ("cut_connection", ModelUnavailable),
    ),
)
def test_attempts_are_exact(
    fault: str, error: type[ModelCallError], provider: str, fake: FakeModelServer, make: Make, records: Records
) -> None:
    fake.set(fault=fault)
    with pytest.raises(error) as raised:
        make(provider, attempts=3, timeout_s=0.5).chat(MESSAGES)
    assert fake.counters()["requests"] == 3
    assert records.outcomes == [error.__name__] * 3
    assert str(raised.value).startswith(f"{provider}:fake-small at http://127.0.0.1:")


@pytest.mark.integration
@pytest.mark.parametrize(
    ("fault", "streamed", "provider"),
    by_turns(
        *[(fault, streamed) for streamed in (False, True) for fault in ("429", "hang", "500", "503", "html_body")]
    ),
)
def test_the_next_attempt_may_succeed(
    fault: str, streamed: bool, provider: str, fake: FakeModelServer, make: Make, records: Records
) -> None:
    fake.set(fault=fault, fault_first=1)
    llm = make(provider, timeout_s=2.0 if fault == "hang" else 60.0)
    assert (heard if streamed else asked)(llm, TEXT) == TEXT
    assert fake.counters()["requests"] == 2
    assert records.outcomes[-1] == "ok" and len(records.all) == 2


@pytest.mark.integration
def test_a_long_retry_after_is_final(provider: str, fake: FakeModelServer, make: Make) -> None:
    fake.set(fault="429", retry_after=1000)
    with pytest.raises(ModelUnavailable) as raised:
        make(provider).chat(MESSAGES)
    assert raised.value.status == 429 and raised.value.retry_after == 1000
    assert fake.counters()["requests"] == 1


@pytest.mark.integration
@pytest.mark.parametrize(
    ("settings", "status", "says"),
    [
        ({"key": "another"}, 401, "CLAUSEGRAPH_LLM_KEY"),
        ({"models": ("other",)}, 404, "CLAUSEGRAPH_LLM"),
        ({"context_window": 10}, 400, "tokens"),
    ],
)
def test_refusals_are_final(
    settings: dict[str, Any], status: int, says: str, provider: str, fake: FakeModelServer, make: Make,
    budget: MemoryBudget,
) -> None:  # fmt: skip
    fake.set(**settings)
    with pytest.raises(ModelRefused, match=says) as raised:
        make(provider, budget=budget).chat(MESSAGES)
    assert raised.value.status == status
    assert fake.counters()["requests"] == 1
    assert (budget.used, budget.reserved) == (0, 0)


@pytest.mark.integration
def test_no_server_is_no_use_of_the_budget(provider: str, make: Make, budget: MemoryBudget, records: Records) -> None:
    with pytest.raises(ModelUnavailable, match="gave no answer"):
        make(provider, budget=budget, url="http://127.0.0.1:9").chat(MESSAGES)
    assert (budget.used, budget.reserved, len(budget.reservations)) == (0, 0, 3)
    assert records.all == []  # none reached a server


@pytest.mark.integration
@pytest.mark.parametrize(("fault", "spent", "provider"), by_turns(("hang", True), ("500", False), ("html_body", True)))
def test_what_is_not_known_costs_the_most(
    fault: str, spent: bool, provider: str, fake: FakeModelServer, make: Make, budget: MemoryBudget
) -> None:
    fake.set(fault=fault)
    with pytest.raises(ModelCallError):
        make(provider, budget=budget, attempts=2, timeout_s=0.5).chat(MESSAGES)
    assert budget.reserved == 0
    assert budget.used == (sum(made.tokens for made in budget.reservations) if spent else 0)


@pytest.mark.integration
@pytest.mark.parametrize("streamed", [False, True])
def test_a_server_that_does_not_count_costs_the_most(
    streamed: bool, provider: str, fake: FakeModelServer, make: Make, budget: MemoryBudget, records: Records
) -> None:
    fake.set(usage="none")
    llm = make(provider, budget=budget)
    (heard if streamed else asked)(llm, TEXT)
    assert budget.used == budget.reservations[0].tokens >= 500
    assert records.all[0].usage.total is None


@pytest.mark.integration
@pytest.mark.parametrize(("fault", "provider"), by_turns("cut_connection", "stall"))
def test_a_cut_stream_is_asked_for_again_and_not_cached(
    fault: str, provider: str, fake: FakeModelServer, make: Make, budget: MemoryBudget, cache: MemoryCache
) -> None:
    fake.set(fault=fault)
    with pytest.raises(ModelUnavailable):
        heard(make(provider, budget=budget, cache=cache, timeout_s=2, attempts=2), TEXT)  # a busy machine answers late
    assert fake.counters()["requests"] == 2
    assert not cache.stored
    assert budget.used == sum(made.tokens for made in budget.reservations)


@pytest.mark.unit
def test_retry_after_is_seconds_or_a_date() -> None:
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after": "-1"}) == 0
    assert 50 < (retry_after({"retry-after": formatdate(time.time() + 60, usegmt=True)}) or 0) <= 61
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({"retry-after": "nan"}) is None
    assert retry_after({}) is None


@pytest.mark.unit
def test_a_used_up_account_is_not_asked_again() -> None:
    body = json.dumps({"error": {"code": "insufficient_quota"}})
    assert isinstance(Server("openai:x", "https://a").failed_with(429, {}, body), ModelRefused)
    assert isinstance(Server("openai:x", "https://a").failed_with(429, {}, "slow down"), ModelUnavailable)
