"""What happens around an attempt to reach a server: retries, budgets, the limit on calls in flight, records."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from llama_index.core.base.llms.types import ChatResponse

from clausegraph.core.errors import BudgetExceeded, ModelCallError, ModelUnavailable, NotConnected, UnusableReply
from clausegraph.core.models.calls import Budget, CallRecord, Reservation, Usage, UsageSink
from clausegraph.core.models.loop import in_worker
from clausegraph.core.models.stack import Around, Chat, Collected, ModelCall
from clausegraph.core.telemetry.spans import span

_PER_MESSAGE = 16  # tokens of a chat template around a message
_PER_CALL = 64
_MILLION = 1_000_000


class Tariff:
    """Prices of a million prompt tokens and a million reply tokens, and the longest reply."""

    def __init__(self, price: tuple[float, float] | None, max_output: int) -> None:
        self._price, self._max_output = price, max_output

    def bound(self, call: ModelCall) -> Reservation:
        """What the call can cost at most: no tokenizer makes more tokens than there are bytes."""
        longest = call.options.get("max_tokens")
        return self._charge(prompt_bound(call), longest if isinstance(longest, int) else self._max_output)

    def cost(self, call: ModelCall, reply: Collected) -> Reservation:
        """What an attempt cost: as the server counted; nothing if it refused; at most where it is not known."""
        error = reply.error
        if isinstance(error, NotConnected) or (isinstance(error, ModelCallError) and _refused(error.status or 0)):
            return Reservation(0, 0.0)
        if reply.complete and reply.usage.total is not None:
            return self.of(reply.usage)
        return self.bound(call)

    def of(self, usage: Usage) -> Reservation:
        """The charge of counted tokens."""
        return self._charge(usage.prompt_tokens or 0, usage.output_tokens or 0)

    def _charge(self, prompt: int, output: int) -> Reservation:
        price = self._price or (0.0, 0.0)
        return Reservation(prompt + output, (prompt * price[0] + output * price[1]) / _MILLION)


def _refused(status: int) -> bool:
    """Whether the server itself turned the call away. A proxy's 502 or 504 says nothing of what the model did."""
    return status >= 400 and status not in (502, 504)


def prompt_bound(call: ModelCall) -> int:
    """Tokens that the prompt has at most."""
    shaping = {"response_format": shape} if (shape := call.options.get("response_format")) else None
    texts = [message.content or "" for message in call.messages]
    texts += [json.dumps(shaping, ensure_ascii=False, default=str)] if shaping else []
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return size + _PER_MESSAGE * len(call.messages) + _PER_CALL


def keep_record(record: CallRecord, *sinks: UsageSink | None) -> None:
    """Give the record to those sinks that there are."""
    for sink in sinks:
        if sink is not None:
            sink.record(record)


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
        try:
            yield reply
        finally:
            cost = self._tariff.cost(call, reply)
            call.account.settle(reservation, cost.tokens, cost.money)


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
        try:
            yield reply
        finally:
            await self._settle(reservation, self._tariff.cost(call, reply))

    async def _reserve(self, bound: Reservation) -> Reservation:
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
        await self._settle(reservation, Reservation(0, 0.0))

    async def _settle(self, reservation: Reservation, charge: Reservation) -> None:
        try:
            await in_worker(_WORKER, self._budget.settle, reservation, charge.tokens, charge.money)
        finally:
            self._in_flight -= 1
            self._settled.set()


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
        made = 0
        while True:
            made += 1
            try:
                return await proceed(call)
            except _MAY_PASS as error:
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

    @asynccontextmanager
    async def around(self, call: ModelCall) -> AsyncIterator[Collected]:
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


class Recording(Around):
    """A record and a span. Outcome "ok", "cancelled" (given up half-way) or the name of the error."""

    def __init__(self, usage: UsageSink | None, model: str, tariff: Tariff) -> None:
        self._usage, self._model, self._tariff = usage, model, tariff

    @asynccontextmanager
    async def around(self, call: ModelCall) -> AsyncIterator[Collected]:
        """Measure from the moment the call is sent."""
        reply, started, at = Collected(), time.perf_counter(), time.time()
        labels = call.labels
        attempt = span("model.call", model=self._model, task=labels.task, prompt=labels.prompt, pages=labels.pages)
        attempt = attempt.start()
        try:
            yield reply
        finally:
            error, used = reply.error, reply.usage
            outcome = (
                "ok" if error is None else type(error).__name__ if isinstance(error, ModelCallError) else "cancelled"
            )
            money = self._tariff.cost(call, reply).money
            attempt.set(
                outcome=outcome, prompt_tokens=used.prompt_tokens, output_tokens=used.output_tokens, money=money
            )
            attempt.end(error)
            if not isinstance(error, NotConnected):
                seconds = time.perf_counter() - started
                record = CallRecord(labels, self._model, outcome, used, money, seconds, at)
                keep_record(record, self._usage, call.account)
