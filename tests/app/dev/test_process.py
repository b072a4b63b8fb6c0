"""How the fake starts and ends: with its parent, with Ctrl-C, and with a port that is taken."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import IO

import httpx
import psutil
import pytest

from clausegraph.app.dev.fake_llm import FakeModelServer, FakeOptions
from clausegraph.core.errors import InputError
from tests.app.cli.conftest import REPOSITORY
from tests.app.dev.conftest import chat_body
from tests.harness.wait import PATIENCE_S

pytestmark = pytest.mark.integration

COMMAND = [sys.executable, str(REPOSITORY / "clausegraph.py"), "dev", "fake-llm"]
PARENT = """
import os, signal
from clausegraph.app.dev.fake_llm import FakeModelServer
fake = FakeModelServer().start()
print(fake._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def started(*words: str) -> subprocess.Popen[str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([*COMMAND, *words], env=os.environ | {"PYTHONIOENCODING": "utf-8"}, **pipes)  # type: ignore[call-overload,no-any-return]


def first_url(stream: IO[str] | None) -> str:
    assert stream is not None
    line = stream.readline()
    assert line.startswith("fake model server (no language model): http://127.0.0.1:")
    return line.split()[-1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_with_its_counters(number: signal.Signals) -> None:
    with started("--replies", "echo", "--key", "k") as process:
        url = first_url(process.stdout)
        settings = [process.stdout.readline().strip() for _ in range(3)]  # type: ignore[union-attr]
        with httpx.Client(base_url=url, trust_env=False, headers={"authorization": "Bearer k"}) as client:
            client.post("/v1/chat/completions", json=chat_body("hello")).raise_for_status()
            client.post("/v1/chat/completions", json=chat_body("hello")).raise_for_status()
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert err == ""
    assert settings == ["CLAUSEGRAPH_LLM=mistral:fake-small", f"CLAUSEGRAPH_LLM_URL={url}", "CLAUSEGRAPH_LLM_KEY=k"]
    assert out.startswith("requests 2: 2 answered (1 different, 1 repeated)")


def test_a_call_in_flight_does_not_hold_the_command_up() -> None:
    with started("--json", "--latency", "60", "60") as process:
        url = first_url(process.stderr)
        with httpx.Client(base_url=url, trust_env=False) as client, ThreadPoolExecutor(1) as pool:
            call = pool.submit(client.post, "/v1/chat/completions", json=chat_body("hello"))
            while not httpx.get(url + "/fake/counters", trust_env=False).json()["in_flight"]:
                pass
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=PATIENCE_S)
            call.exception(timeout=PATIENCE_S)  # whatever the client got
    value = json.loads(out)
    assert (process.returncode, value["url"], value["counters"]["requests"]) == (0, url, 1)


def test_a_wrong_option_is_a_usage_error() -> None:
    with started("--replies", "clever") as process:
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == InputError.exit_code
    assert "replies is 'clever'" in err


def test_without_uvicorn_the_message_names_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install 'clausegraph\[fake-llm\]'"):
        FakeModelServer().start()


def test_a_taken_port_is_an_error_and_closing_leaves_no_process() -> None:
    fake = FakeModelServer().start()
    with pytest.raises(InputError, match=f"port {fake.port}"):
        FakeModelServer(FakeOptions(port=fake.port)).start()
    before = {child.pid for child in psutil.Process().children()}
    fake.close()
    fake.close()
    assert len(before - {child.pid for child in psutil.Process().children()}) == 1


def test_it_ends_with_a_parent_that_was_killed() -> None:
    done = subprocess.run([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, env=os.environ, check=False)
    assert done.returncode == -signal.SIGKILL
    child = int(done.stdout)
    if psutil.pid_exists(child):
        psutil.wait_procs([psutil.Process(child)], timeout=PATIENCE_S)
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE
