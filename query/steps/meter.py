"""What one question has asked of models, and what it may ask."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass

from clausegraph.core.errors import BudgetExceeded
from clausegraph.core.models.calls import CallRecord, Reservation

MOST_CALLS = 14


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """What a question may use at most; none means no limit of its own. Money as in ``llm_prices``."""

    calls: int = MOST_CALLS
    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True, slots=True)
class QuestionUsage:
    """What a question used; ``tasks`` has the calls by prompt's task.

    ``cached`` calls cost no ``money``: they would have cost what is ``saved``.
    """

    calls: int
    cached: int
    prompt_tokens: int
    output_tokens: int
    money: float
    saved: float
    seconds: float
    tasks: dict[str, int]


class QuestionMeter:
    """An ``Account`` for one question: made for it, and gone with it. Threads may share it."""

    def __init__(self, limits: QuestionLimits = QuestionLimits()) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._tasks: Counter[str] = Counter()
        self._tokens, self._money = 0, 0.0  # used or set aside
        self._records: list[CallRecord] = []

    @property
    def calls_left(self) -> int:
        """Calls that may still be made, whatever the tokens say."""
        with self._lock:
            return self._limits.calls - self._tasks.total()

    def begin(self, task: str) -> None:
        """Count a call, before it is sent.

        Raises:
            BudgetExceeded: the question has made all its calls.
        """
        with self._lock:
            if self._tasks.total() >= self._limits.calls:
                raise BudgetExceeded(
                    f"the question has made its {self._limits.calls} calls of a model; that for {task!r} was not made"
                )
            self._tasks[task] += 1

    def reserve(self, tokens: int, money: float) -> Reservation:
        """Set aside what an attempt may use at most.

        Raises:
            BudgetExceeded: the question's limit leaves no room for it.
        """
        with self._lock:
            for name, wanted, used, limit in (
                ("tokens", tokens, self._tokens, self._limits.tokens),
                ("money", money, self._money, self._limits.money),
            ):
                if limit is not None and used + wanted > limit:
                    raise BudgetExceeded(
                        f"the question may use {limit:g} of {name} and has used {used:g}; a call that may need "
                        f"{wanted:g} was not sent"
                    )
            self._tokens, self._money = self._tokens + tokens, self._money + money
        return Reservation(tokens, money)

    def settle(self, reservation: Reservation, tokens: int, money: float) -> None:
        """Replace a reservation by what was used."""
        with self._lock:
            self._tokens += tokens - reservation.tokens
            self._money += money - reservation.money

    def record(self, record: CallRecord) -> None:
        """Keep the record of an attempt or of a cached reply."""
        with self._lock:
            self._records.append(record)

    def usage(self) -> QuestionUsage:
        """What was used until now; tokens as far as servers counted them."""
        with self._lock:
            return QuestionUsage(
                calls=self._tasks.total(),
                cached=sum(record.outcome == "cached" for record in self._records),
                prompt_tokens=sum(record.usage.prompt_tokens or 0 for record in self._records),
                output_tokens=sum(record.usage.output_tokens or 0 for record in self._records),
                money=sum(record.money for record in self._records),
                saved=sum(record.saved for record in self._records),
                seconds=sum(record.seconds for record in self._records),
                tasks=dict(self._tasks),
            )
