"""What is read from a reply, whichever client made it, and its form in the response cache."""

from __future__ import annotations

import json
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ToolCallBlock

from clausegraph.core.errors import ModelUnavailable
from clausegraph.core.models.calls import Usage

OTHER_REASON = "other"
MOST_TOKENS = 10**9  # of one reply; a server that says more cannot be believed
_REASONS = {"stop", "length", "model_length", "tool_calls", "function_call", "content_filter", "error"}


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def token_count(value: Any) -> int | None:
    """A count of tokens that can be one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS else None


def _raw(response: ChatResponse) -> Any:
    """The server's reply: Mistral's streamed events hold it in ``data``."""
    data = _field(response.raw, "data")
    return response.raw if data is None else data


def usage_of(response: ChatResponse) -> Usage:
    """Tokens as the server counted them; none where it did not say, or said what cannot be."""
    usage = _field(_raw(response), "usage") or response.additional_kwargs
    prompt, output = (token_count(_field(usage, name)) for name in ("prompt_tokens", "completion_tokens"))
    return Usage(prompt, output) if prompt else Usage()  # Mistral's client makes zeros of a usage that was not sent


def finish_reason(response: ChatResponse) -> str | None:
    """Why the reply ended: ``stop``, ``length``, ``tool_calls``, ``other``…; none where it was not said."""
    choices = _field(_raw(response), "choices")
    reason = _field(choices[0], "finish_reason") if isinstance(choices, list) and choices else None
    reason = getattr(reason, "value", reason)
    if not isinstance(reason, str):
        return None
    return reason if reason in _REASONS else OTHER_REASON  # a server's own words are kept nowhere


def raw_form(usage: Usage, finish: str | None) -> tuple[dict[str, Any], dict[str, int]]:
    """What stands in place of the server's own reply, and the counts that there are."""
    named = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.output_tokens}
    counts = {name: number for name, number in named.items() if number is not None}
    counts |= {"total_tokens": sum(counts.values())} if len(counts) == 2 else {}
    return {"choices": [{"finish_reason": finish}], "usage": counts}, counts


class Collected:
    """What has come of a reply, a stream's chunks as one; ``complete`` once nothing is missing."""

    def __init__(self) -> None:
        self.complete = False
        self.last: ChatResponse | None = None
        self.usage = Usage()
        self.finish: str | None = None

    def add(self, chunk: ChatResponse) -> None:
        """Take the next chunk, or the only one."""
        self.last = chunk
        found = usage_of(chunk)
        self.usage = found if found.total is not None else self.usage
        self.finish = finish_reason(chunk) or self.finish

    def response(self) -> ChatResponse:
        """The whole reply, as if it had not come in chunks.

        Raises:
            ModelUnavailable: no chunk has come.
        """
        if self.last is None:
            raise ModelUnavailable("the stream ended before its first chunk: there is no reply")
        message = self.last.message
        raw, counts = raw_form(self.usage, self.finish)
        return ChatResponse(message=message, raw=raw, delta=message.content, additional_kwargs=counts)


def encode_reply(reply: Collected) -> bytes:
    """JSON of what the callers of a reply may read: message, usage, finish reason."""
    assert reply.last is not None
    message = reply.last.message
    usage = {"prompt_tokens": reply.usage.prompt_tokens, "completion_tokens": reply.usage.output_tokens}
    value = {"message": message.model_dump(mode="json"), "usage": usage, "finish_reason": reply.finish}
    return json.dumps(value, separators=(",", ":")).encode()  # ASCII: half a surrogate pair survives as an escape


def tool_calls_of(message: ChatMessage) -> list[dict[str, Any]]:
    """The tool calls in OpenAI's form; LlamaIndex reads structured streams only where a message carries it."""
    return [
        {
            "id": block.tool_call_id,
            "type": "function",
            "function": {"name": block.tool_name, "arguments": block.tool_kwargs},
        }
        for block in message.blocks
        if isinstance(block, ToolCallBlock)
    ]


def decode_reply(value: bytes) -> ChatResponse:
    """The reply that :func:`encode_reply` stored.

    Raises:
        ValueError: it is not one.
    """
    stored = json.loads(value)
    if not isinstance(stored, dict) or not isinstance(stored.get("usage"), dict):
        raise ValueError("not a stored reply")
    message = ChatMessage.model_validate(stored.get("message"))
    usage = Usage(*(token_count(stored["usage"].get(name)) for name in ("prompt_tokens", "completion_tokens")))
    raw, counts = raw_form(usage, stored.get("finish_reason"))
    return ChatResponse(message=message, raw=raw | {"cached": True}, delta=message.content, additional_kwargs=counts)
