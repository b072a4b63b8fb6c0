"""One record for each attempt that reached the server."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from core.errors import ModelCallError
from core.models.calls import CallRecord, UsageSink
from core.models.clients.failures import NotConnected
from core.models.loop import in_worker
from core.models.middleware.charge import Tariff
from core.models.stack import Around, ModelCall, Reading


class Recording(Around):
    """Outcome "ok", "cancelled" (given up half-way) or the name of the error."""

    def __init__(self, usage: UsageSink, model: str, tariff: Tariff) -> None:
        self._usage, self._model, self._tariff = usage, model, tariff

    @asynccontextmanager
    async def around(self, call: ModelCall) -> AsyncIterator[Reading]:
        """Measure from the moment the call is sent."""
        reading, started, at = Reading(), time.perf_counter(), time.time()
        error: BaseException | None = None
        try:
            yield reading
        except BaseException as raised:
            error = raised
            raise
        finally:
            if not isinstance(error, NotConnected):
                outcome = "ok" if error is None else _outcome(error)
                money = self._tariff.cost(call, reading, error).money
                seconds = time.perf_counter() - started
                record = CallRecord(call.labels, self._model, outcome, reading.usage, money, seconds, at)
                await in_worker("ledger", self._usage.record, record)


def _outcome(error: BaseException) -> str:
    return type(error).__name__ if isinstance(error, ModelCallError) else "cancelled"
