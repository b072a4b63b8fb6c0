"""The server as a plain HTTP client sees it: replies, faults, limits, counters."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from clausegraph.app.dev.fake_llm import FakeModelServer
from clausegraph.app.dev.fake_llm.replies import GARBAGE, NOT_SCRIPTED, WRONG_SCHEMA
from tests.app.dev.conftest import ask, chat_body, held, said

pytestmark = pytest.mark.integration


def events(response: httpx.Response) -> list[Any]:
    """The events of a stream; the end as a text."""
    lines = [line.removeprefix("data: ") for line in response.text.split("\n") if line]
    return [line if line == "[DONE]" else json.loads(line) for line in lines]


def test_a_numbered_page_gets_its_rules(fake: FakeModelServer, client: httpx.Client) -> None:
    assert "\n1,2,3 eligibility | about @1, actor @2" in said(ask(client))
    fake.set(replies="lines")
    assert said(ask(client)).startswith("(applicant for tax credit, ")
    fake.set(replies="echo")
    assert said(ask(client, "say this")) == "say this"


def test_a_schema_gets_an_instance(client: httpx.Client) -> None:
    def shaped(schema: dict[str, Any]) -> Any:
        shape = {"type": "json_schema", "json_schema": {"name": "it", "schema": schema}}
        return json.loads(said(ask(client, response_format=shape)))

    other = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 2}}, "required": ["n"]}
    assert shaped(other) == {"n": 2}
    assert "text" in json.loads(said(ask(client, "no page", response_format={"type": "json_object"})))


def test_scripts_in_turn_and_by_text(fake: FakeModelServer, client: httpx.Client) -> None:
    fake.set(replies="script", script=["one", {"two": 2}])
    assert [said(ask(client, "x")) for _ in range(3)] == ["one", '{"two": 2}', '{"two": 2}']
    fake.reset()
    assert said(ask(client, "x")) == "one"
    fake.set(script={"bees": "honey"})
    assert [said(ask(client, text)) for text in ("of bees", "of cows")] == ["honey", NOT_SCRIPTED]


def test_tokens_usage_and_max_tokens(fake: FakeModelServer, client: httpx.Client) -> None:
    fake.set(replies="echo")
    whole = ask(client, "ééééé").json()
    assert whole["usage"] == {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6}
    cut = ask(client, "ééééé", max_tokens=2).json()
    assert cut["choices"][0]["message"]["content"] == "éééé"
    assert (cut["choices"][0]["finish_reason"], cut["usage"]["completion_tokens"]) == ("length", 2)
    fake.set(tokens="bytes", usage="none")
    assert ask(client, "ééééé").json()["usage"] == {}
    counted = fake.counters()
    assert (counted["prompt_tokens"], counted["output_tokens"]) == (3 + 3 + 10, 3 + 2 + 10)


def test_a_stream_ends_with_its_usage(fake: FakeModelServer, client: httpx.Client) -> None:
    fake.set(replies="echo", chunks=3)
    *parts, last, done = events(ask(client, "abcdefgh", stream=True))
    assert [part["choices"][0]["delta"]["content"] for part in parts] == ["", "abc", "def", "gh"]
    assert (last["choices"][0]["finish_reason"], last["usage"]["total_tokens"], done) == ("stop", 4, "[DONE]")
    found = events(ask(client, "abcdefgh", stream=True, stream_options={"include_usage": True}))
    assert "usage" not in found[-3]
    assert found[-2]["choices"] == [] and found[-2]["usage"]["total_tokens"] == 4
    fake.set(usage="none")
    assert all("usage" not in part for part in events(ask(client, "x", stream=True))[:-1])


def test_embeddings_are_the_same_each_time(fake: FakeModelServer, client: httpx.Client) -> None:
    def embed(given: Any, **more: Any) -> Any:
        return client.post("/embeddings", json={"model": "fake-embed", "input": given, **more}).json()

    both = embed(["tax credit", "bees"])
    assert [row["index"] for row in both["data"]] == [0, 1]
    assert embed("bees")["data"][0]["embedding"] == both["data"][1]["embedding"]
    assert sum(x * x for x in both["data"][0]["embedding"]) == pytest.approx(1)
    assert len(embed("bees", dimensions=8)["data"][0]["embedding"]) == 8
    fake.set(dimension=16)
    assert len(embed(["bees"])["data"][0]["embedding"]) == 16
    assert fake.counters()["by_path"] == {"chat": 0, "stream": 0, "embeddings": 4}
    fake.set(fault="empty")
    assert embed("bees")["data"] == []


def test_a_wrong_key_is_401_and_control_needs_none(fake: FakeModelServer, client: httpx.Client) -> None:
    fake.set(key="secret")
    refused = ask(client)
    assert refused.status_code == 401
    assert refused.json()["message"] == refused.json()["error"]["message"]
    client.headers["authorization"] = "Bearer secret"
    assert ask(client).status_code == 200


def test_requests_that_no_server_takes(fake: FakeModelServer, client: httpx.Client) -> None:
    fake.set(models=["fake-small"], context_window=600)
    assert client.post("/chat/completions", content=b"{").status_code == 400
    assert client.post("/chat/completions", json={"model": "fake-small", "messages": []}).status_code == 422
    assert client.post("/embeddings", json={"model": "fake-small"}).status_code == 422
    assert ask(client, model="gone").status_code == 404
    assert ask(client, max_tokens=600).status_code == 400
    assert client.get("/nothing").status_code == 404
    endless = {"type": "object", "properties": {"me": {"$ref": "#"}}, "required": ["me"]}
    shape = {"type": "json_schema", "json_schema": {"schema": endless}}
    assert ask(client, "x", response_format=shape).status_code == 400
    assert fake.counters()["failed"] == {"400": 3, "422": 2, "404": 2}


@pytest.mark.parametrize("status", [429, 500, 503])
def test_status_faults(fake: FakeModelServer, client: httpx.Client, status: int) -> None:
    fake.set(fault=str(status), fault_first=2, retry_after=0.25)
    refused = ask(client)
    assert refused.status_code == status
    assert refused.headers.get("retry-after") == (None if status == 500 else "0.25")
    fake.set(fault=str(status), fault_first=1, retry_after=None)
    assert "retry-after" not in ask(client).headers
    assert ask(client).status_code == 200
    counted = fake.counters()
    assert (counted["requests"], counted["ok"], counted["failed"]) == (3, 1, {str(status): 2})


def test_content_faults(fake: FakeModelServer, client: httpx.Client) -> None:
    whole = said(ask(client))
    for fault, text in (
        ("garbage", GARBAGE), ("wrong_schema", WRONG_SCHEMA), ("empty", ""), ("truncated", whole[: len(whole) // 4]),
    ):  # fmt: skip
        fake.set(fault=fault, truncated_share=0.25)
        fake.reset()
        assert said(ask(client)) == text
        *streamed, last, _ = events(ask(client, stream=True))
        assert "".join(event["choices"][0]["delta"]["content"] for event in streamed) == text
        assert last["choices"][0]["finish_reason"] == ("length" if fault == "truncated" else "stop")
        counted = fake.counters()
        assert (counted["ok"], counted["failed"], counted["distinct_prompts"]) == (0, {fault: 2}, 0)
        assert counted["prompt_tokens"] > 0


@pytest.mark.parametrize("stream", [False, True])
def test_a_cut_connection_breaks_the_body(fake: FakeModelServer, client: httpx.Client, stream: bool) -> None:
    fake.set(fault="cut_connection", fault_first=1)
    with pytest.raises(httpx.RemoteProtocolError):
        ask(client, stream=stream)
    assert ask(client, stream=stream).status_code == 200
    assert fake.counters()["failed"] == {"cut_connection": 1}


@pytest.mark.parametrize("stream", [False, True])
def test_a_hang_sends_nothing_until_the_client_goes(fake: FakeModelServer, stream: bool) -> None:
    fake.set(fault="hang")
    with held(fake, chat_body(stream=stream)) as (opened,):
        opened.settimeout(0.1)
        with pytest.raises(TimeoutError):
            opened.recv(1)
    assert fake.counters()["failed"] == {"hang": 1}


@pytest.mark.parametrize("stream", [False, True])
def test_a_stall_sends_a_part_and_then_nothing(fake: FakeModelServer, stream: bool) -> None:
    fake.set(fault="stall")
    with held(fake, chat_body(stream=stream)) as (opened,):
        got = b""
        while b'"role":"assistant"' not in got:
            got += opened.recv(65536)
        assert got.startswith(b"HTTP/1.1 200 OK")
    counted = fake.counters()
    assert (counted["failed"], counted["prompt_tokens"]) == ({"stall": 1}, 0)


def test_html_in_place_of_json_and_a_slow_stream(fake: FakeModelServer, client: httpx.Client) -> None:
    fake.set(fault="html_body")
    for stream in (False, True):
        assert ask(client, stream=stream).text.startswith("<!doctype html>")
    assert fake.counters()["failed"] == {"html_body": 2}
    fake.set(replies="echo", fault="slow_stream", chunk_delay=0.01, chunks=4)
    found = events(ask(client, "abcdefgh", stream=True))
    assert "".join(event["choices"][0]["delta"]["content"] for event in found[:-1]) == "abcdefgh"


def test_a_client_that_goes_while_it_waits_is_a_disconnect(fake: FakeModelServer) -> None:
    fake.set(latency=(3600, 3600))
    with held(fake, chat_body(), chat_body(stream=True)):
        pass
    counted = fake.counters()
    assert (counted["failed"], counted["ok"], counted["prompt_tokens"]) == ({"disconnect": 2}, 0, 0)


def test_counters_of_many_at_once_are_exact(fake: FakeModelServer, client: httpx.Client) -> None:
    fake.set(replies="echo", latency=(0.05, 0.1))
    texts = [f"text {number % 30}" for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda text: said(ask(client, text)), texts)) == texts
    counted = fake.counters()
    assert (counted["requests"], counted["ok"], counted["in_flight"], counted["failed"]) == (40, 40, 0, {})
    assert (counted["distinct_prompts"], counted["repeated_ok"]) == (30, 10)
    assert 1 < counted["mean_in_flight"] <= counted["in_flight_max"] <= 8
    tokens = sum(-(-len(text) // 4) for text in texts)
    assert (counted["prompt_tokens"], counted["output_tokens"]) == (tokens, tokens)
    fake.reset()
    assert {key: value for key, value in fake.counters().items() if value and key != "by_path"} == {}


def test_one_more_than_fit_gets_429(fake: FakeModelServer, client: httpx.Client) -> None:
    fake.set(concurrency=2, fault="hang", fault_first=2, retry_after=1)
    with held(fake, chat_body("held"), chat_body("held too")):
        refused = ask(client, "third")
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
    assert ask(client, "third").status_code == 200
    assert fake.counters()["failed"] == {"429": 1, "hang": 2}
