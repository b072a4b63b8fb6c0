"""The server as a process: started, ended, killed, and left by its clients."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from clausegraph.app.dev.fake_llm import FakeModelServer, FakeOptions
from tests.app.api.conftest import Stand
from tests.app.api.serving import Serving
from tests.harness.wait import until

pytestmark = pytest.mark.integration

ASK = "/v1/corpora/default/ask"
QUESTION = {"question": "Can I get the Warm Home Grant?", "scenario": "I am 70."}


@pytest.fixture(scope="module")
def model() -> Iterator[FakeModelServer]:
    with FakeModelServer(FakeOptions()) as started:
        yield started


@pytest.fixture
def home(stand: Stand, tmp_path: Path) -> Path:
    return shutil.copytree(stand.home, tmp_path / "home")


def _with_model(model: FakeModelServer) -> dict[str, str]:
    return {"llm": "mistral:fake-small", "llm_url": model.url, "llm_key": "fake", "llm_attempts": "1"}


def _in_work(client: httpx.Client) -> float:
    found = re.search(r'clausegraph_pool_held{pool="work"} (\S+)', client.get("/metrics").text)
    assert found is not None
    return float(found[1])


def test_it_shows_its_token_once_and_keeps_it_for_its_owner(home: Path) -> None:
    with Serving(home, log_level="info") as server:
        assert httpx.get(f"{server.url}/health/ready", trust_env=False).status_code == 200
        with server.client() as client:
            assert client.get("/v1/me").json()["role"] == "admin"
            assert client.get(f"/v1/me?token={'x' * 20}").status_code == 200
        assert (home / "access" / "serve-token").stat().st_mode & 0o077 == 0
        token = server.token
        assert server.end(signal.SIGINT) == 0
    assert token not in server.errors and "http.request" in server.errors and "x" * 20 not in server.errors
    with Serving(home) as again:
        assert again.token == token


def test_killed_while_it_answers_it_has_lost_nothing_and_starts_again(home: Path, model: FakeModelServer) -> None:
    model.set(fault="hang")
    with Serving(home, **_with_model(model)) as server, ThreadPoolExecutor(3) as asking, server.client() as client:
        calls = [asking.submit(client.post, ASK, json=QUESTION) for _ in range(3)]
        until(lambda: model.counters()["requests"] > 0)
        server.process.kill()
        for call in calls:
            with pytest.raises(httpx.HTTPError):
                call.result()
    with Serving(home) as server, server.client() as client:
        answer = client.post(ASK, json=QUESTION)
        assert answer.status_code == 200 and answer.json()["epoch"] == 2
    assert "Traceback" not in server.errors


def test_told_to_end_it_answers_what_it_was_asked(home: Path, model: FakeModelServer) -> None:
    model.set(fault="none", latency=(0.5, 0.5))
    model.reset()
    with Serving(home, **_with_model(model)) as server, ThreadPoolExecutor(1) as asking, server.client() as client:
        call = asking.submit(client.post, ASK, json=QUESTION)
        until(lambda: model.counters()["requests"] > 0)
        assert server.end(signal.SIGTERM) == 0
        assert call.result().status_code in (200, 502)  # what the fake replies may be of no use
    assert "Traceback" not in server.errors


def test_an_answer_nobody_waits_for_gives_its_place_back(home: Path, model: FakeModelServer) -> None:
    model.set(fault="hang")
    model.reset()
    with Serving(home, llm_timeout="2", **_with_model(model)) as server, server.client() as client:
        for accept in ("application/json", "text/event-stream"):
            with pytest.raises(httpx.ReadTimeout), server.client() as hasty:
                hasty.post(ASK, json=QUESTION, headers={"Accept": accept}, timeout=0.5)
                pytest.fail("a model that hangs has replied")
            until(lambda: _in_work(client) == 0)
        assert server.end() == 0
    assert "Traceback" not in server.errors
