"""Replies that were paid for already."""

from __future__ import annotations

import json
import logging
import time
from contextlib import aclosing
from hashlib import sha256
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock

from clausegraph.core.models.calls import ResponseCache, UsageSink
from clausegraph.core.models.loop import in_worker
from clausegraph.core.models.middleware.charge import Tariff, cached_record, keep_record
from clausegraph.core.models.replies import Collected, decode_reply, encode_reply
from clausegraph.core.models.stack import Chat, Chunks, ModelCall, Stream

_log = logging.getLogger(__name__)
_WORKER = "cache"


class Caching:
    """Answers from the cache; stores complete replies. Every cached answer is recorded."""

    def __init__(
        self, cache: ResponseCache, fingerprint: str, model: str, tariff: Tariff, usage: UsageSink | None
    ) -> None:
        self._cache, self._fingerprint = cache, fingerprint
        self._model, self._tariff, self._usage = model, tariff, usage

    async def chat(self, call: ModelCall, proceed: Chat) -> ChatResponse:
        """The stored reply, or a new one, which is stored."""
        key = reply_key(self._fingerprint, call)
        found = await self._find(key, call)
        if found is not None:
            return found
        response = await proceed(call)
        collected = Collected()
        collected.add(response)
        await in_worker(_WORKER, self._put, key, collected)
        return response

    async def stream(self, call: ModelCall, proceed: Stream) -> Chunks:
        """The stored reply as one chunk, or a new one, which is stored when its last chunk has come."""
        key = reply_key(self._fingerprint, call)
        found = await self._find(key, call)
        if found is not None:
            yield found
            return
        collected = Collected()
        async with aclosing(proceed(call)) as chunks:
            async for chunk in chunks:
                collected.add(chunk)
                yield chunk
        if collected.last is not None:
            await in_worker(_WORKER, self._put, key, collected)

    async def forget(self, call: ModelCall) -> None:
        """Drop the reply to a call."""
        await in_worker(_WORKER, self._cache.forget, reply_key(self._fingerprint, call))

    async def _find(self, key: str, call: ModelCall) -> ChatResponse | None:
        started = time.perf_counter()
        value = await in_worker(_WORKER, self._cache.get, key)
        if value is None:
            return None
        try:
            found = decode_reply(value)
        except ValueError:
            _log.warning("a stored reply cannot be read; asking again")
            return None
        seconds = time.perf_counter() - started
        keep_record(cached_record(call, self._model, self._tariff, found, seconds), self._usage, call.account)
        return found

    def _put(self, key: str, collected: Collected) -> None:
        self._cache.put(key, encode_reply(collected))


def reply_key(fingerprint: str, call: ModelCall) -> str:
    """Hash of model, messages and options. Whether the reply is streamed makes no difference."""
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
