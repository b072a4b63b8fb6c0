"""Replies from a cassette, and onto one."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from weakref import WeakValueDictionary

from llama_index.core.base.llms.types import ChatResponse

from clausegraph.core.errors import ModelCallError
from clausegraph.core.models.calls import UsageSink
from clausegraph.core.models.cassette import Cassette
from clausegraph.core.models.loop import in_worker
from clausegraph.core.models.middleware.cache import reply_key
from clausegraph.core.models.middleware.charge import Tariff, cached_record, keep_record
from clausegraph.core.models.replies import Collected, decode_reply, encode_reply
from clausegraph.core.models.stack import Chat, Chunks, ModelCall, Stream

_WORKER = "cassette"


class Replaying:
    """Answers from the cassette alone; what it lacks is an error. It stands where the client would."""

    def __init__(self, cassette: Cassette, fingerprint: str) -> None:
        self._cassette, self._fingerprint = cassette.for_model(fingerprint), fingerprint

    async def chat(self, call: ModelCall, proceed: Chat) -> ChatResponse:
        """The recorded reply.

        Raises:
            ReplyMissing: there is none.
            ModelCallError: the call failed when it was recorded.
        """
        return self._found(call)

    async def stream(self, call: ModelCall, proceed: Stream) -> Chunks:
        """The recorded reply as one chunk; raises as :meth:`chat`."""
        yield self._found(call)

    def _found(self, call: ModelCall) -> ChatResponse:
        key = reply_key(self._fingerprint, call)
        value = self._cassette.find(key)
        if value is None:
            raise self._cassette.missing(key, call.labels.task, call.labels.prompt)
        return decode_reply(value)


class Taping:
    """Stores complete replies and failed calls on the cassette; replies that it has already are answered from it, and
    count as cached. Of equal chats in flight one is sent, so that what follows from its reply is what a replay asks.
    """

    def __init__(
        self, cassette: Cassette, fingerprint: str, model: str, tariff: Tariff, usage: UsageSink | None
    ) -> None:
        self._cassette, self._fingerprint = cassette.for_model(fingerprint), fingerprint
        self._model, self._tariff, self._usage = model, tariff, usage
        self._in_flight: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def chat(self, call: ModelCall, proceed: Chat) -> ChatResponse:
        """The recorded reply, or a new one, which is recorded."""
        key = reply_key(self._fingerprint, call)
        async with self._in_flight.setdefault(key, asyncio.Lock()):
            return await self._taped(key, call, proceed)

    async def _taped(self, key: str, call: ModelCall, proceed: Chat) -> ChatResponse:
        if (found := self._find(key, call)) is not None:
            return found
        try:
            response = await proceed(call)
        except ModelCallError as error:
            await in_worker(_WORKER, self._cassette.keep_failure, key, call.labels.prompt, error)
            raise
        reply = Collected()
        reply.add(response)
        await self._keep(key, call, reply)
        return response

    async def stream(self, call: ModelCall, proceed: Stream) -> Chunks:
        """The recorded reply as one chunk, or a new one, which is recorded when its last chunk has come."""
        key = reply_key(self._fingerprint, call)
        if (found := self._find(key, call)) is not None:
            yield found
            return
        reply = Collected()
        try:
            async with aclosing(proceed(call)) as chunks:
                async for chunk in chunks:
                    reply.add(chunk)
                    yield chunk
        except ModelCallError as error:
            await in_worker(_WORKER, self._cassette.keep_failure, key, call.labels.prompt, error)
            raise
        if reply.last is not None:
            await self._keep(key, call, reply)

    async def forget(self, call: ModelCall) -> None:
        """Do not answer with the reply to a call again; a replayed run still gets it."""
        await in_worker(_WORKER, self._cassette.forget, reply_key(self._fingerprint, call))

    def _find(self, key: str, call: ModelCall) -> ChatResponse | None:
        value = self._cassette.find(key)
        if value is None:
            return None
        found = decode_reply(value)
        keep_record(cached_record(call, self._model, self._tariff, found, 0.0), self._usage, call.account)
        return found

    async def _keep(self, key: str, call: ModelCall, reply: Collected) -> None:
        await in_worker(_WORKER, self._cassette.keep, key, call.labels.prompt, encode_reply(reply))
