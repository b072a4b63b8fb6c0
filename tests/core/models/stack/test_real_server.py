"""Our client against a real server with a real, very small model: llama.cpp with SmolLM2-135M, see ``real_model``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage

from clausegraph.core.errors import ModelRefused, ModelUnavailable
from clausegraph.core.models.api_embedding import ApiEmbedder
from clausegraph.core.models.calls import ModelOptions
from clausegraph.core.models.guard import GuardedLLM, make_llm
from clausegraph.core.models.loop import run_sync, start
from clausegraph.core.models.replies import finish_reason, usage_of
from tests.core.models.stack.doubles import Records
from tests.harness.real_model import needs_model, real_model
from tests.harness.wait import until

pytestmark = [pytest.mark.integration, pytest.mark.long, needs_model]
CONTEXT = 1024


@pytest.fixture(scope="module")
def served() -> Iterator[dict[str, str]]:
    with real_model(CONTEXT) as settings:
        yield settings


def options(served: dict[str, str], **more: Any) -> ModelOptions:
    values: dict[str, Any] = {"url": served["llm_url"], "key": served["llm_key"], "max_output": 30, "attempts": 2}
    return ModelOptions("openai", served["llm"].removeprefix("openai:"), **(values | more))


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


@pytest.fixture
def llm(served: dict[str, str], records: Records) -> Iterator[GuardedLLM]:
    with make_llm(options(served), usage=records) as made:
        yield made


def test_a_reply_has_its_tokens_and_why_it_ended(llm: GuardedLLM, records: Records) -> None:
    reply = llm.chat(said("Write a long story about a dog."))
    used = usage_of(reply)
    assert reply.message.content and finish_reason(reply) == "length"
    assert (used.output_tokens, records.all[0].outcome) == (30, "ok") and (used.prompt_tokens or 0) > 5


def test_a_schema_is_obeyed_by_grammar(llm: GuardedLLM) -> None:
    """Which no such model would do by itself: an enumeration, a closed object, in streams too."""
    kinds = {"type": "string", "enum": ["grant", "licence"]}
    schema = {"type": "object", "properties": {"kind": kinds, "old": {"type": "integer", "enum": [7]}}}
    schema |= {"required": ["kind", "old"], "additionalProperties": False}
    shape = llm.json_options("thing", schema)
    whole = llm.chat(said("Tell me about the weather."), **shape)
    pieces: list[str] = []
    streamed = run_sync(llm.send(llm.call(said("Tell me about the weather."), shape, listen=pieces.append)))
    for text in (whole.message.content, streamed.message.content):
        found = json.loads(text or "")
        assert found.keys() == {"kind", "old"} and found["kind"] in kinds["enum"] and found["old"] == 7
    assert len(pieces) > 3 and pieces[-1] == streamed.message.content
    assert all(after.startswith(before) for before, after in pairwise(pieces))
    assert usage_of(streamed) == usage_of(whole)


def test_a_cancelled_stream_frees_the_server(served: dict[str, str], records: Records) -> None:
    """It has one place: it would write on for minutes, and the next call would wait for that."""
    with make_llm(options(served, max_output=900, timeout_s=600.0), usage=records) as llm:
        pieces: list[str] = []
        going = start(llm.send(llm.call(said("Write a long story about a dog."), {}, listen=pieces.append)))
        until(lambda: len(pieces) > 3)
        going.cancel()
        until(lambda: records.all)
        assert records.all[0].outcome == "cancelled" and len(pieces) < 800
        assert llm.chat(said("Hello"), max_tokens=3).message.content


@pytest.mark.parametrize(
    ("more", "asked", "error", "told"),
    [
        ({}, "word " * 2000, ModelRefused, r"answered 400: request \(\d+ tokens\) exceeds .* \(1024 tokens\).*; give "
         r"the server a larger context, or make prompts shorter: CLAUSEGRAPH_CALL_TOKENS"),
        ({"key": "wrong"}, "Hello", ModelRefused, "answered 401: Invalid API Key; set CLAUSEGRAPH_LLM_KEY"),
        ({"url": "{url}/nothing"}, "Hello", ModelRefused, "answered 404: File Not Found; check CLAUSEGRAPH_LLM and"),
        ({"timeout_s": 0.2, "max_output": 900}, "Tell a long story.", ModelUnavailable, "the time-out ran out"),
    ],
)  # fmt: skip
def test_what_the_server_refuses_is_told_exactly(
    served: dict[str, str], records: Records, more: dict[str, Any], asked: str, error: type[Exception], told: str
) -> None:
    more = {name: value.format(url=served["llm_url"]) if name == "url" else value for name, value in more.items()}
    with make_llm(options(served, **more), usage=records) as llm, pytest.raises(error, match=told):
        llm.chat(said(asked))
    assert len(records.all) == (2 if error is ModelUnavailable else 1)  # a refusal is final


def test_a_server_without_embeddings_is_not_asked_again(served: dict[str, str], records: Records) -> None:
    refused = pytest.raises(ModelRefused, match="answered 501: This server does not support embeddings")
    with closing(ApiEmbedder(options(served), usage=records)) as embedder, refused:
        embedder.embed_texts(["a text"])
    assert len(records.all) == 1
