"""One loop per process, whoever calls from wherever."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from clausegraph.app.dev.fake_llm import FakeModelServer
from clausegraph.core.models.build import ModelOptions, make_llm
from clausegraph.core.models.loop import iterate_async, iterate_sync, model_loop, run_async, run_sync
from tests.core.models.stack.conftest import Make
from tests.harness.wait import PATIENCE_S

ROOT = Path(__file__).resolve().parents[4]


async def _name() -> str:
    return threading.current_thread().name


@pytest.mark.unit
def test_work_runs_on_the_loop_s_thread() -> None:
    assert run_sync(_name()) == "clausegraph-models"
    assert asyncio.run(run_async(_name())) == "clausegraph-models"
    assert run_sync(run_async(_name())) == "clausegraph-models"


@pytest.mark.unit
def test_the_sync_path_on_the_loop_is_an_error() -> None:
    async def wrong() -> str:
        return run_sync(_name())

    with pytest.raises(RuntimeError, match="await the async form"):
        run_sync(wrong())


@pytest.mark.unit
def test_cancelling_the_caller_cancels_the_work() -> None:
    seen: list[str] = []

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def caller() -> None:
        await asyncio.wait_for(run_async(work()), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(caller())
    run_sync(asyncio.sleep(0.01))
    assert seen == ["cancelled"]


@pytest.mark.unit
@pytest.mark.parametrize("end", ["exhausted", "closed", "dropped"])
def test_generators_cross_loops_and_are_closed(end: str) -> None:
    seen: list[str] = []

    async def numbers() -> AsyncGenerator[int, None]:
        try:
            for number in range(3):
                yield number
        finally:
            seen.append(threading.current_thread().name)

    items = iterate_sync(numbers())
    assert next(items) == 0
    if end == "exhausted":
        assert list(items) == [1, 2]
    elif end == "closed":
        items.close()
    del items
    gc.collect()
    assert seen == ["clausegraph-models"]

    async def consume() -> list[int]:
        return [item async for item in iterate_async(numbers())]

    assert asyncio.run(consume()) == [0, 1, 2]


@pytest.mark.integration
def test_a_second_asyncio_run_works(provider: str, make: Make) -> None:
    llm = make(provider)
    for text in ("one", "two"):
        assert asyncio.run(llm.acomplete(text)).text == text
    assert llm.complete("three").text == "three"


@pytest.mark.integration
def test_a_dropped_model_closes_its_connections(provider: str, fake: FakeModelServer) -> None:
    llm = make_llm(ModelOptions(provider, "fake-small", fake.url, "none"))  # type: ignore[arg-type]
    llm.complete("hello")
    closed = llm._layers().client._close.__self__  # type: ignore[union-attr]
    assert not closed.is_closed
    del llm
    gc.collect()
    run_sync(asyncio.sleep(0.05))
    assert closed.is_closed


@pytest.mark.integration
def test_many_threads_and_loops_share_one_model(provider: str, make: Make, fake: FakeModelServer) -> None:
    llm = make(provider)
    found: list[str] = []

    def call(number: int) -> None:
        text = f"number {number}"
        found.append(llm.complete(text).text if number % 2 else asyncio.run(llm.acomplete(text)).text)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE_S)
    assert sorted(found) == sorted(f"number {number}" for number in range(16))
    assert fake.counters()["ok"] == 16


@pytest.mark.integration
def test_a_forked_child_calls_too(provider: str, make: Make) -> None:
    llm = make(provider)
    assert llm.complete("parent").text == "parent"
    before = model_loop()
    child = os.fork()
    if child == 0:
        try:
            fine = llm.complete("child").text == "child" and model_loop() is not before
            os._exit(0 if fine else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert llm.complete("parent again").text == "parent again"
    assert model_loop() is before


SCRIPT = """
import sys
from clausegraph.core.models.build import ModelOptions, make_llm
llm = make_llm(ModelOptions(sys.argv[1], "fake-small", sys.argv[2], "none"))
print(llm.complete("x").text)
chunks = llm.stream_chat([__import__("llama_index.core.llms").core.llms.ChatMessage(content="a b c")])
next(chunks)
"""


@pytest.mark.integration
def test_a_process_ends_quietly(provider: str, fake: FakeModelServer) -> None:
    fake.set(fault="slow_stream", chunk_delay=0.5)
    command = [sys.executable, "-X", "dev", "-W", "ignore::DeprecationWarning", "-c", SCRIPT, provider, fake.url]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0
    assert done.stdout == "x\n"
    assert "Task was destroyed" not in done.stderr and "Traceback" not in done.stderr, done.stderr
