"""The number of calls in flight follows the server."""

from __future__ import annotations

import asyncio
import time

import pytest

from clausegraph.app.dev.fake_llm import FakeModelServer
from clausegraph.core.errors import ModelUnavailable
from clausegraph.core.models import guard
from clausegraph.core.models.attempts import Limiter
from clausegraph.core.models.guard import GuardedLLM, chat_all
from clausegraph.core.models.loop import run_sync
from tests.core.models.stack.conftest import Make
from tests.core.models.stack.test_fan_out import taking


def _limiter(llm: GuardedLLM) -> Limiter:
    return llm._connected().limiter


@pytest.mark.integration
def test_it_slows_down_and_recovers(make: Make, fake: FakeModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BASE_S", 0.01)
    fake.set(concurrency=4, latency=(0.02, 0.03))
    llm = make("mistral", concurrency=16, attempts=20)
    assert all(o.error is None for o in chat_all(llm, taking(f"a {i}" for i in range(60)), 16))
    counted = fake.counters()
    assert counted["in_flight_max"] <= 4
    assert _limiter(llm).limit < 10
    assert counted["failed"]["429"] < 120  # without slowing down, hundreds

    fake.set(concurrency=None)
    assert all(o.error is None for o in chat_all(llm, taking(f"b {i}" for i in range(300)), 16))
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
def test_new_calls_wait_for_retry_after() -> None:
    async def scenario() -> float:
        limiter = Limiter(4)
        with pytest.raises(ModelUnavailable):
            async with limiter.place():
                raise ModelUnavailable("too many", status=429, retry_after=0.3)
        started = time.monotonic()
        async with limiter.place():
            return time.monotonic() - started

    assert run_sync(scenario()) >= 0.28


@pytest.mark.unit
def test_cancelled_waiters_leave_no_hole() -> None:
    async def scenario() -> int:
        limiter = Limiter(1)
        async with limiter.place():
            waiting = [asyncio.create_task(_pass(limiter)) for _ in range(5)]
            await asyncio.sleep(0)
            for task in waiting[:3]:
                task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        async with limiter.place():
            return limiter._in_flight

    async def _pass(limiter: Limiter) -> None:
        async with limiter.place():
            pass

    assert run_sync(scenario()) == 1
