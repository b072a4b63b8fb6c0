"""Another attempt after a failure that may pass: here and nowhere else."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TypeVar

from llama_index.core.base.llms.types import ChatResponse

from clausegraph.core.errors import ModelCallError, ModelUnavailable, UnusableReply
from clausegraph.core.models.stack import Chat, Chunks, ModelCall, Stream

T = TypeVar("T")

BASE_S = 0.5
CAP_S = 30.0
LONGEST_WAIT_S = 120.0  # a server that asks for more is down for this run

_log = logging.getLogger(__name__)
_MAY_PASS = (ModelUnavailable, UnusableReply)  # a reply that is no reply at all (a proxy's page) passes like an outage


class Retrying:
    """Full jitter: a random share of an exponential delay, so that clients that failed together do not return together.

    See M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
    """

    def __init__(self, attempts: int) -> None:
        self._attempts = attempts

    async def chat(self, call: ModelCall, proceed: Chat) -> ChatResponse:
        """Attempts until there is a reply."""
        return await self.run(lambda: proceed(call))

    async def run(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """The result of the first attempt that succeeds, or the last failure."""
        made = 0
        while True:
            made += 1
            try:
                return await attempt()
            except _MAY_PASS as error:
                pause = self._pause(error, made)
            await asyncio.sleep(pause)

    async def stream(self, call: ModelCall, proceed: Stream) -> Chunks:
        """Attempts until the first chunk; after it, nobody could tell where the second attempt went on."""
        made = 0
        while True:
            made += 1
            begun = False
            try:
                async with aclosing(proceed(call)) as chunks:
                    async for chunk in chunks:
                        begun = True
                        yield chunk
                return
            except _MAY_PASS as error:
                if begun:
                    raise
                pause = self._pause(error, made)
            await asyncio.sleep(pause)

    def _pause(self, error: ModelCallError, made: int) -> float:
        """Seconds to wait; raises the error when it is final."""
        asked = error.retry_after if isinstance(error, ModelUnavailable) else None
        if made >= self._attempts or (asked is not None and asked > LONGEST_WAIT_S):
            raise error
        pause = asked if asked is not None else random.uniform(0, min(CAP_S, BASE_S * 2 ** (made - 1)))
        _log.info("attempt %d of %d failed, next in %.1f s: %s", made, self._attempts, pause, error)
        return pause
