"""What the stack draws on, in memory."""

from __future__ import annotations

import threading

from llama_index.core.base.llms.types import ChatMessage

from clausegraph.core.errors import BudgetExceeded
from clausegraph.core.models.calls import CallRecord, Reservation
from clausegraph.core.models.guard import GuardedLLM
from clausegraph.core.models.loop import run_sync


def asked(llm: GuardedLLM, text: str) -> str:
    """What the model says to one user message."""
    return str(llm.chat([ChatMessage(role="user", content=text)]).message.content)


def heard(llm: GuardedLLM, text: str, pieces: list[str] | None = None) -> str:
    """The same, streamed; ``pieces`` get the text as it grows."""
    call = llm.call([ChatMessage(role="user", content=text)], {}, listen=[].append if pieces is None else pieces.append)
    return str(run_sync(llm.send(call)).message.content)


class Records:
    """A usage sink that keeps everything."""

    def __init__(self) -> None:
        self.all: list[CallRecord] = []

    def record(self, record: CallRecord) -> None:
        assert threading.current_thread() is not threading.main_thread()
        self.all.append(record)

    @property
    def sent(self) -> list[CallRecord]:
        return [record for record in self.all if record.outcome != "cached"]

    @property
    def outcomes(self) -> list[str]:
        return [record.outcome for record in self.all]


class MemoryBudget:
    """A budget that remembers every step."""

    def __init__(self, limit: int = 10**9) -> None:
        self.limit, self.used, self.reserved = limit, 0, 0
        self.reservations: list[Reservation] = []

    def reserve(self, tokens: int, money: float) -> Reservation:
        if self.used + self.reserved + tokens > self.limit:
            raise BudgetExceeded("the test's budget is used up")
        self.reserved += tokens
        self.reservations.append(Reservation(tokens, money))
        return self.reservations[-1]

    def settle(self, reservation: Reservation, tokens: int, money: float) -> None:
        self.reserved -= reservation.tokens
        self.used += tokens


class MemoryCache:
    """A response cache in a dictionary."""

    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.stored.get(key)

    def put(self, key: str, value: bytes) -> None:
        self.stored[key] = value

    def forget(self, key: str) -> None:
        self.stored.pop(key, None)
