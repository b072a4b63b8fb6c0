"""Both LlamaIndex client classes against the fake: sync, async, streams, tools, structured replies, embeddings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from typing import Any

import httpx
import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel

from clausegraph.app.dev.fake_llm import FakeModelServer

pytestmark = pytest.mark.integration

MESSAGES = [ChatMessage(role="system", content="be brief"), ChatMessage(role="user", content="hello there, you")]
Make = Callable[[FakeModelServer], AbstractContextManager[FunctionCallingLLM]]


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@contextmanager
def mistral(fake: FakeModelServer) -> Iterator[FunctionCallingLLM]:
    from llama_index.llms.mistralai import MistralAI

    made = MistralAI(model="mistral-small-latest", endpoint=fake.url, api_key="key")
    with made._client:
        yield made


@contextmanager
def openai(fake: FakeModelServer) -> Iterator[FunctionCallingLLM]:
    from llama_index.llms.openai_like import OpenAILike

    with httpx.Client(trust_env=False) as sync:
        yield OpenAILike(
            model="fake-small",
            api_base=fake.url + "/v1",
            api_key="key",
            is_chat_model=True,
            is_function_calling_model=True,
            context_window=32000,
            max_retries=0,
            http_client=sync,
            async_http_client=httpx.AsyncClient(trust_env=False),
        )


@asynccontextmanager
async def asynchronous(llm: Any) -> AsyncIterator[None]:
    """Close what the client opened on this loop."""
    if hasattr(llm, "_get_aclient"):
        async with llm._get_aclient():
            yield
    else:
        async with llm._client:
            yield


both = pytest.mark.parametrize("make", [mistral, openai])


@both
@pytest.mark.parametrize("usage", ["reported", "none"])
def test_chat_and_stream(fake: FakeModelServer, make: Make, usage: str) -> None:
    fake.set(replies="echo", usage=usage, key="key")
    with make(fake) as llm:
        assert llm.chat(MESSAGES).message.content == "hello there, you"
        parts = list(llm.stream_chat(MESSAGES))
        assert "".join(part.delta or "" for part in parts) == "hello there, you"
        assert ("total_tokens=10" in repr(parts[-1]) or "'total_tokens': 10" in repr(parts[-1])) == (usage != "none")
    assert fake.counters()["by_path"] == {"chat": 1, "stream": 1, "embeddings": 0}


@both
def test_async_chat_stream_and_tools(fake: FakeModelServer, make: Make) -> None:
    fake.set(replies="echo")

    async def work(llm: FunctionCallingLLM) -> tuple[str | None, str, list[Any]]:
        async with asynchronous(llm):
            whole = (await llm.achat(MESSAGES)).message.content
            pieces = [part.delta or "" async for part in await llm.astream_chat(MESSAGES)]
            called = await llm.achat_with_tools([FunctionTool.from_defaults(add)], user_msg="add")
            return whole, "".join(pieces), llm.get_tool_calls_from_response(called)

    with make(fake) as llm:
        whole, streamed, calls = asyncio.run(work(llm))
    assert whole == streamed == "hello there, you"
    assert [(call.tool_name, call.tool_kwargs) for call in calls] == [("add", {"a": 0, "b": 0})]


@both
def test_tools_and_structured_replies(fake: FakeModelServer, make: Make) -> None:
    shape = {"type": "json_schema", "json_schema": {"name": "person", "schema": Person.model_json_schema()}}
    with make(fake) as llm:
        tools = [FunctionTool.from_defaults(add)]
        streamed = list(llm.stream_chat_with_tools(tools, user_msg="add"))[-1]
        for called in (llm.chat_with_tools(tools, user_msg="add"), streamed):
            assert [call.tool_kwargs for call in llm.get_tool_calls_from_response(called)] == [{"a": 0, "b": 0}]
        assert llm.as_structured_llm(Person).chat(MESSAGES).raw == Person(name="fake", age=0)
        shaped = llm.chat(MESSAGES, response_format=shape).message.content
    assert Person.model_validate_json(shaped or "") == Person(name="fake", age=0)


def test_embeddings_and_models_of_both(fake: FakeModelServer) -> None:
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding
    from mistralai.client import Mistral

    with httpx.Client(trust_env=False) as sync, Mistral(api_key="key", server_url=fake.url) as other:
        one = OpenAILikeEmbedding(
            model_name="fake-embed", api_base=fake.url + "/v1", api_key="key", http_client=sync, max_retries=0
        )
        read = one.get_text_embedding_batch(["tax", "bees"])
        given = other.embeddings.create(model="fake-embed", inputs=["tax", "bees"]).data
        names = [card.id for card in other.models.list().data or []]
    assert read == [pytest.approx(row.embedding, abs=1e-6) for row in given]
    assert "fake-small" in names
