"""What the clients have in common: a LlamaIndex model on the model loop, its errors translated, a limit on time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AbstractContextManager, aclosing
from dataclasses import replace
from typing import Any, TypeVar

from llama_index.core.base.llms.types import ChatResponse
from llama_index.core.llms.llm import LLM

from clausegraph.core.errors import ModelUnavailable
from clausegraph.core.models.clients.received import ReceivedStream, received
from clausegraph.core.models.loop import close_when_dropped
from clausegraph.core.models.replies import Collected
from clausegraph.core.models.stack import Chunks, ModelCall

T = TypeVar("T")
CHUNK_TIMES = 10  # a streamed reply may take as many times what a chunk may: a server that drips is given up
Errors = Callable[[], AbstractContextManager[None]]


class Driver:
    """A client that calls a LlamaIndex model.

    ``timeout_s`` is for a whole reply, or for each chunk of a streamed one, which may take ten times as long in all.
    ``says_end``: the protocol ends every
    reply with a finish reason, so a stream without one was cut off.
    """

    def __init__(
        self,
        inner: LLM,
        errors: Errors,
        timeout_s: float,
        *,
        whole: Callable[[ChatResponse], ChatResponse] | None = None,
        says_end: bool = True,
        close: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        self.inner = inner
        self._errors, self._timeout_s = errors, timeout_s
        self._whole, self._says_end, self._close = whole, says_end, close
        if close is not None:
            close_when_dropped(self, close)

    async def chat(self, call: ModelCall) -> ChatResponse:
        """The reply; streamed from the server where somebody listens."""
        if call.listen is not None:
            return await self._heard(call, call.listen)
        with self._errors():
            async with asyncio.timeout(self._timeout_s):
                return received(await self.inner.achat(list(call.messages), **call.options))

    async def _heard(self, call: ModelCall, listen: Callable[[str], None]) -> ChatResponse:
        """The reply, in the same time as one that is sent whole; ``listen`` gets its text as it grows."""
        collected = Collected()
        with self._errors():
            try:
                async with asyncio.timeout(self._timeout_s), aclosing(self.stream(call)) as chunks:
                    async for chunk in chunks:
                        collected.add(chunk)
                        listen(chunk.message.content or "")
            except NotImplementedError:  # a model that somebody made, and that only replies whole
                return await self.chat(replace(call, listen=None))
        return collected.response()

    async def stream(self, call: ModelCall) -> Chunks:
        """The reply in chunks."""
        collected, stream = Collected(), ReceivedStream()
        with self._errors():
            async with asyncio.timeout(self._timeout_s):
                chunks = await self.inner.astream_chat(list(call.messages), **call.options)
            async with aclosing(within(self._timeout_s, chunks)) as timed:
                async for chunk in timed:
                    found = stream.chunk(chunk if self._whole is None else self._whole(chunk))
                    collected.add(found)
                    yield found
            if (rest := stream.rest()) is not None:
                yield rest
        if self._says_end and collected.finish is None:
            raise ModelUnavailable("the stream ended before its finish reason: the reply is cut off")

    async def close(self) -> None:
        """Close the connections."""
        if self._close is not None:
            await self._close()


async def within(timeout_s: float, chunks: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    """The same chunks; each must come in time, and all together in ``CHUNK_TIMES`` that; the consumer's time aside."""
    left = CHUNK_TIMES * timeout_s
    async with aclosing(chunks):
        while True:
            began = time.monotonic()
            async with asyncio.timeout(min(timeout_s, left)):
                try:
                    chunk = await anext(chunks)
                except StopAsyncIteration:
                    return
            left -= time.monotonic() - began
            yield chunk
