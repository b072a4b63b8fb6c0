"""Sets aside what an attempt may cost before it is sent, and settles what it did cost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from core.errors import BudgetExceeded
from core.models.calls import Budget, Reservation
from core.models.loop import in_worker
from core.models.middleware.charge import Charge, Tariff
from core.models.stack import Around, ModelCall, Reading

_WORKER = "ledger"


class Budgeting(Around):
    """An attempt that does not fit waits while others of this process are in flight: they settle for less."""

    def __init__(self, budget: Budget, tariff: Tariff) -> None:
        self._budget, self._tariff = budget, tariff
        self._turn = asyncio.Lock()  # one asks at a time, in order: a large call is not overtaken for ever
        self._settled = asyncio.Event()
        self._in_flight = 0

    @asynccontextmanager
    async def around(self, call: ModelCall) -> AsyncIterator[Reading]:
        """Reserve, then settle."""
        reservation = await self._reserve(self._tariff.bound(call))
        reading = Reading()
        error: BaseException | None = None
        try:
            yield reading
        except BaseException as raised:
            error = raised
            raise
        finally:
            await self._settle(reservation, self._tariff.cost(call, reading, error))

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
                    task.add_done_callback(self._give_back)
                    raise
                else:
                    self._in_flight += 1
                    return reservation

    def _give_back(self, task: asyncio.Task[Reservation]) -> None:
        """A reservation that came after its call was cancelled."""
        if not task.cancelled() and task.exception() is None:
            self._in_flight += 1
            _background(self._settle(task.result(), Charge(0, 0.0)))

    async def _settle(self, reservation: Reservation, charge: Charge) -> None:
        try:
            await in_worker(_WORKER, self._budget.settle, reservation, charge.tokens, charge.money)
        finally:
            self._in_flight -= 1
            self._settled.set()


_running: set[asyncio.Task[None]] = set()  # the loop itself keeps only weak references


def _background(work: object) -> None:
    task = asyncio.ensure_future(work)  # type: ignore[call-overload]
    _running.add(task)
    task.add_done_callback(_running.discard)
