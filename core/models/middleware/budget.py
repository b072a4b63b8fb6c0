"""Sets aside what an attempt may cost before it is sent, and settles what it did cost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from clausegraph.core.errors import BudgetExceeded
from clausegraph.core.models.calls import Budget, Reservation
from clausegraph.core.models.loop import in_worker
from clausegraph.core.models.middleware.charge import Charge, Tariff
from clausegraph.core.models.replies import Collected
from clausegraph.core.models.stack import Around, ModelCall

_WORKER = "ledger"


class Budgeting(Around):
    """An attempt that does not fit waits while others of this process are in flight: they settle for less."""

    def __init__(self, budget: Budget, tariff: Tariff) -> None:
        self._budget, self._tariff = budget, tariff
        self._turn = asyncio.Lock()  # one asks at a time, in order: a large call is not overtaken for ever
        self._settled = asyncio.Event()
        self._in_flight = 0

    @asynccontextmanager
    async def around(self, call: ModelCall) -> AsyncIterator[Collected]:
        """Reserve, then settle."""
        reservation = await self._reserve(self._tariff.bound(call))
        reply = Collected()
        error: BaseException | None = None
        try:
            yield reply
        except BaseException as raised:
            error = raised
            raise
        finally:
            await self._settle(reservation, self._tariff.cost(call, reply, error))

    async def _reserve(self, bound: Charge) -> Reservation:
        async with self._turn:
            while True:
                self._settled.clear()
                task = asyncio.ensure_future(in_worker(_WORKER, self._budget.reserve, bound.tokens, bound.money))
                try:
                    reservation = await asyncio.shield(task)
                except BudgetExceeded:
                    if not self._in_flight and not self._settled.is_set():
                        raise
                    await self._settled.wait()
                except asyncio.CancelledError:
                    await self._give_back(task)
                    raise
                else:
                    self._in_flight += 1
                    return reservation

    async def _give_back(self, task: asyncio.Task[Reservation]) -> None:
        """Undo a reservation that is being made for a call that was cancelled meanwhile."""
        try:
            reservation = await asyncio.shield(task)
        except BudgetExceeded:
            return
        self._in_flight += 1
        await self._settle(reservation, Charge(0, 0.0))

    async def _settle(self, reservation: Reservation, charge: Charge) -> None:
        try:
            await in_worker(_WORKER, self._budget.settle, reservation, charge.tokens, charge.money)
        finally:
            self._in_flight -= 1
            self._settled.set()
