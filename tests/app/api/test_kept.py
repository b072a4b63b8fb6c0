"""Answers that are kept: had again as they were, by whoever asked alone, until their epoch or their token goes."""

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from clausegraph.app.access.tokens import Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.console.face import face
from clausegraph.app.services.history import vacuum_corpus
from clausegraph.app.services.tokens import revoke_token
from clausegraph.app.workspace import Workspace
from tests.app.api.conftest import QUESTION, Stand, client_of

WHERE = "/v1/corpora/default"


@pytest.fixture
def home(stand: Stand, tmp_path: Path) -> Stand:
    copied = shutil.copytree(stand.home, tmp_path / "home", ignore=shutil.ignore_patterns("answers"))
    return Stand(Path(copied), stand.tokens)


def talk(home: Stand, conversation: Callable[[httpx.AsyncClient], Any], role: str = "reader", **headers: str) -> Any:
    """A conversation with a server of its own: each is one more start."""

    async def whole() -> Any:
        async with client_of(
            create_app(Workspace(home.settings()), [face()]), **home.bearer(role), **headers
        ) as client:
            return await conversation(client)

    return anyio.run(whole)


async def ask(client: httpx.AsyncClient, **more: Any) -> tuple[str, Any]:
    answer = await client.post(f"{WHERE}/ask", json=QUESTION | more)
    assert answer.status_code == 200, answer.text
    return answer.headers["content-location"], answer.json()


def files_of(home: Stand) -> list[Path]:
    return sorted(path for path in (home.home / "answers").rglob("*") if path.is_file())


def test_an_answer_outlives_its_server_for_whoever_asked(home: Stand) -> None:
    async def first(client: httpx.AsyncClient) -> Any:
        plain = await ask(client, trace=True)
        supposed = await ask(client, assumptions={"over 65": "unmet"})
        stream = await client.post(f"{WHERE}/ask", json=QUESTION, headers={"Accept": "text/event-stream"})
        name = re.findall(r"event: answer\nid: ([0-9a-f]{16})\ndata: ", stream.text)[0]
        return plain, supposed, name

    (where, answer), (other, supposed), streamed = talk(home, first)
    assert answer["alternatives"] != supposed["alternatives"]

    async def again(client: httpx.AsyncClient) -> None:
        found = await client.get(where, params={"trace": True})
        assert found.json() == answer and found.headers["clausegraph-epoch"] == str(answer["epoch"])
        assert "trace" not in (await client.get(where)).json()
        assert (await client.get(other)).json() == supposed
        seen = {"If-None-Match": found.headers["etag"]}
        assert (await client.get(where, params={"trace": True}, headers=seen)).status_code == 304
        assert (await client.get(where, headers=seen)).status_code == 200
        listed = (await client.get(f"{WHERE}/answers")).json()["items"]
        assert [one["id"] for one in listed] == [streamed, other[-16:], where[-16:]]
        assert listed[0].items() >= QUESTION.items() and listed[0]["status"] == answer["status"]
        screen = await client.get(f"/c/default/asked/{where[-16:]}")
        assert screen.status_code == 200 and "/events" not in screen.text and "As Markdown" in screen.text
        assert f"/c/default/asked/{streamed}" in (await client.get("/c/default/ask")).text
        gone = await client.delete(other)
        assert gone.json() == listed[1]
        assert (await client.get(other)).status_code == (await client.delete(other)).status_code == 404
        assert (await client.post(f"/c/default/asked/{streamed}/forget")).status_code == 303
        assert len((await client.get(f"{WHERE}/answers")).json()["items"]) == 1

    talk(home, again)

    async def nobody_else(client: httpx.AsyncClient) -> None:
        assert (await client.get(where)).status_code == (await client.delete(where)).status_code == 404
        assert (await client.get(f"/c/default/asked/{where[-16:]}")).status_code == 404
        assert (await client.get(where.replace("default", "other"))).status_code == 404
        assert (await client.get(f"{WHERE}/answers")).json()["items"] == []

    talk(home, nobody_else, "admin")
    (kept,) = files_of(home)
    assert all(path.stat().st_mode & 0o077 == 0 for path in (kept, *kept.parents[:3]))
    revoke_token(home.settings(), "reader-False")
    assert files_of(home) == []


def test_answers_go_with_what_they_quote_and_with_whom_they_were_for(home: Stand) -> None:
    async def both(client: httpx.AsyncClient) -> Any:
        new, _ = await ask(client)
        old = await client.post(f"{WHERE}/ask?epoch=1", json=QUESTION)
        return new, old.headers["content-location"]

    new, old = talk(home, both)
    path = files_of(home)[0]
    left = path.with_name(path.name.replace(".answer", ".99.tmp"))
    left.write_bytes(b"a process was killed")
    os.utime(left, (1, 1))
    with Workspace(home.settings()) as workspace:
        vacuum_corpus(workspace, "default", keep_epochs=1, keep_days=0)

    async def look(client: httpx.AsyncClient) -> None:
        assert (await client.get(new)).status_code == 200
        assert (await client.get(old)).status_code == 404

    talk(home, look)
    (kept,) = files_of(home)
    assert kept.parent.name == "epoch-00000002"
    Tokens(home.home).revoke("reader-False")  # by hand, as it were: the next start forgets what was theirs
    talk(home, look_at_nothing, "admin")
    assert files_of(home) == []


async def look_at_nothing(client: httpx.AsyncClient) -> None:
    assert (await client.get("/v1/me")).status_code == 200


def test_an_answer_that_cannot_be_kept_is_given_all_the_same(home: Stand) -> None:
    (home.home / "answers").write_text("in the way")

    async def look(client: httpx.AsyncClient) -> None:
        answer = await client.post(f"{WHERE}/ask", json=QUESTION)
        assert answer.status_code == 200 and "content-location" not in answer.headers

    talk(home, look)


def test_a_file_that_is_damaged_or_of_another_version_is_an_answer_that_is_not_kept(home: Stand) -> None:
    async def once(client: httpx.AsyncClient) -> Any:
        return (await ask(client))[0]

    where = talk(home, once)
    (path,) = files_of(home)
    path.write_bytes(path.read_bytes()[:-40])

    async def look(client: httpx.AsyncClient) -> None:
        lost = await client.get(where)
        assert lost.status_code == 404 and "not any more" in lost.json()["detail"]
        assert (await client.get(f"{WHERE}/answers")).json()["items"] == []

    talk(home, look)


def test_a_question_follows_an_answer_and_an_answer_is_asked_again(home: Stand) -> None:
    async def following(client: httpx.AsyncClient) -> None:
        where, first = await ask(client)
        _, second = await ask(client, question="And if I am 70?", after=where.rpartition("/")[2], scenario="")
        assert second["question"] == first["question"]
        assert second["scenario"] == f"{first['scenario']}\nI am 70.".strip()
        compared = await client.post(f"{where}/compared")
        assert compared.status_code == 200, compared.text
        assert compared.json()["differences"] == compared.json()["rules"] == []
        for name in ("0" * 16, where.rpartition("/")[2][:-1] + "g"):
            gone = await client.post(f"{WHERE}/ask", json=QUESTION | {"after": name})
            assert gone.status_code == 404, gone.text

    talk(home, following)
