"""A guard around a model that somebody else made; no server."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ChatResponseAsyncGen
from llama_index.core.llms import MockLLM

from clausegraph.core import secrets
from clausegraph.core.errors import BudgetExceeded, ModelRefused, ModelUnavailable
from clausegraph.core.models import guard as guarding
from clausegraph.core.models.attempts import Tariff, prompt_bound
from clausegraph.core.models.calls import CallLabels, ModelCall, Reservation
from clausegraph.core.models.guard import guard
from clausegraph.core.models.loop import run_sync
from tests.core.models.stack.doubles import MemoryBudget, Records, asked, heard
from tests.harness.wait import PATIENCE_S

pytestmark = pytest.mark.unit

MESSAGES = [ChatMessage(role="system", content="é"), ChatMessage(role="user", content="Hello")]


class StatusError(Exception):
    """As drivers have it."""

    def __init__(self, status_code: int) -> None:
        super().__init__("the body")
        self.status_code = status_code
        self.headers: dict[str, str] = {}


class Scripted(MockLLM):
    """Fails with its errors in turn, then says yes."""

    errors: list[Any] = []

    async def achat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        if self.errors:
            raise self.errors.pop(0)
        return ChatResponse(message=ChatMessage(role="assistant", content="yes"))

    async def astream_chat(self, messages: Any, **kwargs: Any) -> ChatResponseAsyncGen:
        async def chunks() -> ChatResponseAsyncGen:
            for text in ("y", "ye", "yes"):
                yield ChatResponse(message=ChatMessage(role="assistant", content=text), delta=text[-1])

        return chunks()


def _failing(errors: list[BaseException]) -> Scripted:
    llm = Scripted()
    llm.errors = errors
    return llm


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarding, "BASE_S", 0.001)


def test_it_passes_through_the_stack(records: Records, budget: MemoryBudget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_known", set())  # with one, the end of a text that grows is held back
    llm, pieces = guard(Scripted(), budget=budget, usage=records), list[str]()
    assert asked(llm, "x") == "yes"
    assert (heard(llm, "x", pieces), pieces) == ("yes", ["y", "ye", "yes", "yes"])
    assert records.outcomes == ["ok", "ok"]
    assert budget.used == sum(made.tokens for made in budget.reservations)  # it does not count
    assert llm.json_options("x", {}) == {}


def test_what_may_pass_is_retried(records: Records) -> None:
    llm = guard(_failing([StatusError(503), TimeoutError(), ConnectionResetError()]), usage=records)
    assert asked(llm, "x") == "yes"
    assert records.outcomes == ["ModelUnavailable"] * 3 + ["ok"]
    with pytest.raises(ModelRefused):
        asked(guard(_failing([StatusError(400)])), "x")
    with pytest.raises(ZeroDivisionError):
        asked(guard(_failing([ZeroDivisionError()])), "x")
    with pytest.raises(ModelUnavailable):
        asked(guard(_failing([TimeoutError()] * 9), attempts=2), "x")


def test_without_room_nothing_is_sent(records: Records) -> None:
    with pytest.raises(BudgetExceeded):
        asked(guard(Scripted(), budget=MemoryBudget(100), usage=records), "x")
    assert records.all == []


def test_a_call_cancelled_while_it_reserves_gives_back(records: Records) -> None:
    class Slow(MemoryBudget):
        def reserve(self, tokens: int, money: float) -> Reservation:
            begun.set()
            assert goes_on.wait(PATIENCE_S)
            return super().reserve(tokens, money)

    begun, goes_on = threading.Event(), threading.Event()
    budget = Slow()
    llm = guard(Scripted(), budget=budget, usage=records)

    async def cancelled() -> None:
        task = asyncio.ensure_future(llm.send(llm.call(MESSAGES, {})))
        await asyncio.to_thread(begun.wait, PATIENCE_S)
        task.cancel()
        goes_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(budget.reservations) == 1
        assert (budget.reserved, budget.used) == (0, 0)

    run_sync(cancelled())
    assert records.all == []


def test_the_bounds() -> None:
    options = {"response_format": {"a": "b"}, "max_tokens": 7}
    call = ModelCall(tuple(MESSAGES), options, CallLabels())
    prompt = 2 + 5 + len('{"response_format": {"a": "b"}}') + 2 * 16 + 64
    assert prompt_bound(call) == prompt
    assert Tariff((1e6, 2e6), 100).bound(call) == Reservation(prompt + 7, prompt + 2 * 7)
