"""Both LlamaIndex client classes against the fake: sync, async, streams, structured replies, embeddings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import httpx
import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.function_calling import FunctionCallingLLM
from pydantic import BaseModel

from clausegraph.app.dev.fake_llm import FakeModelServer

pytestmark = pytest.mark.integration

MESSAGES = [ChatMessage(role="system", content="be brief"), ChatMessage(role="user", content="hello there, you")]
Make = Callable[[FakeModelServer], AbstractContextManager[FunctionCallingLLM]]


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


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
        clients = {"http_client": sync, "async_http_client": httpx.AsyncClient(trust_env=False)}
        yield OpenAILike(
            model="fake-small", api_base=fake.url + "/v1", api_key="key", is_chat_model=True, context_window=32000,
            max_retries=0, **clients,
        )  # fmt: skip


@pytest.mark.parametrize("make", [mistral, openai])
@pytest.mark.parametrize("usage", ["reported", "none"])
def test_chats_streams_and_structured_replies(fake: FakeModelServer, make: Make, usage: str) -> None:
    fake.set(replies="echo", usage=usage, key="key")
    shape = {"type": "json_schema", "json_schema": {"name": "person", "schema": Person.model_json_schema()}}

    async def asynchronous(llm: Any) -> list[str]:
        async with llm._get_aclient() if hasattr(llm, "_get_aclient") else llm._client:
            whole = (await llm.achat(MESSAGES)).message.content
            return [whole, "".join([part.delta or "" async for part in await llm.astream_chat(MESSAGES)])]

    with make(fake) as llm:
        said = [llm.chat(MESSAGES).message.content, "".join(part.delta or "" for part in llm.stream_chat(MESSAGES))]
        shaped = llm.chat(MESSAGES, response_format=shape).message.content
        said += asyncio.run(asynchronous(llm))
    assert said == ["hello there, you"] * 4
    assert Person.model_validate_json(shaped or "") == Person(name="fake", age=0)
    assert fake.counters()["by_path"] == {"chat": 3, "stream": 2, "embeddings": 0}


def test_embeddings_of_both(fake: FakeModelServer) -> None:
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding
    from mistralai.client import Mistral

    with httpx.Client(trust_env=False) as sync, Mistral(api_key="key", server_url=fake.url) as other:
        one = OpenAILikeEmbedding(
            model_name="fake-embed", api_base=fake.url + "/v1", api_key="key", http_client=sync, max_retries=0
        )
        read = one.get_text_embedding_batch(["tax", "bees"])
        given = other.embeddings.create(model="fake-embed", inputs=["tax", "bees"]).data
    assert read == [pytest.approx(row.embedding, abs=1e-6) for row in given]
