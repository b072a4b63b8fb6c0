"""A corpus as a model of a chat: the official client, and what Open WebUI sends, over a real server."""

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionUserMessageParam

from tests.app.api.conftest import Stand
from tests.app.api.serving import Serving

pytestmark = pytest.mark.integration
QUESTION = "Can I get the Warm Home Grant? I am 70."
HISTORY = f"### Chat History:\n<chat_history>\nUSER: {QUESTION}\nASSISTANT: Yes.\n</chat_history>"
TASKS = {
    'Generate a concise, 3-5 word title with an emoji.\n### Output:\nJSON format: { "title": "your title" }': {
        "title": QUESTION
    },
    'Generate 1-3 broad tags.\n### Output:\nJSON format: { "tags": ["tag1", "tag2"] }': {"tags": ["default"]},
    'Suggest 3-5 follow-up questions.\n### Output:\nJSON format: { "follow_ups": ["Question 1?"] }': {"follow_ups": []},
    'Determine the necessity of search queries.\n### Output:\nReturn: { "queries": [] }': {"queries": []},
    'You are an autocompletion system.\n### Output:\nReturn: { "text": "<completion>" }': {"text": ""},
}


def _user(text: str) -> ChatCompletionUserMessageParam:
    return {"role": "user", "content": text}


@pytest.fixture(scope="module")
def client(server: Serving, stand: Stand) -> Iterator[openai.OpenAI]:
    with (
        httpx.Client(trust_env=False) as http,
        openai.OpenAI(
            base_url=f"{server.url}/v1", api_key=stand.tokens["reader", True], max_retries=0, http_client=http
        ) as made,
    ):
        yield made


def test_the_official_client_gets_an_answer_with_its_sources_whole_and_in_a_stream(
    client: openai.OpenAI, server: Serving, stand: Stand
) -> None:
    assert [one.id for one in client.models.list()] == ["default"]
    whole = client.chat.completions.create(model="default", messages=[_user(QUESTION)])
    text = str(whole.choices[0].message.content)
    assert text.startswith("**Yes") and whole.choices[0].finish_reason == "stop" and whole.model == "default"
    link = re.search(r"\[\\\[1\\\]\]\((\S+?)\)", text)
    assert link is not None and link[1].startswith(f"{server.url}/c/default/page?name=") and "#marked" in link[1]
    with server.client(stand.tokens["reader", True]) as console:
        assert '<mark id="marked"' in console.get(link[1]).text
    chunks = list(
        client.chat.completions.create(
            model="default", messages=[_user(QUESTION)], stream=True, stream_options={"include_usage": True}
        )
    )
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices) == text
    assert chunks[-1].usage is not None and chunks[-2].choices[0].finish_reason == "stop"
    kept = httpx.get(f"{server.url}/v1/corpora/default/answers", headers=stand.bearer("reader", True), trust_env=False)
    assert [one["question"] for one in kept.json()["items"]][:2] == ["Can I get the Warm Home Grant?"] * 2
    younger = client.chat.completions.create(
        model="default", messages=[_user("Can I get the Warm Home Grant?"), _user("And if I am 40?")]
    )
    assert str(younger.choices[0].message.content).startswith("**No")


def test_what_is_wrong_is_told_in_words(client: openai.OpenAI, stand: Stand) -> None:
    wrong: list[tuple[dict[str, Any], type[openai.APIStatusError], str]] = [
        ({"model": "nowhere"}, openai.PermissionDeniedError, "is not for corpus 'nowhere'"),
        ({"messages": [{"role": "system", "content": "Be kind."}]}, openai.BadRequestError, "no message of a person"),
        ({"messages": [_user("x" * 10_001)]}, openai.BadRequestError, "shorten"),
        ({"messages": 5}, openai.UnprocessableEntityError, "messages"),
    ]
    for stream in (False, True):
        for given, kind, words in wrong:
            values: dict[str, Any] = {"model": "default", "messages": [_user(QUESTION)], "stream": stream} | given
            with pytest.raises(kind, match=words):
                client.chat.completions.create(**values)
    free = client.with_options(api_key=stand.tokens["reader", False])
    with pytest.raises(openai.NotFoundError, match="no corpus 'nowhere'"):
        free.chat.completions.create(model="nowhere", messages=[_user(QUESTION)])
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="cg_x").models.list()


def _open_webui(client: openai.OpenAI, prompt: str, *, stream: bool) -> str:
    """What Open WebUI shows of a reply to what it sends: a system message, parts, and members of its own."""
    body = {
        "model": "default",
        "stream": stream,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": prompt}]},
        ],
        "temperature": 0.1, "max_completion_tokens": 1000, "chat_id": "x", "metadata": {"task": "x"}, "tools": None,
    }  # fmt: skip
    more = {"stream_options": {"include_usage": True}} if stream else {}
    headers = {"Authorization": f"Bearer {client.api_key}"}
    answer = httpx.post(f"{client.base_url}chat/completions", json=body | more, headers=headers, trust_env=False)
    assert answer.status_code == 200, answer.text
    if not stream:
        return str(answer.json()["choices"][0]["message"]["content"])
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    assert lines.pop() == "[DONE]" and answer.headers["content-type"].startswith("text/event-stream")
    return "".join(one["delta"].get("content", "") for line in lines for one in json.loads(line)["choices"])


@pytest.mark.parametrize("stream", [False, True])
def test_open_webuis_requests_are_answered(client: openai.OpenAI, stream: bool) -> None:
    assert _open_webui(client, QUESTION, stream=stream).startswith("**Yes")
    for task, reply in TASKS.items():
        assert json.loads(_open_webui(client, f"### Task:\n{task}\n{HISTORY}", stream=stream)) == reply
    assert "no other tasks" in _open_webui(client, f"### Task:\nReply with an emoji.\n{HISTORY}", stream=stream)
