"""Every public way to call a model leads through the whole stack, for both clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from pydantic import BaseModel

from clausegraph.app.dev.fake_llm import FakeModelServer
from clausegraph.core.models.guard import GuardedLLM
from tests.core.models.stack.conftest import Make
from tests.core.models.stack.doubles import MemoryBudget, MemoryCache, Records

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:The `json` method is deprecated"),  # LlamaIndex's StructuredLLM calls it
]

TEXT = "Rent is due monthly."


class Place(BaseModel):
    """A place."""

    name: str


def look_up(name: str) -> str:
    """Look something up."""
    return f"found {name}"


def _messages() -> list[ChatMessage]:
    return [ChatMessage(role="user", content=TEXT)]


_TOOL = FunctionTool.from_defaults(look_up)
_PROMPT = PromptTemplate("Tell of {topic}.")


async def _all(chunks: Any) -> list[Any]:
    return [chunk async for chunk in await chunks]


def _sync(call: Callable[[GuardedLLM], Any]) -> Callable[[GuardedLLM], Any]:
    return call


def _awaited(call: Callable[[GuardedLLM], Any]) -> Callable[[GuardedLLM], Any]:
    async def run(llm: GuardedLLM) -> Any:
        return await call(llm)

    return lambda llm: asyncio.run(run(llm))


def _iterated(call: Callable[[GuardedLLM], Any]) -> Callable[[GuardedLLM], Any]:
    return _awaited(lambda llm: _all(call(llm)))


PATHS: dict[str, Callable[[GuardedLLM], Any]] = {
    "complete": lambda llm: llm.complete(TEXT),
    "acomplete": _awaited(lambda llm: llm.acomplete(TEXT)),
    "stream_complete": lambda llm: list(llm.stream_complete(TEXT)),
    "astream_complete": _iterated(lambda llm: llm.astream_complete(TEXT)),
    "chat": lambda llm: llm.chat(_messages()),
    "achat": _awaited(lambda llm: llm.achat(_messages())),
    "stream_chat": lambda llm: list(llm.stream_chat(_messages())),
    "astream_chat": _iterated(lambda llm: llm.astream_chat(_messages())),
    "predict": lambda llm: llm.predict(_PROMPT, topic="rent"),
    "apredict": _awaited(lambda llm: llm.apredict(_PROMPT, topic="rent")),
    "stream": lambda llm: list(llm.stream(_PROMPT, topic="rent")),
    "astream": _iterated(lambda llm: llm.astream(_PROMPT, topic="rent")),
    "structured_predict": lambda llm: llm.structured_predict(Place, _PROMPT, topic="rent"),
    "astructured_predict": _awaited(lambda llm: llm.astructured_predict(Place, _PROMPT, topic="rent")),
    "stream_structured_predict": lambda llm: list(llm.stream_structured_predict(Place, _PROMPT, topic="rent")),
    "astream_structured_predict": _iterated(lambda llm: llm.astream_structured_predict(Place, _PROMPT, topic="rent")),
    "predict_and_call": lambda llm: llm.predict_and_call([_TOOL], TEXT, tool_required=True),
    "apredict_and_call": _awaited(lambda llm: llm.apredict_and_call([_TOOL], TEXT, tool_required=True)),
    "chat_with_tools": lambda llm: llm.chat_with_tools([_TOOL], TEXT, chat_history=[]),
    "achat_with_tools": _awaited(lambda llm: llm.achat_with_tools([_TOOL], TEXT)),
    "stream_chat_with_tools": lambda llm: list(llm.stream_chat_with_tools([_TOOL], TEXT)),
    "astream_chat_with_tools": _iterated(lambda llm: llm.astream_chat_with_tools([_TOOL], TEXT)),
    "structured_llm.complete": lambda llm: llm.as_structured_llm(Place).complete(TEXT),
    "structured_llm.acomplete": _awaited(lambda llm: llm.as_structured_llm(Place).acomplete(TEXT)),
    "structured_llm.chat": lambda llm: llm.as_structured_llm(Place).chat(_messages()),
    "structured_llm.achat": _awaited(lambda llm: llm.as_structured_llm(Place).achat(_messages())),
    "structured_llm.stream_chat": lambda llm: list(llm.as_structured_llm(Place).stream_chat(_messages())),
    "structured_llm.astream_chat": _iterated(lambda llm: llm.as_structured_llm(Place).astream_chat(_messages())),
}


@pytest.mark.parametrize("path", list(PATHS))
def test_no_request_reaches_the_server_around_the_stack(
    path: str,
    provider: str,
    fake: FakeModelServer,
    make: Make,
    records: Records,
    budget: MemoryBudget,
    cache: MemoryCache,
) -> None:
    llm = make(provider, budget=budget, cache=cache)
    first = PATHS[path](llm)

    counted = fake.counters()
    assert counted["requests"] == counted["ok"] == len(records.sent) == len(budget.reservations) == 1
    assert records.outcomes == ["ok"]
    assert budget.reserved == 0
    assert budget.used == counted["prompt_tokens"] + counted["output_tokens"] > 0
    assert sum(record.usage.total or 0 for record in records.sent) == budget.used
    assert budget.reservations[0].tokens >= budget.used

    second = PATHS[path](llm)
    assert fake.counters()["requests"] == 1
    assert records.outcomes == ["ok", "cached"]
    assert len(cache.stored) == 1
    assert _text(second) == _text(first)


def _text(result: Any) -> str:
    """What a caller reads of a result, streamed or not."""
    last = result[-1] if isinstance(result, list) else result
    if isinstance(result, list) and result and all(isinstance(item, str) for item in result):
        return "".join(result)
    message = getattr(last, "message", None)
    return str(message.blocks if message is not None and message.content is None else last)


@pytest.mark.parametrize("path", ["chat", "stream_chat", "complete", "stream_complete", "predict", "stream"])
def test_a_reply_is_whole_whichever_way_it_comes(path: str, provider: str, make: Make) -> None:
    found = PATHS[path](make(provider))
    if isinstance(found, list) and not isinstance(found[0], str):
        joined = "".join(chunk.delta or "" for chunk in found)
        last = found[-1].message.content if hasattr(found[-1], "message") else found[-1].text
        assert joined == last == TEXT
    else:
        text = "".join(found) if isinstance(found, list) else str(found)
        assert TEXT in text or text == "Tell of rent."


def test_tools_are_called(provider: str, make: Make) -> None:
    reply = make(provider).predict_and_call([_TOOL], TEXT, tool_required=True)
    assert reply.sources[0].tool_name == "look_up"
    assert make(provider).structured_predict(Place, _PROMPT, topic="rent") == Place(name="fake")
    streamed = list(make(provider).stream_structured_predict(Place, _PROMPT, topic="rent"))
    assert streamed[-1].name == "fake"


def test_a_tool_is_asked_for(provider: str, make: Make, fake: FakeModelServer) -> None:
    llm = make(provider)
    llm.structured_predict(Place, _PROMPT, topic="rent")
    list(llm.stream_structured_predict(Place, _PROMPT, topic="rent"))
    assert [body["tool_choice"] for body in fake.last_requests(2)] == ["required", "required"]


def test_the_caller_s_history_is_left_alone(provider: str, make: Make) -> None:
    history = _messages()
    make(provider).chat_with_tools([_TOOL], "And then?", chat_history=history)
    assert len(history) == 1


def test_options_reach_the_server(provider: str, make: Make, fake: FakeModelServer) -> None:
    llm = make(provider, temperature=0.5, max_output=321)
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    llm.chat(_messages(), **llm.json_options("answer", schema))
    llm.chat(_messages(), max_tokens=77)
    first, second = fake.last_requests(2)
    assert (first["model"], first["temperature"], first["max_tokens"]) == ("fake-small", 0.5, 321)
    assert first["response_format"]["json_schema"]["schema"] == schema
    assert second["max_tokens"] == 77 and "response_format" not in second


def test_a_forgotten_reply_is_asked_for_again(
    provider: str, make: Make, cache: MemoryCache, fake: FakeModelServer
) -> None:
    llm = make(provider, cache=cache)
    options = llm.json_options("a", {"type": "object"})
    llm.chat(_messages(), **options)
    llm.forget(_messages(), **options)
    llm.chat(_messages(), **options)
    assert fake.counters()["requests"] == 2


def test_an_unknown_model_name_is_no_trouble(provider: str, make: Make) -> None:
    llm = make(provider, model="no-library-knows-this", context_window=4321)
    assert llm.metadata.context_window == 4321
    assert llm.complete("Hello").text == "Hello"
    assert str(llm.fingerprint) == f"{provider}:no-library-knows-this|t=0|max=500|json=schema"
