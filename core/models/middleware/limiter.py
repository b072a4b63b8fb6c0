"""How many calls are in flight: additive increase, multiplicative decrease."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from clausegraph.core.errors import ModelUnavailable
from clausegraph.core.models.middleware.retry import LONGEST_WAIT_S
from clausegraph.core.models.replies import Collected
from clausegraph.core.models.stack import Around, ModelCall

TOO_MANY = 429


class Limiting(Around):
    """A 429 halves the number of calls in flight, at most once a round, and holds new ones for ``Retry-After``.

    A round is the calls that were in flight at the last halving: their 429s tell nothing new. Every success adds
    1/limit, so a round of successes adds one. The rule is TCP's: D.-M. Chiu and R. Jain, "Analysis of the Increase and
    Decrease Algorithms for Congestion Avoidance in Computer Networks", 1989.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.limit = float(most)
        self._in_flight = 0
        self._round = 0
        self._open_at = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def around(self, call: ModelCall) -> AbstractAsyncContextManager[Collected]:
        """A slot for the call."""
        return self.slot()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[Collected]:
        """Hold one of the places in flight."""
        await self._enter()
        started_in = self._round
        try:
            yield Collected()
            self.limit = min(float(self._most), self.limit + 1 / self.limit)
        except ModelUnavailable as error:
            if error.status == TOO_MANY:
                self._too_many(started_in, error.retry_after)
            raise
        finally:
            self._in_flight -= 1
            self._admit()

    def _too_many(self, started_in: int, retry_after: float | None) -> None:
        if started_in == self._round:
            self.limit = max(1.0, min(self.limit, self._in_flight) / 2)
            self._round += 1
        if retry_after is not None and retry_after <= LONGEST_WAIT_S:
            self._open_at = max(self._open_at, asyncio.get_running_loop().time() + retry_after)

    async def _enter(self) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # admitted and cancelled in the same moment
                self._in_flight -= 1
                self._admit()
            raise

    def _admit(self) -> None:
        """Let in who waits, in order, while there is room and the server did not ask for a pause."""
        loop = asyncio.get_running_loop()
        if self._waiting and loop.time() < self._open_at:
            if self._timer is None or self._timer.when() < self._open_at:
                self._timer = loop.call_at(self._open_at, self._admit)
            return
        while self._waiting and self._in_flight < max(1, int(self.limit)):
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_flight += 1
                turn.set_result(None)
