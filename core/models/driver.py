"""What the clients have in common: a LlamaIndex model on the model loop, its errors translated, a limit on time.

A reply is put into our own form: all that is left of the server's are texts without secrets, and checked figures.
So it reads the same whether it came now or from the cache, and what is wrong in one shows here, where the drivers'
errors are translated, and not later.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, aclosing, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ContentBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.llms.llm import LLM

from clausegraph.core.errors import ModelUnavailable
from clausegraph.core.models.failures import Server
from clausegraph.core.models.loop import close_when_dropped
from clausegraph.core.models.stack import Chunks, Collected, ModelCall, finish_reason, raw_form, tool_calls_of, usage_of
from clausegraph.core.secrets import mask_reply, safe_length


def received(response: ChatResponse) -> ChatResponse:
    """A whole reply.

    Raises:
        TypeError, ValueError, RecursionError: it is none, as drivers' own errors say.
    """
    message = _message([_clean(block, mask_reply) for block in response.message.blocks], response.message)
    return _response(response, message, message.content)


class ReceivedStream:
    """Makes each chunk of one streamed reply such a reply: the message so far, and what is new in it.

    The end of a text stays back while a secret may have begun in it.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[str, int], _Text] = {}
        self._delta = ""
        self._last: ChatResponse | None = None

    def chunk(self, response: ChatResponse) -> ChatResponse:
        """The next chunk; errors as of :func:`received`."""
        self._last = response
        return self._shown(response, whole=False)

    def rest(self) -> ChatResponse | None:
        """What was kept back at the end, as a chunk of its own; none where nothing was."""
        if self._last is None or not any(text.pending for text in self._texts.values()):
            return None
        return self._shown(self._last, whole=True)

    def _shown(self, response: ChatResponse, *, whole: bool) -> ChatResponse:
        blocks: list[ContentBlock] = []
        delta = ""
        kinds: Counter[str] = Counter()
        for block in response.message.blocks:
            kinds[block.block_type] += 1
            text = self._texts.setdefault((block.block_type, kinds[block.block_type]), _Text())
            before = len(text.shown)
            blocks.append(_clean(block, lambda new, text=text: text.grown(new, whole=whole)))
            delta += text.shown[before:] if isinstance(block, TextBlock) else ""
        return _response(response, _message(blocks, response.message), delta)


class _Text:
    """One text of a stream, which grows."""

    def __init__(self) -> None:
        self.shown = self.pending = ""
        self._taken = 0

    def grown(self, text: str, *, whole: bool) -> str:
        """What can be shown of it, now that it is ``text``."""
        self.pending = mask_reply(self.pending + text[self._taken :])
        self._taken = len(text)
        safe = len(self.pending) if whole else safe_length(self.pending)
        self.shown += self.pending[:safe]
        self.pending = self.pending[safe:]
        return self.shown


def _clean(block: ContentBlock, clean: Any) -> ContentBlock:
    """A block with its texts cleaned; of the kinds that no text model sends, as it is."""
    match block:
        case TextBlock():
            return TextBlock(text=clean(block.text))
        case ThinkingBlock():
            return ThinkingBlock(content=None if block.content is None else clean(block.content))
        case ToolCallBlock():
            arguments = block.tool_kwargs
            return ToolCallBlock(
                tool_call_id=None if block.tool_call_id is None else mask_reply(block.tool_call_id),
                tool_name=mask_reply(block.tool_name),
                tool_kwargs=clean(arguments) if isinstance(arguments, str) else _masked(arguments),
            )
    return block


def _masked(value: Any) -> Any:
    """JSON values with every text masked."""
    if isinstance(value, str):
        return mask_reply(value)
    if isinstance(value, dict):
        return {_masked(key): _masked(item) for key, item in value.items()}
    return [_masked(item) for item in value] if isinstance(value, list) else value


def _message(blocks: list[ContentBlock], given: ChatMessage) -> ChatMessage:
    message = ChatMessage(role=MessageRole.ASSISTANT, blocks=blocks)
    if given.additional_kwargs.get("tool_calls"):
        message.additional_kwargs["tool_calls"] = tool_calls_of(message)  # they were the driver's objects
    return message


def _response(given: ChatResponse, message: ChatMessage, delta: str | None) -> ChatResponse:
    raw, counts = raw_form(usage_of(given), finish_reason(given))
    return ChatResponse(message=message, raw=raw, delta=delta, additional_kwargs=counts)


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


_TRANSPORT = {"TransportError", "APIConnectionError", "NetworkError"}


@contextmanager
def given_errors(server: Server) -> Iterator[None]:
    """Translate what can be told of an unknown driver's errors: an HTTP status, or a broken connection."""
    try:
        yield
    except (TimeoutError, ConnectionError) as error:
        raise server.failed_on_the_way(error) from None
    except Exception as error:
        status = getattr(error, "status_code", None)
        if isinstance(status, int) and status >= 400:
            headers = getattr(error, "headers", None) or getattr(getattr(error, "response", None), "headers", {})
            raise server.failed_with(status, headers, str(error)) from None
        if {kind.__name__ for kind in type(error).__mro__} & _TRANSPORT:
            raise server.failed_on_the_way(error) from None
        raise


def given_client(llm: LLM, name: str, timeout_s: float) -> Driver:
    """The client around a model. Its own retries are turned off where it has the usual setting for them."""
    if getattr(llm, "max_retries", 0):
        llm = llm.model_copy(update={"max_retries": 0})
    server = Server(name, str(getattr(llm, "api_base", None) or "its server"), getattr(llm, "api_key", None))
    return Driver(llm, partial(given_errors, server), timeout_s, says_end=False)
