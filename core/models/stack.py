"""A call, the middlewares it passes through on its way to the client, and what is read from a reply."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, ToolCallBlock

from clausegraph.core.errors import ModelUnavailable
from clausegraph.core.models.calls import Account, CallLabels, Usage

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


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What the server is to be sent, what for, and on whose account beside that of the model.

    ``listen`` gets the text of the reply so far, on the model loop's thread, each time more of it has come from the
    server; an attempt after a failed one begins anew with a shorter text. A reply that is stored already is not told.
    """

    messages: tuple[ChatMessage, ...]
    options: Mapping[str, Any]
    labels: CallLabels
    account: Account | None = None
    listen: Callable[[str], None] | None = None


Chunks = AsyncGenerator[ChatResponse, None]
Chat = Callable[[ModelCall], Awaitable[ChatResponse]]
Stream = Callable[[ModelCall], Chunks]


class ModelClient(Protocol):
    """The end of the stack: sends a call to the server, once."""

    async def chat(self, call: ModelCall) -> ChatResponse:
        """The reply.

        Raises:
            ModelCallError: there is none.
        """

    def stream(self, call: ModelCall) -> Chunks:
        """The reply in chunks, each with the message so far; raises as :meth:`chat`."""

    async def close(self) -> None:
        """Close the connections."""


class Middleware(Protocol):
    """A layer around the rest of the stack."""

    async def chat(self, call: ModelCall, proceed: Chat) -> ChatResponse:
        """Answer, by way of ``proceed`` as a rule."""

    def stream(self, call: ModelCall, proceed: Stream) -> Chunks:
        """As :meth:`chat`, in chunks."""


class Around(ABC):
    """A middleware that does the same before and after a call whether the reply is streamed or not."""

    @abstractmethod
    def around(self, call: ModelCall) -> AbstractAsyncContextManager[Collected]:
        """Entered before the call; it reads the reply off what it yields."""

    async def chat(self, call: ModelCall, proceed: Chat) -> ChatResponse:
        """One reply."""
        async with self.around(call) as reply:
            response = await proceed(call)
            reply.add(response)
            reply.complete = True
            return response

    async def stream(self, call: ModelCall, proceed: Stream) -> Chunks:
        """One reply in chunks; it is complete when the last has come."""
        async with self.around(call) as reply, aclosing(proceed(call)) as chunks:
            async for chunk in chunks:
                reply.add(chunk)
                yield chunk
            reply.complete = True


class Stack:
    """A client behind its middlewares, outermost first."""

    def __init__(self, middlewares: Sequence[Middleware], client: ModelClient) -> None:
        self.client = client
        self.chat: Chat = client.chat
        self.stream: Stream = client.stream
        for middleware in reversed(middlewares):
            self.chat = partial(middleware.chat, proceed=self.chat)
            self.stream = partial(middleware.stream, proceed=self.stream)
