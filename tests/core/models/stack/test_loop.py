"""One loop per process, whoever calls from wherever."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.guard import make_llm
from clausegraph.core.models.loop import model_loop, run_sync
from tests.core.models.stack.conftest import Make
from tests.core.models.stack.doubles import asked
from tests.harness.fake_llm import FakeModelServer
from tests.harness.wait import PATIENCE_S

ROOT = Path(__file__).resolve().parents[4]


async def _name() -> str:
    return threading.current_thread().name


@pytest.mark.unit
def test_the_sync_path_on_the_loop_is_an_error() -> None:
    async def wrong() -> str:
        return run_sync(_name())

    with pytest.raises(RuntimeError, match="await the async form"):
        run_sync(wrong())


@pytest.mark.integration
@pytest.mark.parametrize("provider", ["openai", pytest.param("mistral", marks=pytest.mark.long)])
def test_a_dropped_model_closes_its_connections(provider: str, fake: FakeModelServer) -> None:
    llm = make_llm(ModelOptions(provider, "fake-small", fake.url, "none"))  # type: ignore[arg-type]
    asked(llm, "hello")
    closed = llm._connected().client._close.__self__  # type: ignore[union-attr]
    assert not closed.is_closed
    del llm
    gc.collect()
    run_sync(asyncio.sleep(0.05))
    assert closed.is_closed


@pytest.mark.integration
def test_a_forked_child_calls_too(provider: str, make: Make) -> None:
    llm = make(provider)
    assert asked(llm, "parent") == "parent"
    before = model_loop()
    child = os.fork()
    if child == 0:
        try:
            fine = asked(llm, "child") == "child" and model_loop() is not before
            os._exit(0 if fine else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert asked(llm, "parent again") == "parent again"
    assert model_loop() is before


SCRIPT = """
import sys
from llama_index.core.llms import ChatMessage
from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.guard import make_llm
from clausegraph.core.models.loop import start
llm = make_llm(ModelOptions(sys.argv[1], "fake-small", sys.argv[2], "none"))
print(llm.chat([ChatMessage(content="x")]).message.content)
start(llm.send(llm.call([ChatMessage(content="a b c")], {}, listen=print)))
"""


@pytest.mark.integration
@pytest.mark.parametrize("provider", ["mistral", pytest.param("openai", marks=pytest.mark.long)])
def test_a_process_ends_quietly(provider: str, fake: FakeModelServer) -> None:
    fake.set(fault="slow_stream", chunk_delay=0.5)
    command = [sys.executable, "-X", "dev", "-W", "ignore::DeprecationWarning", "-c", SCRIPT, provider, fake.url]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("x\n")
    assert "Task was destroyed" not in done.stderr and "Traceback" not in done.stderr, done.stderr
