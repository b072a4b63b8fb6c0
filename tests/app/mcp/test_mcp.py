"""The official client drives every tool, over standard input and output and over HTTP."""

import json
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from clausegraph.app.mcp import DATA
from clausegraph.app.services import watches
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from clausegraph.core.types import AnswerStatus
from tests.app.api.conftest import Stand
from tests.app.api.serving import Serving

pytestmark = pytest.mark.integration

WATCHED = {"question": "Can I get the Warm Home Grant?"}
TOOLS = {
    "ask", "ask_pages", "search", "rules", "neighbourhood", "page", "what_changed", "list_corpora", "find_entities",
    "contradictions", "watched_questions",
}  # fmt: skip


async def _call(client: Client, tool: str, **given: Any) -> Any:
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer.content
    told = answer.structured_content
    assert told is not None and told["note"] == DATA
    assert json.loads(answer.content[0].text) == told  # for clients that read texts alone
    return told["data"]


async def _every_tool(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == TOOLS
    assert "retained epoch before" in tools["what_changed"].input_schema["properties"]["since"]["description"]
    about = str(client.instructions)
    assert set(re.findall(r"`([a-z_]+)`", about)) & TOOLS == TOOLS - {"ask_pages"}
    assert all(f'"{status.value}"' in about for status in AnswerStatus)
    found = await _call(client, "ask", question="Can I get the Warm Home Grant?", scenario="I am 70.")
    assert found["epoch"] == 2 and found["alternatives"]
    before = await _call(client, "ask", question="Can I get the Warm Home Grant?", epoch=1)
    assert before["epoch"] == 1
    assert (await _call(client, "search", question="Warm Home Grant", limit=2))["hits"]
    ruled = await _call(client, "rules", topic="home grant", kind="eligibility")
    assert ruled["entity"] == "warm home grant" and ["over 65" in one["words"] for one in ruled["rules"]] == [True]
    around = await _call(client, "neighbourhood", entity="Warm Home Grant")
    assert around["facts"] and around["around"] == ["warm home grant"]
    sent = [{"url": "https://bridges.example/alder", "html": "<h1>Alder</h1><p>The Alder bridge opened in 1931.</p>"}]
    alone = await _call(client, "ask_pages", question="When did the Alder bridge open?", pages=sent)
    assert (alone["corpus"], alone["quotes"][0]["quote"]) == ("pages", "The Alder bridge opened in 1931.")
    text = await _call(client, "page", page="grant.html")
    assert any("over 65" in element["text"] for element in text["elements"])
    assert [one["uri"] for one in (await _call(client, "what_changed"))["pages"]] == ["grant.html"]
    assert [one["pages"] for one in (await _call(client, "list_corpora"))["items"] if one["corpus"] == "other"] == [3]
    named = await _call(client, "find_entities", words="warm grant", limit=1)
    assert named["items"][0]["entity"] == "warm home grant"
    assert (await _call(client, "contradictions"))["contradictions"] == []
    watched = (await _call(client, "watched_questions"))["items"]
    assert [one["question"] for one in watched] == [WATCHED["question"]]
    whole = await _call(client, "watched_questions", number=watched[0]["id"])
    assert whole["answer"]["alternatives"] and whole["changes"] == []
    read = await client.read_resource("clausegraph://default/pages/grant.html")
    assert json.loads(read.contents[0].text)["data"]["title"] == "Warm Home Grant"
    read = await client.read_resource(before.pop("resource"))
    assert json.loads(read.contents[0].text)["data"] == before
    wrong = await client.call_tool("page", {"page": "nothing.html"})
    assert wrong.is_error and "NotFoundError: corpus" in wrong.content[0].text
    lost = await client.call_tool("neighbourhood", {"entity": "nobody"})
    assert lost.is_error and "the tool `find_entities`" in lost.content[0].text
    assert (await client.call_tool("neighbourhood", {"entity": "x", "hops": 9})).is_error


def test_over_standard_input_and_output(stand: Stand, tmp_path: Path) -> None:
    home = shutil.copytree(stand.home, tmp_path / "home")
    with Workspace(Settings(home=home, embedding_model="hashing")) as workspace:
        watches.add(workspace, "default", WATCHED["question"], "", "ann")
    environment = {**os.environ, "CLAUSEGRAPH_EMBEDDING_MODEL": "hashing", "PYTHONPATH": os.pathsep.join(sys.path)}
    started = StdioServerParameters(
        command=sys.executable, args=["-m", "clausegraph", "mcp", "--home", str(home)], env=environment
    )

    async def talk() -> None:
        async with Client(stdio_client(started)) as client:
            await _every_tool(client)

    anyio.run(talk)


@pytest.fixture(scope="module")
def watched(server: Serving, stand: Stand) -> Iterator[int]:
    """The number of a question that is watched in the first corpus."""
    with server.client(stand.tokens["curator", False]) as client:
        number = client.post("/v1/corpora/default/watches", json=WATCHED).json()["id"]
        yield number
        client.delete(f"/v1/corpora/default/watches/{number}")


@asynccontextmanager
async def _over_http(server: Serving, token: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as connection,
        Client(streamable_http_client(f"{server.url}/mcp", http_client=connection)) as client,
    ):
        yield client


@pytest.mark.usefixtures("watched")
def test_over_http_with_a_token(server: Serving, stand: Stand) -> None:
    async def talk() -> None:
        async with _over_http(server, stand.tokens["reader", False]) as client:
            await _every_tool(client)

    anyio.run(talk)


def test_a_tokens_corpora_bind_every_tool_and_resource(server: Serving, stand: Stand, watched: int) -> None:
    given: dict[str, dict[str, Any]] = {
        "ask": {"question": "Who?"},
        "search": {"question": "Who?"},
        "rules": {"topic": "warm home grant"},
        "neighbourhood": {"entity": "council"},
        "page": {"page": "grant.html"},
        "what_changed": {},
        "find_entities": {"words": "grant"},
        "contradictions": {},
        "watched_questions": {"number": watched},
    }

    async def talk() -> None:
        async with _over_http(server, stand.tokens["reader", True]) as client:
            listed = await client.call_tool("list_corpora", {})
            assert [one["corpus"] for one in listed.structured_content["data"]["items"]] == ["default"]
            assert set(given) | {"ask_pages", "list_corpora"} == {
                tool.name for tool in (await client.list_tools()).tools
            }
            beside = await client.call_tool("ask_pages", {"question": "Who?"})
            assert beside.is_error and "Forbidden: " in beside.content[0].text
            for tool, values in given.items():
                assert not (await client.call_tool(tool, values)).is_error, tool
                answer = await client.call_tool(tool, values | {"corpus": "other"})
                assert answer.is_error and "Forbidden: " in answer.content[0].text, tool
            for what in ("pages/grant.html", "answers/0123456789abcdef"):
                with pytest.raises(MCPError, match="Forbidden"):
                    await client.read_resource(f"clausegraph://other/{what}")
            with pytest.raises(MCPError, match="not kept"):
                await client.read_resource("clausegraph://default/answers/0123456789abcdef")

    anyio.run(talk)


def test_nobody_without_a_token_and_nothing_to_listen_to(server: Serving, stand: Stand) -> None:
    for method in ("GET", "POST", "DELETE"):
        assert httpx2.request(method, f"{server.url}/mcp", trust_env=False).status_code == 401
        if method != "POST":  # no stream that nobody ends
            answer = httpx2.request(method, f"{server.url}/mcp", headers=stand.bearer(), trust_env=False)
            assert answer.status_code == 405
