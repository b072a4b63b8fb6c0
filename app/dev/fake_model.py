"""A fake language model that speaks a provider's protocol: it reads the numbered page of a prompt by rules.

One form serves Mistral's clients and OpenAI's: the former insist on ``usage``; an error has the fields of both.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from clausegraph.app.dev.fake_pages import cheap_reading, page_in, rule_lines
from clausegraph.core.hashing import canonical_json, content_hash

CHAT = "/v1/chat/completions"
NO_PAGE = "This is the fake model server: there is no language model here, and no numbered page in the prompt."
_CREATED = 1767225600  # 2026-01-01; a clock would make replies differ
_BYTES_PER_TOKEN = 4


class FakeModel:
    """Replies to chats, and counts them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sums: Counter[str] = Counter()
        self._prompts: set[str] = set()

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Status and reply to a request; a stream as its events."""
        if path != CHAT:
            return 404, error(404, f"the fake has no {path}")
        if not are_messages(body.get("messages")):
            return 422, error(422, "messages must be a list of messages with a role, at least one")
        prompt, identity = prompt_text(body), f"fake{content_hash(canonical_json(body))[:24]}"
        text = _reply(body)
        used = count_tokens(prompt), count_tokens(text)
        with self._lock:
            self._sums.update(requests=1, prompt_tokens=used[0], output_tokens=used[1])
            self._prompts.add(identity)
        usage = {"prompt_tokens": used[0], "completion_tokens": used[1], "total_tokens": sum(used)}
        if body.get("stream") is True:
            return 200, "".join(stream_events(body, identity, text, usage))
        return 200, completion(body, identity, text, usage)

    def counted(self) -> dict[str, int]:
        """Requests that were answered, how many of them were different, and the tokens of prompts and replies."""
        names = ("requests", "prompt_tokens", "output_tokens")
        return {name: self._sums[name] for name in names} | {"distinct_prompts": len(self._prompts)}


def _reply(body: Mapping[str, Any]) -> str:
    page, around = page_in(last_user_text(body)) or (None, "")
    schema = reply_schema(body)
    if page is not None and is_reading(schema):
        return json.dumps(cheap_reading(page, around), ensure_ascii=False)
    if schema is not None:
        return json.dumps({"text": NO_PAGE})
    return NO_PAGE if page is None else rule_lines(page)


def reply_schema(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema that the reply must have; empty where any JSON goes, none where any text does."""
    shape = body.get("response_format") or {}
    if shape.get("type") not in ("json_schema", "json_object"):
        return None
    described = shape.get("json_schema") or {}  # Mistral's client calls the schema so in some versions
    return described.get("schema", described.get("schema_definition")) or {}


def is_reading(schema: Mapping[str, Any] | None) -> bool:
    """Whether it is the schema of a reader's prompt."""
    return {"analysis", "answers"} <= set((schema or {}).get("properties", {}))


def are_messages(value: Any) -> bool:
    """Whether it is a list of messages with a role, at least one."""
    fits = isinstance(value, list) and bool(value)
    return fits and all(isinstance(one, dict) and isinstance(one.get("role"), str) for one in value)


def content_text(content: Any) -> str:
    """The text of a message's content: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def prompt_text(body: Mapping[str, Any]) -> str:
    """The texts of all messages, one after the other: what prompt tokens are counted of."""
    return "".join(content_text(message.get("content")) for message in body["messages"])


def last_user_text(body: Mapping[str, Any]) -> str:
    """The last user message, or nothing."""
    users = (m.get("content") for m in reversed(body["messages"]) if m.get("role") == "user")
    return content_text(next(users, ""))


def count_tokens(text: str, bytes_each: int = _BYTES_PER_TOKEN) -> int:
    """Tokens of a text: its UTF-8 bytes, so many a token, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // bytes_each)


def completion(
    body: Mapping[str, Any], identity: str, text: str, usage: Mapping[str, int], finish: str = "stop"
) -> dict[str, Any]:
    """A whole chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return reply_head(body, identity, "chat.completion") | {"choices": [choice], "usage": usage}


def stream_events(
    body: Mapping[str, Any], identity: str, text: str, usage: Mapping[str, int], finish: str = "stop", chunks: int = 20
) -> Iterator[str]:
    """A chat completion as server-sent events: pieces of the text, then the end with the usage, then ``[DONE]``."""
    head = reply_head(body, identity, "chat.completion.chunk")
    size = max(1, -(-len(text) // chunks))
    pieces = [{"content": text[at : at + size]} for at in range(0, len(text), size)]
    for delta in ({"role": "assistant", "content": ""}, *pieces):
        yield _event(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    last = head | {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": finish}]}
    apart = bool((body.get("stream_options") or {}).get("include_usage"))
    yield _event(last if apart or not usage else last | {"usage": usage})
    if apart and usage:  # as OpenAI sends it when asked: in a chunk without choices
        yield _event(head | {"choices": [], "usage": usage})
    yield "data: [DONE]\n\n"


def _event(value: Mapping[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}\n\n"


def reply_head(body: Mapping[str, Any], identity: str, kind: str) -> dict[str, Any]:
    """What every reply begins with; the model's name always says "fake"."""
    name = str(body.get("model") or "fake-small")
    model = name if name.startswith("fake-") else f"fake-{name}"
    return {"id": identity, "object": kind, "created": _CREATED, "model": model}


def error(status: int, message: str) -> dict[str, Any]:
    """An error as Mistral and as OpenAI write it."""
    described = {"message": message, "type": "invalid_request_error", "param": None, "code": str(status)}
    return {"object": "error"} | described | {"error": described}
