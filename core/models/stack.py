"""A call and the middlewares it passes through on its way to the client."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from llama_index.core.base.llms.types import ChatMessage, ChatResponse

from clausegraph.core.models.calls import Account, CallLabels
from clausegraph.core.models.replies import Collected


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
