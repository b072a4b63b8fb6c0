"""The server as a process: started, ended, killed, and left by its clients."""

import re
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.app.api.conftest import ASK, QUESTION, Stand
from tests.app.api.serving import Serving
from tests.harness.fake_llm import FakeModelServer
from tests.harness.wait import until

pytestmark = pytest.mark.integration


@pytest.fixture
def home(stand: Stand, tmp_path: Path) -> Path:
    return shutil.copytree(stand.home, tmp_path / "home")


def _with_model(model: FakeModelServer) -> dict[str, str]:
    return {"llm": "mistral:fake-small", "llm_url": model.url, "llm_key": "fake", "llm_attempts": "1"}


def _in_work(client: httpx.Client) -> float:
    found = re.search(r'clausegraph_pool_held{pool="work"} (\S+)', client.get("/metrics").text)
    assert found is not None
    return float(found[1])


def test_left_by_its_clients_and_told_to_end_it_answers_what_it_was_asked(home: Path, model: FakeModelServer) -> None:
    model.set(fault="hang")
    settings = _with_model(model) | {"llm_timeout": "2", "log_level": "info"}
    with Serving(home, **settings) as server, ThreadPoolExecutor(1) as asking, server.client() as client:
        assert client.get("/v1/me").json()["role"] == "admin"
        assert client.get(f"/v1/me?token={'x' * 20}").status_code == 422  # and it is in no log
        assert (home / "access" / "serve-token").stat().st_mode & 0o077 == 0
        for accept in ("application/json", "text/event-stream"):
            with pytest.raises(httpx.ReadTimeout), server.client() as hasty:
                hasty.post(ASK, json=QUESTION, headers={"Accept": accept}, timeout=0.5)
            until(lambda: _in_work(client) == 0)  # an answer nobody waits for gives its place back
        model.set(fault="none", latency=(0.5, 0.5))
        model.reset()
        call = asking.submit(client.post, ASK, json=QUESTION)
        until(lambda: model.counters()["requests"] > 0)
        assert server.end(signal.SIGTERM) == 0
        assert call.result().status_code in (200, 502)  # what the fake replies may be of no use
    assert server.token not in server.errors and "http.request" in server.errors and "x" * 20 not in server.errors
    assert "Traceback" not in server.errors


@pytest.mark.long
@pytest.mark.parametrize("number", range(5))
def test_killed_while_it_answers_it_has_lost_nothing_and_starts_again(
    home: Path, model: FakeModelServer, number: int
) -> None:
    model.set(fault="hang")
    model.reset()
    with Serving(home, **_with_model(model)) as server, ThreadPoolExecutor(3) as asking, server.client() as client:
        calls = [asking.submit(client.post, ASK, json=QUESTION) for _ in range(3)]
        until(lambda: model.counters()["requests"] > number % 3)
        server.end(signal.SIGKILL)
        for call in calls:
            with pytest.raises(httpx.HTTPError):
                call.result()
    with Serving(home) as again, again.client() as client:
        assert again.token == server.token
        answer = client.post(ASK, json=QUESTION)
        assert answer.status_code == 200 and answer.json()["epoch"] == 2
        assert again.end(signal.SIGINT) == 0
    assert "Traceback" not in again.errors
