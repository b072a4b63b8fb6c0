"""What the clients have in common: a LlamaIndex model on the model loop, its errors translated, a limit on time.

A reply is put into our own form: all that is left of the server's are texts without secrets, and checked figures.
So it reads the same whether it came now or from the cache, and what is wrong in one shows here, where the drivers'
errors are translated, and not later.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, aclosing, contextmanager
from functools import partial
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ContentBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
)
from llama_index.core.llms.llm import LLM

from clausegraph.core.errors import ModelUnavailable
from clausegraph.core.models.calls import ModelCall, Usage
from clausegraph.core.models.failures import Server
from clausegraph.core.models.loop import close_when_dropped
from clausegraph.core.models.replies import finish_reason, raw_form, usage_of
from clausegraph.core.secrets import mask_reply, safe_length

Errors = Callable[[], AbstractContextManager[None]]


class Driver:
    """A client that calls a LlamaIndex model.

    ``timeout_s`` is for a whole reply, streamed or not. ``whole`` makes of a chunk the message so far. ``says_end``:
    the protocol ends every reply with a finish reason, so a stream without one was cut off.
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
        self._inner, self._errors, self._timeout_s = inner, errors, timeout_s
        self._whole, self._says_end, self._close = whole, says_end, close
        if close is not None:
            close_when_dropped(self, close)

    async def chat(self, call: ModelCall) -> ChatResponse:
        """The reply; streamed from the server where somebody listens."""
        with self._errors():
            async with asyncio.timeout(self._timeout_s):
                if call.listen is not None:
                    try:
                        return await self._heard(call, call.listen)
                    except NotImplementedError:
                        pass  # a model that somebody made, and that only replies whole
                response = await self._inner.achat(list(call.messages), **call.options)
                blocks = ReceivedText().blocks(response.message, whole=True)
                return _reply(blocks, usage_of(response), finish_reason(response))

    async def _heard(self, call: ModelCall, listen: Callable[[str], None]) -> ChatResponse:
        """The reply in the time of one that is sent whole; ``listen`` gets its text as it grows."""
        text, usage, finish = ReceivedText(), Usage(), None
        last: ChatMessage | None = None
        chunks = await self._inner.astream_chat(list(call.messages), **call.options)
        async with aclosing(chunks):
            async for chunk in chunks:
                last = (chunk if self._whole is None else self._whole(chunk)).message
                found = usage_of(chunk)
                usage, finish = found if found.total is not None else usage, finish_reason(chunk) or finish
                listen(_message(text.blocks(last, whole=False)).content or "")
        if last is None:
            raise ModelUnavailable("the stream ended before its first chunk: there is no reply")
        if self._says_end and finish is None:
            raise ModelUnavailable("the stream ended before its finish reason: the reply is cut off")
        reply = _reply(text.blocks(last, whole=True), usage, finish)
        listen(reply.message.content or "")
        return reply

    async def close(self) -> None:
        """Close the connections."""
        if self._close is not None:
            await self._close()


class ReceivedText:
    """The texts of a message that grows, without secrets; the end of a text stays back while one may have begun in it.

    Blocks that are no text are left out: nothing asks a model for such.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[type, int], _Text] = {}

    def blocks(self, message: ChatMessage, *, whole: bool) -> list[ContentBlock]:
        """The message's texts as they are now; ``whole``: nothing more will come."""
        found: list[ContentBlock] = []
        kinds: Counter[type] = Counter()
        for block in message.blocks:
            kinds[type(block)] += 1
            text = self._texts.setdefault((type(block), kinds[type(block)]), _Text())
            if isinstance(block, TextBlock):
                found.append(TextBlock(text=text.grown(block.text, whole=whole)))
            elif isinstance(block, ThinkingBlock):
                content = None if block.content is None else text.grown(block.content, whole=whole)
                found.append(ThinkingBlock(content=content))
        return found


class _Text:
    """One text of a stream, which grows."""

    def __init__(self) -> None:
        self._shown = self._pending = ""
        self._taken = 0

    def grown(self, text: str, *, whole: bool) -> str:
        """What can be shown of it, now that it is ``text``."""
        self._pending = mask_reply(self._pending + text[self._taken :])
        self._taken = len(text)
        safe = len(self._pending) if whole else safe_length(self._pending)
        self._shown += self._pending[:safe]
        self._pending = self._pending[safe:]
        return self._shown


def _message(blocks: list[ContentBlock]) -> ChatMessage:
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=blocks)


def _reply(blocks: list[ContentBlock], usage: Usage, finish: str | None) -> ChatResponse:
    raw, counts = raw_form(usage, finish)
    message = _message(blocks)
    return ChatResponse(message=message, raw=raw, delta=message.content, additional_kwargs=counts)


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
    """The client around a model that somebody else made, its own retries turned off where it has a setting for them."""
    if getattr(llm, "max_retries", 0):
        llm = llm.model_copy(update={"max_retries": 0})
    server = Server(name, str(getattr(llm, "api_base", None) or "its server"), getattr(llm, "api_key", None))
    return Driver(llm, partial(given_errors, server), timeout_s, says_end=False)
