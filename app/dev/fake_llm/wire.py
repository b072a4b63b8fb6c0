"""The provider's JSON: completions, chunks of a stream, embeddings, models and errors.

One form serves both clients. The Mistral client insists on ``usage`` being there, so a reply without usage has an
empty one; an error carries Mistral's fields and, under ``error``, OpenAI's.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clausegraph.app.dev.fake_llm.replies import Reply
    from clausegraph.core.models.embedding import Vectors

MODELS = ("fake-small", "fake-large", "fake-embed")
_CREATED = 1767225600  # 2026-01-01; a clock would make replies differ
_KINDS = {
    400: ("invalid_request_error", "3000"),
    401: ("unauthorized", "1000"),
    404: ("not_found", "1001"),
    422: ("invalid_request_error", "3001"),
    429: ("rate_limited", "1300"),
    500: ("internal_server_error", "1100"),
    503: ("service_unavailable", "1101"),
}


def packed(value: Any) -> bytes:
    """A value as JSON bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def shown_model(body: dict[str, Any]) -> str:
    """The model's name as replies give it: always one that says "fake"."""
    name = str(body.get("model") or "fake-small")
    return name if name.startswith("fake-") else f"fake-{name}"


def usage_of(prompt_tokens: int, output_tokens: int, told: bool) -> dict[str, int]:
    """Tokens as a reply reports them; empty where it does not."""
    if not told:
        return {}
    total = prompt_tokens + output_tokens
    return {"prompt_tokens": prompt_tokens, "completion_tokens": output_tokens, "total_tokens": total}


def completion(body: dict[str, Any], identity: str, reply: Reply, usage: dict[str, int]) -> bytes:
    """A whole chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.tool is not None:
        message = {"role": "assistant", "content": "", "tool_calls": [_tool_call(identity, reply)]}
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    return packed(_head(body, identity, "chat.completion") | {"choices": [choice], "usage": usage})


def stream_events(
    body: dict[str, Any], identity: str, reply: Reply, usage: dict[str, int], chunks: int
) -> Iterator[bytes]:
    """A chat completion as server-sent events: pieces of the text, then the end with the usage, then ``[DONE]``."""
    head = _head(body, identity, "chat.completion.chunk")
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if reply.tool is None:
        size = max(1, -(-len(reply.text) // chunks))
        deltas += [{"content": reply.text[at : at + size]} for at in range(0, len(reply.text), size)]
    else:
        deltas.append({"content": "", "tool_calls": [_tool_call(identity, reply)]})
    for delta in deltas:
        yield _event(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    last = head | {"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": _finish(reply)}]}
    apart = bool((body.get("stream_options") or {}).get("include_usage"))
    yield _event(last if apart or not usage else last | {"usage": usage})
    if apart and usage:  # as OpenAI sends it when asked: in a chunk without choices
        yield _event(head | {"choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def streamed_text(event: bytes) -> str:
    """The piece of text in an event of a chat completion; empty where it has none."""
    data = event.removeprefix(b"data: ").strip()
    choices = json.loads(data)["choices"] if data.startswith(b"{") else []
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def embeddings(body: dict[str, Any], identity: str, vectors: Vectors, usage: dict[str, int]) -> bytes:
    """Embeddings as lists of numbers, or in base64 (little-endian float32) where the request says so."""
    coded = body.get("encoding_format") == "base64"
    data = [
        {
            "object": "embedding",
            "index": index,
            "embedding": base64.b64encode(row.astype("<f4").tobytes()).decode() if coded else row.tolist(),
        }
        for index, row in enumerate(vectors)
    ]
    return packed({"id": identity, "object": "list", "model": shown_model(body), "data": data, "usage": usage})


def models(names: Sequence[str]) -> bytes:
    """The list of models."""
    abilities = {"completion_chat": True, "function_calling": True}
    common = {"object": "model", "created": _CREATED, "owned_by": "fake", "type": "base", "capabilities": abilities}
    return packed({"object": "list", "data": [{"id": name} | common for name in names]})


def error(status: int, message: str) -> bytes:
    """An error as Mistral and as OpenAI write it."""
    kind, code = _KINDS.get(status, ("error", str(status)))
    described = {"message": message, "type": kind, "param": None, "code": code}
    return packed({"object": "error"} | described | {"error": described})


def _head(body: dict[str, Any], identity: str, kind: str) -> dict[str, Any]:
    return {"id": identity, "object": kind, "created": _CREATED, "model": shown_model(body)}


def _finish(reply: Reply) -> str:
    if reply.cut_off:
        return "length"
    return "stop" if reply.tool is None else "tool_calls"


def _tool_call(identity: str, reply: Reply) -> dict[str, Any]:
    function = {"name": reply.tool, "arguments": reply.text}
    return {"id": identity[-9:], "type": "function", "index": 0, "function": function}


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + packed(value) + b"\n\n"
