"""What surrounds an attempt to reach a server: its price, its budget, its place among the calls in flight."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from llama_index.core.base.llms.types import ChatResponse

from clausegraph.core.errors import BudgetExceeded, ModelCallError, ModelUnavailable, NotConnected
from clausegraph.core.models.calls import Account, Budget, ModelCall, Reservation, Usage
from clausegraph.core.models.loop import in_worker
from clausegraph.core.models.replies import usage_of

LONGEST_WAIT_S = 120.0  # a server that asks for more is down for this run
_PER_MESSAGE = 16  # tokens of a chat template around a message
_PER_CALL = 64
_MILLION = 1_000_000
_NOTHING = Reservation(0, 0.0)
_WORKER = "ledger"
_TOO_MANY = 429


@dataclass(slots=True)
class CallResult:
    """What has come of a call that is on its way; nothing was spent before it is sent."""

    response: ChatResponse | None = None
    cost: Reservation = _NOTHING


class Tariff:
    """Prices of a million prompt tokens and a million reply tokens, and the longest reply."""

    def __init__(self, price: tuple[float, float] | None, max_output: int) -> None:
        self._price, self._max_output = price or (0.0, 0.0), max_output

    def bound(self, call: ModelCall) -> Reservation:
        """What the call can cost at most: no tokenizer makes more tokens than there are bytes."""
        longest = call.options.get("max_tokens")
        return self._charge(prompt_bound(call), longest if isinstance(longest, int) else self._max_output)

    def cost(self, call: ModelCall, response: ChatResponse | None, error: BaseException | None) -> Reservation:
        """What an attempt cost: as the server counted; nothing if it refused; at most where it is not known."""
        if isinstance(error, NotConnected) or (isinstance(error, ModelCallError) and _refused(error.status or 0)):
            return _NOTHING
        used = usage_of(response) if response is not None else Usage()
        return self.of(used) if used.total is not None else self.bound(call)

    def of(self, usage: Usage) -> Reservation:
        """The charge of counted tokens."""
        return self._charge(usage.prompt_tokens or 0, usage.output_tokens or 0)

    def _charge(self, prompt: int, output: int) -> Reservation:
        return Reservation(prompt + output, (prompt * self._price[0] + output * self._price[1]) / _MILLION)


def _refused(status: int) -> bool:
    """Whether the server itself turned the call away. A proxy's 502 or 504 says nothing of what the model did."""
    return status >= 400 and status not in (502, 504)


def prompt_bound(call: ModelCall) -> int:
    """Tokens that the prompt has at most."""
    texts = [message.content or "" for message in call.messages]
    if shape := call.options.get("response_format"):
        texts.append(json.dumps({"response_format": shape}, ensure_ascii=False, default=str))
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return size + _PER_MESSAGE * len(call.messages) + _PER_CALL


@contextmanager
def on_account(account: Account, bound: Reservation, result: CallResult) -> Iterator[None]:
    """Reserve on an account, then settle what the attempt cost."""
    reservation = account.reserve(bound.tokens, bound.money)
    try:
        yield
    finally:
        account.settle(reservation, result.cost.tokens, result.cost.money)


class WaitingBudget:
    """A budget for which an attempt waits while others of this process are in flight: they settle for less."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._turn = asyncio.Lock()  # one asks at a time, in order: a large call is not overtaken for ever
        self._settled = asyncio.Event()
        self._in_flight = 0

    @asynccontextmanager
    async def reserved(self, bound: Reservation, result: CallResult) -> AsyncIterator[None]:
        """Reserve, then settle what the attempt cost."""
        reservation = await self._reserve(bound)
        try:
            yield
        finally:
            await self._settle(reservation, result.cost)

    async def _reserve(self, bound: Reservation) -> Reservation:
        async with self._turn:
            while True:
                self._settled.clear()
                asking = asyncio.ensure_future(in_worker(_WORKER, self._budget.reserve, bound.tokens, bound.money))
                try:
                    reservation = await asyncio.shield(asking)
                except BudgetExceeded:
                    if not self._in_flight and not self._settled.is_set():
                        raise
                    await self._settled.wait()
                except asyncio.CancelledError:
                    [made] = await asyncio.gather(asking, return_exceptions=True)
                    if isinstance(made, Reservation):
                        self._in_flight += 1
                        await self._settle(made, _NOTHING)
                    raise
                else:
                    self._in_flight += 1
                    return reservation

    async def _settle(self, reservation: Reservation, cost: Reservation) -> None:
        try:
            await in_worker(_WORKER, self._budget.settle, reservation, cost.tokens, cost.money)
        finally:
            self._in_flight -= 1
            self._settled.set()


class Limiter:
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
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for one of the places in flight, and hold it."""
        while True:
            if (pause := self._open_at - time.monotonic()) > 0:
                await asyncio.sleep(pause)
            elif self._in_flight < max(1, int(self.limit)):
                break
            else:
                self._changed.clear()
                await self._changed.wait()
        self._in_flight += 1
        started_in = self._round
        try:
            yield
            self.limit = min(float(self._most), self.limit + 1 / self.limit)
        except ModelUnavailable as error:
            if error.status == _TOO_MANY:
                self._too_many(started_in, error.retry_after or 0.0)
            raise
        finally:
            self._in_flight -= 1
            self._changed.set()

    def _too_many(self, started_in: int, retry_after: float) -> None:
        if started_in == self._round:
            self.limit = max(1.0, min(self.limit, self._in_flight) / 2)
            self._round += 1
        if retry_after <= LONGEST_WAIT_S:
            self._open_at = max(self._open_at, time.monotonic() + retry_after)
