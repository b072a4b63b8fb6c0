"""Sets aside and settles what an attempt costs on the account that came with its call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from clausegraph.core.models.middleware.charge import Tariff
from clausegraph.core.models.replies import Collected
from clausegraph.core.models.stack import Around, ModelCall


class Accounting(Around):
    """A call without an account passes; one whose account has no room is not sent."""

    def __init__(self, tariff: Tariff) -> None:
        self._tariff = tariff

    @asynccontextmanager
    async def around(self, call: ModelCall) -> AsyncIterator[Collected]:
        """Reserve, then settle."""
        reply = Collected()
        if call.account is None:
            yield reply
            return
        bound = self._tariff.bound(call)
        reservation = call.account.reserve(bound.tokens, bound.money)
        error: BaseException | None = None
        try:
            yield reply
        except BaseException as raised:
            error = raised
            raise
        finally:
            cost = self._tariff.cost(call, reply, error)
            call.account.settle(reservation, cost.tokens, cost.money)
