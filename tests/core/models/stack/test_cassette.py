"""Recorded and replayed: bit for bit, without a network, and what is missing is named."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage

from clausegraph.core.errors import InputError, ModelUnavailable, NotFoundError, ReplyMissing
from clausegraph.core.models.calls import CallLabels, ModelOptions
from clausegraph.core.models.guard import GuardedLLM, make_llm
from clausegraph.core.models.loop import run_sync
from clausegraph.core.models.replay import Cassette
from tests.core.models.stack.doubles import MemoryCache, Records
from tests.harness.fake_llm import FakeModelServer

pytestmark = pytest.mark.integration

Make = Callable[..., GuardedLLM]
NOWHERE = "http://127.0.0.1:9"  # nobody listens there


def said(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text)]


def recorded(fake: FakeModelServer, path: Path, provider: Any = "openai", attempts: int = 3, **more: Any) -> GuardedLLM:
    options = ModelOptions(
        provider, "fake-small", fake.url, "secret-key", max_output=500, price=(1.0, 1.0), attempts=attempts
    )
    return make_llm(options, cassette=Cassette(path, record=True), **more)


def replayed(path: Path, provider: Any = "openai", usage: Records | None = None, **changes: Any) -> GuardedLLM:
    values: dict[str, Any] = {"max_output": 500, "price": (1.0, 1.0)} | changes
    return make_llm(ModelOptions(provider, "fake-small", NOWHERE, **values), cassette=Cassette(path), usage=usage)


def test_a_run_is_replayed_bit_for_bit(fake: FakeModelServer, provider: str, tmp_path: Path, records: Records) -> None:
    path = tmp_path / "tape.jsonl"
    texts = ["one", "zwei \U0001f600", "three\nlines"]
    with recorded(fake, path, provider) as llm:
        fresh = [llm.chat(said(text), response_format={"type": "json_object"}) for text in texts]
    kept = path.read_bytes()
    with replayed(path, provider, records) as llm:
        again = [llm.chat(said(text), response_format={"type": "json_object"}) for text in texts]
    assert [r.message for r in again] == [r.message for r in fresh]
    assert [r.raw["usage"] for r in again] == [r.raw["usage"] for r in fresh]
    assert [r.outcome for r in records.all] == ["ok"] * 3
    assert sum(r.money for r in records.all) > 0  # as if it were new: a replayed run has the figures of the first
    assert path.read_bytes() == kept
    assert fake.counters()["requests"] == len(texts)


def test_a_cassette_holds_no_prompt_and_no_key(fake: FakeModelServer, tmp_path: Path) -> None:
    fake.set(replies="script", script=["fine"])
    path = tmp_path / "tape.jsonl"
    with recorded(fake, path) as llm:
        llm.chat(said("what the page says"))
    text = path.read_text()
    assert "page" not in text and "secret-key" not in text
    head, line = map(json.loads, text.splitlines())
    assert head == {"cassette": 1, "model": "openai:fake-small|t=0|max=500|json=schema"}
    assert set(line) == {"key", "prompt", "reply"}


def test_what_was_not_recorded_is_named(fake: FakeModelServer, tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    with recorded(fake, path) as llm:
        llm.chat(said("one"))
    with (
        replayed(path) as llm,
        pytest.raises(ReplyMissing, match=r"tape.jsonl has no reply to this call of read.v1 \(task read"),
    ):
        run_sync(llm.send(llm.call(said("two"), {}, CallLabels("read", "read.v1"))))
    with replayed(path, temperature=0.5) as llm, pytest.raises(InputError, match=r"t=0\|.*but .*t=0.5"):
        llm.chat(said("one"))


def test_recording_goes_on_where_it_was_killed(fake: FakeModelServer, tmp_path: Path, records: Records) -> None:
    path = tmp_path / "tape.jsonl"
    with recorded(fake, path) as llm:
        first = llm.chat(said("one"))
    with recorded(fake, path, usage=records) as llm:
        assert llm.chat(said("one")).message == first.message
        llm.chat(said("two"))
    assert records.outcomes == ["cached", "ok"]
    assert fake.counters()["requests"] == 2
    assert len(Cassette(path)) == 2


def test_a_recording_that_was_killed_in_mid_line_goes_on(fake: FakeModelServer, tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    with recorded(fake, path) as llm:
        llm.chat(said("one"))
        llm.chat(said("two"))
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with pytest.raises(InputError, match="line 3: no JSON"):
        Cassette(path)  # a replay lacks a reply, and changes no file
    with recorded(fake, path) as llm:
        llm.chat(said("two"))
    assert (len(Cassette(path)), fake.counters()["requests"]) == (2, 3)
    path.write_bytes(whole[:20])
    with recorded(fake, path) as llm:  # in its first line
        llm.chat(said("one"))
    assert len(Cassette(path)) == 1


def test_of_equal_chats_in_flight_one_is_sent(fake: FakeModelServer, tmp_path: Path, records: Records) -> None:
    fake.set(replies="script", script=["first", "second"])

    async def both(llm: GuardedLLM) -> list[str]:
        found = await asyncio.gather(*(llm.send(llm.call(said("one"), {})) for _ in range(2)))
        return [str(one.message.content) for one in found]

    with recorded(fake, tmp_path / "tape.jsonl", usage=records) as llm:
        assert run_sync(both(llm)) == ["first", "first"]  # a replay has one reply to them, too
    assert (records.outcomes, fake.counters()["requests"]) == (["ok", "cached"], 1)
    assert records.all[1].money == 0 < records.all[1].saved == records.all[0].money


def test_what_the_cache_has_is_recorded_too(fake: FakeModelServer, tmp_path: Path, cache: MemoryCache) -> None:
    with make_llm(ModelOptions("openai", "fake-small", fake.url, "k", max_output=500), cache=cache) as llm:
        llm.chat(said("one"))
    with recorded(fake, tmp_path / "tape.jsonl", cache=cache) as llm:
        llm.chat(said("one"))
    assert fake.counters()["requests"] == 1
    assert len(Cassette(tmp_path / "tape.jsonl")) == 1


def test_a_call_that_failed_fails_when_it_is_replayed_and_is_made_again_when_recording(
    fake: FakeModelServer, tmp_path: Path
) -> None:
    path = tmp_path / "tape.jsonl"
    fake.set(fault="500")
    with recorded(fake, path, attempts=1) as llm, pytest.raises(ModelUnavailable):
        llm.chat(said("what the page says"))
    assert "page says" not in path.read_text()
    with replayed(path) as llm, pytest.raises(ModelUnavailable, match=r"failed when cassette .* was recorded"):
        llm.chat(said("what the page says"))
    fake.set(fault="none")
    with recorded(fake, path, attempts=1) as llm:
        fresh = llm.chat(said("what the page says"))
    with replayed(path) as llm:
        assert llm.chat(said("what the page says")).message == fresh.message


def test_an_unusable_reply_is_replayed_and_not_taken_for_a_call(fake: FakeModelServer, tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    fake.set(replies="script", script=["nonsense", "sense"])
    with recorded(fake, path) as llm:
        llm.chat(said("one"))
        llm.forget(said("one"))
    with replayed(path) as llm:
        assert llm.chat(said("one")).message.content == "nonsense"  # the run went on without it, and does so again
    with recorded(fake, path) as llm:
        assert llm.chat(said("one")).message.content == "sense"
        assert llm.chat(said("one")).message.content == "sense"
    with replayed(path) as llm:
        assert llm.chat(said("one")).message.content == "sense"
    assert fake.counters()["requests"] == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"key": 1}\n', "is no cassette of form 1"),
        ("not json\n", "line 1: no JSON"),
        ('{"cassette":1,"model":"m"}\n{"key":"a"}\n', "line 2: needs a key and a reply"),
    ],
)
def test_a_file_that_is_none_is_told(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "tape.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        Cassette(path)


def test_a_cassette_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no cassette"):
        Cassette(tmp_path / "none.jsonl")
