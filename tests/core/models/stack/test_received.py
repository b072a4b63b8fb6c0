"""What is left of a driver's reply: texts without secrets, and figures that can be."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ToolCallBlock

from clausegraph.core import secrets
from clausegraph.core.models import driver
from clausegraph.core.models.driver import ReceivedStream, received, within
from clausegraph.core.models.failures import UNREADABLE, Server
from clausegraph.core.models.stack import OTHER_REASON, Collected, encode_reply, finish_reason, usage_of
from clausegraph.core.secrets import MASK
from tests.core.test_secrets import FORMS

pytestmark = pytest.mark.unit
KEY = "sk-Secret0123456789"


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    before = set(secrets._known)
    Server("openai:x", "http://127.0.0.1", KEY)  # whoever makes a client makes its key known
    yield
    secrets._known.clear()
    secrets._known.update(before)


def reply(*blocks: Any, raw: Any = None, **more: Any) -> ChatResponse:
    return ChatResponse(message=ChatMessage(role="assistant", blocks=list(blocks)), raw=raw, **more)


def test_no_part_of_a_reply_keeps_the_key() -> None:
    call = ToolCallBlock(tool_call_id=KEY, tool_name=KEY, tool_kwargs={KEY: [KEY, {"a": KEY}]})
    given = reply(TextBlock(text=f"a {KEY}"), call, raw={"id": KEY, "usage": {"x": KEY}}, delta=KEY)
    given.message.additional_kwargs = {"tool_calls": [KEY], "other": KEY}
    given.additional_kwargs = {"thinking_delta": KEY}
    found = received(given)
    assert KEY not in str(found.model_dump()) and found.message.content == "a ***"
    collected = Collected()
    collected.add(found)
    assert KEY.encode() not in encode_reply(collected)


@pytest.mark.parametrize("count", [10**30, -1, 0, float("nan"), "7", None, True, [1], {}, 0.5])
def test_counts_that_cannot_be_are_none(count: Any) -> None:
    found = received(reply(TextBlock(text="x"), raw={"usage": {"prompt_tokens": count, "completion_tokens": 1}}))
    assert usage_of(found).total is None
    found = received(reply(TextBlock(text="x"), raw={"usage": {"prompt_tokens": 1, "completion_tokens": count}}))
    assert usage_of(found).total == (1 if count == 0 and count is not False else None)


@pytest.mark.parametrize("choices", [None, [], {}, {"a": 1}, "x", 7, [None], [7], [{"finish_reason": [1]}]])
def test_choices_of_any_type_have_no_end(choices: Any) -> None:
    assert finish_reason(received(reply(TextBlock(text="x"), raw={"choices": choices}))) is None


def test_a_reason_of_the_server_s_own_is_not_kept() -> None:
    for reason, kept in (("stop", "stop"), ("length", "length"), (KEY, OTHER_REASON), ("\x1b[2J", OTHER_REASON)):
        assert finish_reason(received(reply(TextBlock(text="x"), raw={"choices": [{"finish_reason": reason}]}))) == kept


def test_nesting_beyond_bounds_is_an_unreadable_reply() -> None:
    nested: Any = KEY
    for _ in range(5000):
        nested = [nested]
    with pytest.raises(UNREADABLE):
        received(reply(ToolCallBlock(tool_name="x", tool_kwargs={"a": nested})))


@given(st.lists(st.integers(1, 9), max_size=80), st.sampled_from(sorted(FORMS)), st.text("sk-S \\%&#u0", max_size=9))
def test_a_key_in_pieces_is_never_shown(sizes: list[int], form: str, around: str) -> None:
    """However it is escaped and cut up."""
    text = f"{around}{FORMS[form](KEY)}{around}"
    stream, shown, end = ReceivedStream(), [], 0
    for size in [*sizes, len(text)]:
        end += size
        shown.append(stream.chunk(reply(TextBlock(text=text[:end]))))
    rest = stream.rest()
    shown += [] if rest is None else [rest]
    joined = "".join(chunk.delta or "" for chunk in shown)
    assert joined == shown[-1].message.content
    assert MASK in joined and FORMS[form](KEY)[-9:] not in joined


def test_a_stream_that_drips_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece comes in time, and there is no end to them."""
    monkeypatch.setattr(driver, "CHUNK_TIMES", 2)

    async def drips() -> AsyncGenerator[int, None]:
        while True:
            await asyncio.sleep(0.01)
            yield 1

    async def read() -> int:
        return sum([piece async for piece in within(0.5, drips())])

    with pytest.raises(TimeoutError):
        asyncio.run(read())
