"""What an attempt may cost at most, and what it did cost."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock

from clausegraph.core.errors import ModelCallError, NotConnected
from clausegraph.core.models.calls import CallRecord, Usage, UsageSink
from clausegraph.core.models.replies import Collected, usage_of
from clausegraph.core.models.stack import ModelCall

_PER_MESSAGE = 16  # tokens of a chat template around a message
_PER_CALL = 64
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Charge:
    """Tokens, prompt and reply together, and money."""

    tokens: int
    money: float


class Tariff:
    """Prices of a million prompt tokens and a million reply tokens, and the longest reply."""

    def __init__(self, price: tuple[float, float] | None, max_output: int) -> None:
        self._price, self._max_output = price, max_output

    def bound(self, call: ModelCall) -> Charge:
        """What the call can cost at most: no tokenizer makes more tokens than there are bytes."""
        return self._charge(prompt_bound(call), output_bound(call.options, self._max_output))

    def cost(self, call: ModelCall, reply: Collected, error: BaseException | None) -> Charge:
        """What an attempt cost: as the server counted; nothing if it refused; at most where it is not known."""
        if isinstance(error, NotConnected) or (isinstance(error, ModelCallError) and _refused(error.status or 0)):
            return Charge(0, 0.0)
        if reply.complete and reply.usage.total is not None:
            return self.of(reply.usage)
        return self.bound(call)

    def of(self, usage: Usage) -> Charge:
        """The charge of counted tokens."""
        return self._charge(usage.prompt_tokens or 0, usage.output_tokens or 0)

    def _charge(self, prompt: int, output: int) -> Charge:
        price = self._price or (0.0, 0.0)
        return Charge(prompt + output, (prompt * price[0] + output * price[1]) / _MILLION)


def _refused(status: int) -> bool:
    """Whether the server itself turned the call away. A proxy's 502 or 504 says nothing of what the model did."""
    return status >= 400 and status not in (502, 504)


def prompt_bound(call: ModelCall) -> int:
    """Tokens that the prompt has at most."""
    shaping = {name: call.options[name] for name in ("tools", "response_format") if call.options.get(name)}
    shaped = len(_json(shaping)) if shaping else 0
    return sum(map(_message_bytes, call.messages)) + shaped + _PER_MESSAGE * len(call.messages) + _PER_CALL


def _message_bytes(message: ChatMessage) -> int:
    size = 0
    for block in message.blocks:
        text = block.text if isinstance(block, TextBlock) else block.model_dump_json()
        size += len(text.encode("utf-8", "surrogatepass"))
    return size + (len(_json(message.additional_kwargs)) if message.additional_kwargs else 0)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")


def output_bound(options: Mapping[str, Any], max_output: int) -> int:
    """Tokens that the replies have at most."""
    asked = [options.get(name) for name in ("max_tokens", "max_completion_tokens")]
    longest = max((number for number in asked if isinstance(number, int)), default=max_output)
    choices = options.get("n")
    return longest * (choices if isinstance(choices, int) and choices > 1 else 1)


def cached_record(call: ModelCall, model: str, tariff: Tariff, found: ChatResponse, seconds: float) -> CallRecord:
    """The record of a reply that was paid for already."""
    usage = usage_of(found)
    saved = tariff.of(usage).money
    return CallRecord(call.labels, model, "cached", usage, 0.0, seconds, time.time(), saved)


def keep_record(record: CallRecord, *sinks: UsageSink | None) -> None:
    """Give the record to those sinks that there are."""
    for sink in sinks:
        if sink is not None:
            sink.record(record)
