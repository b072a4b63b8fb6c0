"""A guarded model: whole calls through both clients, models made by others, the limit in flight, and keys."""

from __future__ import annotations

import asyncio
import logging
import threading
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ChatResponseAsyncGen
from llama_index.core.llms import MockLLM

from clausegraph.core import secrets
from clausegraph.core.errors import ModelCallError, ModelRefused, ModelUnavailable, SettingsError
from clausegraph.core.models import guard as guarding
from clausegraph.core.models.attempts import Limiter, Tariff, prompt_bound
from clausegraph.core.models.calls import CallLabels, ModelCall, ModelOptions, Reservation
from clausegraph.core.models.guard import GuardedLLM, chat_all, guard, make_llm
from clausegraph.core.models.loop import run_sync
from tests.core.models.stack.conftest import Make
from tests.core.models.stack.doubles import MemoryBudget, MemoryCache, Records, asked, heard
from tests.core.models.stack.test_fan_out import taking
from tests.harness.fake_llm import FakeModelServer
from tests.harness.wait import PATIENCE_S


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarding, "BASE_S", 0.001)


TEXT = "Rent is due monthly."


@pytest.mark.integration
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


@pytest.mark.integration
def test_options_reach_the_server(provider: str, make: Make, fake: FakeModelServer) -> None:
    llm = make(provider, temperature=0.5, max_output=321)
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    llm.chat([ChatMessage(role="user", content=TEXT)], **llm.json_options("answer", schema))
    llm.chat([ChatMessage(role="user", content=TEXT)], max_tokens=77)
    first, second = fake.last_requests(2)
    assert (first["model"], first["temperature"], first["max_tokens"]) == ("fake-small", 0.5, 321)
    assert first["response_format"]["json_schema"]["schema"] == schema
    assert second["max_tokens"] == 77 and "response_format" not in second


@pytest.mark.integration
def test_a_forgotten_reply_is_asked_for_again(
    provider: str, make: Make, cache: MemoryCache, fake: FakeModelServer
) -> None:
    llm = make(provider, cache=cache)
    options = llm.json_options("a", {"type": "object"})
    llm.chat([ChatMessage(role="user", content=TEXT)], **options)
    llm.forget([ChatMessage(role="user", content=TEXT)], **options)
    llm.chat([ChatMessage(role="user", content=TEXT)], **options)
    assert fake.counters()["requests"] == 2


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


@pytest.mark.unit
def test_it_passes_through_the_stack(records: Records, budget: MemoryBudget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_known", set())  # with one, the end of a text that grows is held back
    llm, pieces = guard(Scripted(), budget=budget, usage=records), list[str]()
    assert asked(llm, "x") == "yes"
    assert (heard(llm, "x", pieces), pieces) == ("yes", ["y", "ye", "yes", "yes"])
    assert records.outcomes == ["ok", "ok"]
    assert budget.used == sum(made.tokens for made in budget.reservations)  # it does not count
    assert llm.json_options("x", {}) == {}


@pytest.mark.unit
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


@pytest.mark.unit
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


def _limiter(llm: GuardedLLM) -> Limiter:
    return llm._connected().limiter


@pytest.mark.integration
def test_it_slows_down_and_recovers(make: Make, fake: FakeModelServer) -> None:
    fake.set(concurrency=4, latency=(0.02, 0.03))
    llm = make("mistral", concurrency=16, attempts=20)
    assert all(o.error is None for o in chat_all(llm, taking(f"a {i}" for i in range(60)), 16))
    counted = fake.counters()
    assert counted["in_flight_max"] <= 4
    assert _limiter(llm).limit < 10
    assert counted["failed"]["429"] < 120  # without slowing down, hundreds

    fake.set(concurrency=None)
    assert all(o.error is None for o in chat_all(llm, taking(f"b {i}" for i in range(160)), 16))
    assert _limiter(llm).limit == 16


@pytest.mark.unit
def test_a_round_halves_once() -> None:
    async def scenario() -> list[float]:
        limiter, limits = Limiter(16), []
        gate = asyncio.Event()

        async def call() -> None:
            async with limiter.place():
                await gate.wait()
                raise ModelUnavailable("too many", status=429)

        calls = [asyncio.create_task(call()) for _ in range(16)]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(*calls, return_exceptions=True)
        limits.append(limiter.limit)
        for _ in range(9):
            async with limiter.place():
                pass
        limits.append(limiter.limit)
        return limits

    after_failures, after_successes = run_sync(scenario())
    assert after_failures == 8
    assert 8.9 < after_successes < 9.2


@pytest.mark.unit
def test_the_bounds() -> None:
    options = {"response_format": {"a": "b"}, "max_tokens": 7}
    call = ModelCall(tuple(MESSAGES), options, CallLabels())
    prompt = 2 + 5 + len('{"response_format": {"a": "b"}}') + 2 * 16 + 64
    assert prompt_bound(call) == prompt
    assert Tariff((1e6, 2e6), 100).bound(call) == Reservation(prompt + 7, prompt + 2 * 7)


KEY = "sk-Secret0123456789"


@pytest.mark.integration
@pytest.mark.parametrize("fault", ["none", "500", "html_body", "cut_connection"])
def test_the_key_is_in_no_text(
    fault: str, provider: str, fake: FakeModelServer, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    fake.set(fault=fault, key="another" if fault == "none" else None)
    options = ModelOptions(provider, "fake-small", fake.url, KEY, attempts=1)  # type: ignore[arg-type]
    with caplog.at_level(logging.DEBUG), make_llm(options) as llm, pytest.raises(ModelCallError) as raised:
        llm.chat([ChatMessage(role="user", content="hello")])
    shown = "".join(traceback.format_exception(raised.value))
    for text in (repr(options), repr(llm), str(llm), str(llm.fingerprint), repr(raised.value), shown, caplog.text):
        assert KEY not in text


@pytest.mark.unit
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"provider": "mistral"}, "CLAUSEGRAPH_LLM_KEY"),
        ({"provider": "mistral", "key": "with space"}, "CLAUSEGRAPH_LLM_KEY"),
        ({"provider": "openai", "key": "line\nend"}, "CLAUSEGRAPH_LLM_KEY"),
        ({"provider": "openai", "url": "localhost:8000"}, "CLAUSEGRAPH_LLM_URL"),
    ],
)
def test_wrong_options_are_told_at_once(options: dict[str, str], says: str) -> None:
    with pytest.raises(SettingsError, match=says) as raised:
        make_llm(ModelOptions(model="x", **options))  # type: ignore[arg-type]
    assert options.get("key") is None or options["key"] not in str(raised.value)


@pytest.mark.integration
@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
def test_addresses_with_and_without_v1(suffix: str, provider: str, fake: FakeModelServer, make: Make) -> None:
    assert asked(make(provider, url=fake.url + suffix), "hello") == "hello"


@pytest.mark.integration
def test_an_openai_like_server_needs_no_key(fake: FakeModelServer, make: Make) -> None:
    assert asked(make("openai", key=None), "hello") == "hello"
