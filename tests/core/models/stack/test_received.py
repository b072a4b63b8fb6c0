"""What is left of a driver's reply: texts without secrets, and figures that can be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock, ToolCallBlock

from clausegraph.core import secrets
from clausegraph.core.models.driver import ReceivedText, _reply
from clausegraph.core.models.failures import Server
from clausegraph.core.models.replies import OTHER_REASON, encode_reply, finish_reason, usage_of
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


def received(given: ChatResponse) -> ChatResponse:
    return _reply(ReceivedText().blocks(given.message, whole=True), usage_of(given), finish_reason(given))


def test_no_part_of_a_reply_keeps_the_key() -> None:
    call = ToolCallBlock(tool_call_id=KEY, tool_name=KEY, tool_kwargs={KEY: [KEY, {"a": KEY}]})
    given = reply(TextBlock(text=f"a {KEY}"), call, raw={"id": KEY, "usage": {"x": KEY}}, delta=KEY)
    given.message.additional_kwargs = {"tool_calls": [KEY], "other": KEY}
    given.additional_kwargs = {"thinking_delta": KEY}
    found = received(given)
    assert KEY not in str(found.model_dump()) and found.message.content == "a ***"
    assert KEY.encode() not in encode_reply(found)


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


@given(st.lists(st.integers(1, 9), max_size=80), st.sampled_from(sorted(FORMS)), st.text("sk-S \\%&#u0", max_size=9))
def test_a_key_in_pieces_is_never_shown(sizes: list[int], form: str, around: str) -> None:
    """However it is escaped and cut up."""
    text = f"{around}{FORMS[form](KEY)}{around}"
    stream, shown, end = ReceivedText(), list[str](), 0
    for size in [*sizes, len(text)]:
        end += size
        shown.append(str(ChatMessage(blocks=stream.blocks(grown(text[:end]), whole=False)).content or ""))
    shown.append(str(ChatMessage(blocks=stream.blocks(grown(text), whole=True)).content))
    assert all(after.startswith(before) for before, after in pairwise(shown))
    assert MASK in shown[-1] and not any(FORMS[form](KEY)[-9:] in one for one in shown)


def grown(text: str) -> ChatMessage:
    return ChatMessage(role="assistant", blocks=[TextBlock(text=text)])
