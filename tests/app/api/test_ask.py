"""Questions over HTTP: as JSON and as a stream, given up, refused and failed."""

import json
import threading
import time

import anyio
import anyio.to_thread
import httpx
import pytest
from starlette.requests import Request

from clausegraph.app.api.problems import Refusal
from clausegraph.app.api.work import Tell, Ticket, WorkPool, streamed
from tests.app.api.conftest import QUESTION, Talks, conversation

WHERE = "/v1/corpora/default"


@conversation()
async def test_an_answer_is_that_of_the_command_line(client: httpx.AsyncClient) -> None:
    answer = await client.post(f"{WHERE}/ask", json=QUESTION)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["epoch"] == 2 and answer.headers["clausegraph-epoch"] == "2"
    assert any("65" in one["quote"] for best in found["alternatives"] for one in best["evidence"])
    before = (await client.post(f"{WHERE}/ask?epoch=1", json=QUESTION | {"trace": True})).json()
    assert before["epoch"] == 1 and before["trace"]
    name = found["alternatives"][0]["open_conditions"] or ["you are over 65"]
    again = await client.post(f"{WHERE}/ask", json=QUESTION | {"assumptions": {name[0]: "unmet"}})
    assert again.status_code == 200, again.text


@conversation()
async def test_a_stream_has_the_steps_and_then_the_answer(client: httpx.AsyncClient) -> None:
    async with client.stream("POST", f"{WHERE}/ask", json=QUESTION, headers={"Accept": "text/event-stream"}) as got:
        assert got.headers["content-type"].startswith("text/event-stream")
        events = [event.split("\n", 1) for event in (await got.aread()).decode().strip().split("\n\n")]
    kinds = [kind.removeprefix("event: ") for kind, _ in events]
    assert kinds[-1] == "answer" and set(kinds[:-1]) == {"step"}
    assert json.loads(events[-1][1].partition("\ndata: ")[2])["epoch"] == 2


def test_who_leaves_before_the_first_step_is_not_worked_for() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(ticket: Ticket, tell: Tell) -> None:
        begun.set()
        try:
            while True:
                ticket.check()
                time.sleep(0.01)
        finally:
            ended.set()

    async def receive() -> dict[str, str]:
        await anyio.to_thread.run_sync(begun.wait)
        return {"type": "http.disconnect"}

    async def leave() -> None:
        pool = WorkPool("left", 1, 0)
        with pytest.raises(Refusal) as refused:
            await streamed(Request({"type": "http"}, receive), pool, 60, work)  # type: ignore[arg-type]
        assert refused.value.problem.kind == "ClientGone"
        await anyio.to_thread.run_sync(ended.wait)
        pool.close()

    begun_at = time.monotonic()
    anyio.run(leave)
    assert time.monotonic() - begun_at < 10 and ended.is_set()  # less than the beat of a silent stream


WRONG = [
    ("/v1/corpora/nowhere/ask", QUESTION, 404, "NotFoundError"),
    (f"{WHERE}/ask?epoch=9", QUESTION, 404, "NotFoundError"),
    (f"{WHERE}/ask?epoch=0", QUESTION, 422, "RequestInvalid"),
    (f"{WHERE}/ask", {"question": "  "}, 400, "QuestionError"),
    (f"{WHERE}/ask", QUESTION | {"engine": "none"}, 400, "InputError"),
    (f"{WHERE}/ask", QUESTION | {"colour": "red"}, 422, "RequestInvalid"),
    (f"{WHERE}/ask", {"question": "x" * 9_999, "scenario": "y" * 9_999}, 400, "QuestionError"),
    (f"{WHERE}/retrieve", QUESTION | {"retriever": "none"}, 400, "InputError"),
]


@conversation()
async def test_what_is_wrong_with_a_question_is_said_with_its_status(client: httpx.AsyncClient) -> None:
    for where, body, status, error in WRONG:
        for accept in ("application/json", "text/event-stream"):
            answer = await client.post(where, json=body, headers={"Accept": accept})
            assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["request"] == answer.headers["x-request-id"]


@conversation()
async def test_an_error_says_what_a_program_can_do_and_nothing_of_the_machine(
    client: httpx.AsyncClient, talk: Talks
) -> None:
    lost = (await client.get("/v1/corpora/nowhere/pages")).json()
    assert "no corpus 'nowhere'" in lost["detail"]
    assert not any(word in lost["detail"] for word in (str(talk.stand.home), "--corpus", "other"))
    for where, words in (
        (f"{WHERE}/entity?name=nothing+at+all", "`GET facts` shows the largest"),
        (f"{WHERE}/page?name=nothing", "`GET pages` lists them"),
        (f"{WHERE}/facts/zz", "path.fact: an id is 4 to 64 of the characters"),
        (f"{WHERE}/facts?entitiy=council", "query.entitiy: no such parameter; there are cursor, entity, epoch,"),
        ("/v1/me?x=1", "query.x: no such parameter; it takes none"),
    ):
        wrong = await client.get(where)
        assert 400 <= wrong.status_code < 500 and words in wrong.json()["detail"], wrong.text
        assert "clausegraph " not in wrong.json()["detail"]
    torn = await client.post(f"{WHERE}/ask", content='{"question"', headers={"Content-Type": "application/json"})
    assert torn.status_code == 422 and "body: this is no JSON from character 11 on" in torn.json()["detail"]
    assert (await client.get("/health/live?probe=1")).status_code == 200
    plain = await client.post(f"{WHERE}/ask", content=json.dumps(QUESTION))
    assert plain.status_code == 422 and "Content-Type: application/json" in plain.json()["detail"]


@conversation()
async def test_passages_come_best_first_within_their_budget(client: httpx.AsyncClient) -> None:
    found = (await client.post(f"{WHERE}/retrieve", json=QUESTION | {"limit": 3})).json()
    scores = [hit["score"] for hit in found["hits"]]
    assert found["epoch"] == 2 and 0 < len(scores) <= 3 and scores == sorted(scores, reverse=True)
    assert (await client.post(f"{WHERE}/retrieve", json=QUESTION | {"budget": 1})).json()["hits"] == []
