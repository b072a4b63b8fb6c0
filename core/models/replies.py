"""What is read from a model's reply, the form in which it is stored, and the key that it is stored under."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock

from clausegraph.core.models.calls import ModelCall, Usage

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


def encode_reply(response: ChatResponse) -> bytes:
    """JSON of what the callers of a reply may read: message, usage, finish reason."""
    used = usage_of(response)
    usage = {"prompt_tokens": used.prompt_tokens, "completion_tokens": used.output_tokens}
    message, finish = response.message.model_dump(mode="json"), finish_reason(response)
    value = {"message": message, "usage": usage, "finish_reason": finish}
    return json.dumps(value, separators=(",", ":")).encode()  # ASCII: half a surrogate pair survives as an escape


def decode_reply(value: bytes) -> ChatResponse:
    """The reply that :func:`encode_reply` stored."""
    stored = json.loads(value)
    if not isinstance(stored, dict) or not isinstance(stored.get("usage"), dict):
        raise ValueError("not a stored reply")
    message = ChatMessage.model_validate(stored.get("message"))
    usage = Usage(*(token_count(stored["usage"].get(name)) for name in ("prompt_tokens", "completion_tokens")))
    raw, counts = raw_form(usage, stored.get("finish_reason"))
    return ChatResponse(message=message, raw=raw | {"cached": True}, delta=message.content, additional_kwargs=counts)


def reply_key(fingerprint: str, call: ModelCall) -> str:
    """Hash of model, messages and options."""
    messages = [_plain_message(message) for message in call.messages]
    sent = json.dumps([fingerprint, messages, dict(call.options)], sort_keys=True, default=_plain)
    return sha256(sent.encode()).hexdigest()


def _plain_message(message: ChatMessage) -> list[Any]:
    blocks = [block.text if type(block) is TextBlock else block.model_dump(mode="json") for block in message.blocks]
    return [str(message.role.value), blocks, message.additional_kwargs]


def _plain(value: Any) -> Any:
    """What JSON lacks; an object of which nothing is known never equals another."""
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if dump is not None and not isinstance(value, type) else f"{value!r} {id(value)}"
