"""Models that fail and queues that are full show as problem documents; what is busy says so at once."""

import threading

import anyio
import httpx
import pytest

from clausegraph.app.api.application import create_app
from clausegraph.app.workspace import Workspace
from clausegraph.core.models.bert_numpy import cores
from tests.app.api.conftest import ASK, QUESTION, Stand, Talks, conversation
from tests.harness.fake_llm import FakeModelServer

pytestmark = pytest.mark.integration


def _settings(model: FakeModelServer, **more: object) -> dict[str, object]:
    given = {"llm": "mistral:fake-small", "llm_url": model.url, "llm_key": "fake-key-1234", "llm_attempts": 1}
    return given | {"llm_cache_mb": 0, "llm_timeout": 1} | more


FAULTS = {
    "429": (503, "ModelUnavailable"),
    "hang": (503, "ModelUnavailable"),
    "401": (502, "ModelRefused"),
    "503": (503, "ModelUnavailable"),
}


def test_a_model_server_that_fails_shows_as_such(talk: Talks, model: FakeModelServer) -> None:
    async def ask(client: httpx.AsyncClient) -> None:
        for fault, (status, error) in FAULTS.items():
            refused = fault == "401"
            model.set(fault="none" if refused else fault, key="another" if refused else None, retry_after=0.1)
            for accept in ("application/json", "text/event-stream"):
                answer = await client.post(ASK, json=QUESTION, headers={"Accept": accept})
                told = answer.text.replace(" ", "")
                assert f'"status":{status}' in told and f'"error":"{error}"' in told, (fault, told)
                assert "fake-key-1234" not in told
                if answer.headers["content-type"] == "application/problem+json":
                    assert answer.status_code == status
                    assert (status != 503) or int(answer.headers["retry-after"]) >= 1
        assert (await client.get("/v1/corpora/default/pages")).status_code == 200  # looking things up goes on

    talk(ask, **_settings(model))


def test_without_a_model_no_more_answers_are_at_work_than_processors(stand: Stand) -> None:
    held = create_app(Workspace(stand.settings(serve_workers=1000))).state.served
    begun, go = threading.Semaphore(0), threading.Event()

    def work() -> None:
        begun.release()
        go.wait()

    waiting = [held.work.start(work) for _ in range(10 * cores())]
    for _ in range(cores()):
        begun.acquire()
    assert not begun.acquire(blocking=False) and held.work.capacity == 5000
    go.set()
    assert [one.result() for one in waiting] == [None] * 10 * cores()
    held.close()


@pytest.mark.long
@conversation(llm="openai:x", llm_url="http://127.0.0.1:9/v1", llm_key="fake-key-1234", llm_attempts=1)
async def test_a_model_server_that_is_gone_shows_as_such(client: httpx.AsyncClient) -> None:
    answer = await client.post(ASK, json=QUESTION)
    assert (answer.status_code, answer.json()["error"]) == (503, "NotConnected")


def test_an_answer_that_takes_too_long_is_given_up(talk: Talks, model: FakeModelServer) -> None:
    model.set(fault="hang")

    async def ask(client: httpx.AsyncClient) -> None:
        for accept in ("application/json", "text/event-stream"):
            answer = await client.post(ASK, json=QUESTION, headers={"Accept": accept})
            assert "NoAnswerInTime" in answer.text
            if answer.headers["content-type"] == "application/problem+json":
                assert answer.status_code == 504

    talk(ask, **_settings(model, serve_seconds=0.3))


def test_beyond_its_queue_it_says_busy_at_once_and_looking_things_up_goes_on(
    talk: Talks, model: FakeModelServer
) -> None:
    model.set(fault="hang")

    async def crowd(client: httpx.AsyncClient) -> None:
        found: list[httpx.Response] = []

        async def ask() -> None:
            found.append(await client.post(ASK, json=QUESTION))

        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(ask)
        told = sorted(answer.json()["error"] for answer in found)
        assert told == ["Busy"] * 3 + ["ModelUnavailable"] * 5
        assert all(int(one.headers["retry-after"]) > 0 for one in found if one.json()["error"] == "Busy")

    talk(crowd, **_settings(model, serve_workers=1, llm_timeout=0.3))
