"""Answers from pages that a client sends or names: as JSON and as a stream, refused, limited and given up."""

import json
from typing import Any

import httpx
import pytest

from clausegraph.app.api import application
from tests.app.api.conftest import Talks, conversation
from tests.harness.site import NAME, local_site

pytestmark = pytest.mark.integration

WHERE = "/v1/web-answers"
HTML = (
    "<html><head><title>Alder bridge</title></head><body><main><h1>Alder bridge</h1><h2>History</h2>"
    "<p>The Alder bridge opened in 1931. It was paid for by the guild of salt merchants.</p></main></body></html>"
)
ADDRESS = "https://bridges.example/alder"
PAGE = {"url": ADDRESS, "html": HTML}
ASKED: dict[str, Any] = {"question": "When did the Alder bridge open?", "pages": [PAGE], "at": "2024-03-05T10:00-08:00"}


@conversation()
async def test_pages_that_are_sent_answer_with_heading_and_sentence(client: httpx.AsyncClient) -> None:
    empty = {"url": "https://bridges.example/empty", "html": ""}
    answer = await client.post(WHERE, json=ASKED | {"pages": [empty, PAGE], "trace": True})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    cited = found["quotes"][0]
    assert (found["status"], found["corpus"], found["epoch"]) == ("quoted", "pages", 0)
    assert (cited["url"], cited["headings"][-1], cited["quote"]) == (
        ADDRESS,
        "History",
        "The Alder bridge opened in 1931.",
    )
    assert found["not_read"] == [{"page": empty["url"], "reason": "no HTML element could be parsed"}]
    assert "content-location" not in answer.headers  # nothing of it is kept
    listed = (await client.get("/v1/corpora/pages/answers")).json()
    assert listed.get("items", []) == []
    async with client.stream("POST", WHERE, json=ASKED, headers={"Accept": "text/event-stream"}) as got:
        events = [event.split("\n", 1) for event in (await got.aread()).decode().strip().split("\n\n")]
    assert [kind.removeprefix("event: ") for kind, _ in events] == ["step"] * (len(events) - 1) + ["answer"]
    assert json.loads(events[0][1].removeprefix("data: "))["name"] == "read pages"


def test_what_is_wrong_is_said_with_its_status(talk: Talks, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong: list[tuple[dict[str, Any], int, str]] = [
        (ASKED | {"pages": []}, 400, "there is no page to answer from"),
        (ASKED | {"pages": [PAGE | {"html": "<p></p>"}]}, 400, "there is no page to answer from"),
        (ASKED | {"at": "yesterday"}, 400, "time 'yesterday' is not understood"),
        (ASKED | {"question": " "}, 400, "question"),
        (ASKED | {"pages": [PAGE | {"url": "/etc/passwd"}]}, 422, "an address of a page is like https://host/path"),
        (ASKED | {"pages": [PAGE] * 101}, 422, "100"),
        (ASKED | {"addresses": ["file:///etc/passwd"]}, 422, "an address of a page is like"),
        (ASKED | {"addresses": ["https://bridges.example/"]}, 403, "CLAUSEGRAPH_SERVE_ADDRESSES"),
        (ASKED | {"pages": [PAGE | {"html": " " * 300_000}]}, 413, "a request may have 262,144 bytes"),
    ]

    async def ask(client: httpx.AsyncClient) -> None:
        for body, status, words in wrong:
            answer = await client.post(WHERE, json=body)
            assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
            assert words in answer.json()["detail"]
            assert "folder" not in answer.json()["detail"]

    monkeypatch.setattr(application, "_PAGES_BYTES", 256 * 1024)
    talk(ask)


@conversation(bound=True)
async def test_a_token_of_some_corpora_has_no_answers_beside_them(client: httpx.AsyncClient) -> None:
    assert (await client.post(WHERE, json=ASKED)).status_code == 403  # a graph that is set up knows every corpus


@conversation()
async def test_more_than_a_question_has_elsewhere_may_be_sent(client: httpx.AsyncClient) -> None:
    filled = PAGE | {"html": HTML + "<!--" + "x" * 400_000 + "-->"}
    found = await client.post(WHERE, json=ASKED | {"pages": [filled]})
    assert found.json()["quotes"][0]["quote"] == "The Alder bridge opened in 1931."


def test_addresses_are_fetched_by_the_guarded_client_where_the_server_may(talk: Talks) -> None:
    with local_site() as site:
        site.page("/alder", HTML)
        asked = ASKED | {"pages": [], "addresses": [site.url("/alder")]}

        async def closed(client: httpx.AsyncClient) -> None:
            refused = await client.post(WHERE, json=asked | {"addresses": [f"http://127.0.0.1:{site.port}/alder"]})
            assert refused.status_code == 400 and not site.asked  # an address of this machine's

        async def opened(client: httpx.AsyncClient) -> None:
            found = (await client.post(WHERE, json=asked)).json()
            assert found["quotes"][0]["url"] == site.url("/alder")

        talk(closed, serve_addresses=True)
        talk(opened, serve_addresses=True, web_allow=(f"{NAME}=127.0.0.1",), web_interval=0.0)
