"""What is read from a reply, whichever client made it, and its form in the response cache."""

from __future__ import annotations

import json
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ToolCallBlock

from clausegraph.core.models.calls import Usage


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _raw(response: ChatResponse) -> Any:
    """The server's reply: Mistral's streamed events hold it in ``data``."""
    data = _field(response.raw, "data")
    return response.raw if data is None else data


def usage_of(response: ChatResponse) -> Usage:
    """Tokens as the server counted them; none where it did not say."""
    usage = _field(_raw(response), "usage") or response.additional_kwargs
    prompt, output = _field(usage, "prompt_tokens"), _field(usage, "completion_tokens")
    if not isinstance(prompt, int) or prompt <= 0:  # Mistral's client makes zeros of a usage that was not sent
        return Usage()
    return Usage(prompt, output if isinstance(output, int) and output >= 0 else None)


def finish_reason(response: ChatResponse) -> str | None:
    """Why the reply ended: ``stop``, ``length``, ``tool_calls``; none where it was not said."""
    choices = _field(_raw(response), "choices")
    reason = _field(choices[0], "finish_reason") if choices else None
    return None if reason is None else str(getattr(reason, "value", reason))


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


def encode_reply(reply: Collected) -> bytes:
    """JSON of what the callers of a reply may read: message, usage, finish reason."""
    assert reply.last is not None
    message = reply.last.message
    extra = dict(message.additional_kwargs)
    if extra.get("tool_calls"):
        extra["tool_calls"] = tool_calls_of(message)  # they were the driver's objects
    kept = ChatMessage(role=message.role, blocks=message.blocks, additional_kwargs=extra)
    usage = {"prompt_tokens": reply.usage.prompt_tokens, "completion_tokens": reply.usage.output_tokens}
    value = {"message": kept.model_dump(mode="json"), "usage": usage, "finish_reason": reply.finish}
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
    counts = {name: number for name, number in stored["usage"].items() if number is not None}
    total = {"total_tokens": sum(counts.values())} if len(counts) == 2 else {}
    raw = {"choices": [{"finish_reason": stored.get("finish_reason")}], "usage": counts | total, "cached": True}
    return ChatResponse(message=message, raw=raw, delta=message.content, additional_kwargs=counts | total)
