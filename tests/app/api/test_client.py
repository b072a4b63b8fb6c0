"""``clausegraph.Client``: another machine asks as this one does, and its errors are the same."""

from typing import Any

import pytest

import clausegraph
from tests.app.api.conftest import Stand
from tests.app.api.serving import Serving

pytestmark = pytest.mark.integration

QUESTION = "Can I get the Warm Home Grant?"


def test_to_ask_from_another_machine_is_one_line(server: Serving, stand: Stand) -> None:
    with clausegraph.Client(server.url, stand.tokens["reader", True]) as client:
        assert client.ask(QUESTION, "I am 70.")["epoch"] == 2
        assert client.ask(QUESTION, "I am 70.", epoch=1)["epoch"] == 1
        assert client.retrieve(QUESTION, limit=1)[0]["text"]
        facts = list(client.every("facts", limit=1))
        assert len(facts) > 2 and {one["id"] for one in facts} == {one["id"] for one in client.every("facts")}
        assert client.get("entity", name="council")["entity"] == "council"


def test_a_question_with_its_pages(server: Serving, stand: Stand) -> None:
    pages = {"https://bridges.example/alder": "<h1>Alder</h1><p>The Alder bridge opened in 1931.</p>"}
    with clausegraph.Client(server.url, stand.tokens["reader", False]) as client:
        found = client.ask_web("When did the Alder bridge open?", pages=pages, at="2024-03-05T10:00-08:00")
    assert (found["quotes"][0]["quote"], found["not_read"]) == ("The Alder bridge opened in 1931.", [])


def test_its_errors_are_those_of_the_same_call_here(server: Serving, stand: Stand) -> None:
    token = stand.tokens["reader", True]
    wrong: list[tuple[type[Exception], dict[str, Any], str]] = [
        (clausegraph.NotFoundError, {"epoch": 9}, token),
        (clausegraph.QuestionError, {"question": " "}, token),
        (clausegraph.InputError, {"corpus": "other"}, token),
        (clausegraph.InputError, {}, "cg_unknown"),
    ]
    for kind, given, shown in wrong:
        with clausegraph.Client(server.url, shown) as client, pytest.raises(kind, match=r"request [0-9a-f]{16}"):
            client.ask(**({"question": QUESTION} | given))
    silent = clausegraph.Client("http://127.0.0.1:9", token)
    with silent, pytest.raises(clausegraph.ClauseGraphError, match="does not answer"):
        silent.ask(QUESTION)
