"""What a run may use of models, and what it has used: a budget row that all its processes draw on, and call records."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import case, func, insert, select, update

from clausegraph.core.errors import BudgetExceeded, StorageError
from clausegraph.core.models.calls import CallRecord, Reservation
from clausegraph.indexes.ledger.dialect import insert_new
from clausegraph.indexes.ledger.schema import budgets, model_calls
from clausegraph.indexes.ledger.store import Ledger

_CENT = 1e-9  # sums of floats miss a limit by less


class LedgerBudget:
    """A ``Budget``, which documents the methods, in the ledger, made by the first process of a run that asks, with its
    limits, and shared.

    What a killed process had reserved stays reserved: it may have been used.
    """

    def __init__(
        self, ledger: Ledger, corpus_id: int, run_id: str, limit_tokens: int | None, limit_money: float | None
    ) -> None:
        self._ledger, self._run_id = ledger, run_id
        values = {"run_id": run_id, "corpus_id": corpus_id, "limit_tokens": limit_tokens, "limit_money": limit_money}
        with ledger.write() as connection:
            connection.execute(insert_new(budgets), values)

    def reserve(self, tokens: int, money: float) -> Reservation:
        held = budgets.c
        all_tokens = held.used_tokens + held.reserved_tokens + tokens
        all_money = held.used_money + held.reserved_money + money
        has_room = (
            held.limit_tokens.is_(None) | (all_tokens <= held.limit_tokens),
            held.limit_money.is_(None) | (all_money <= held.limit_money + _CENT),
        )
        more = {"reserved_tokens": held.reserved_tokens + tokens, "reserved_money": held.reserved_money + money}
        with self._ledger.write() as connection:
            done = connection.execute(update(budgets).where(held.run_id == self._run_id, *has_room).values(more))
        if done.rowcount != 1:
            raise BudgetExceeded(self._explain(tokens, money))
        return Reservation(tokens, money)

    def settle(self, reservation: Reservation, tokens: int, money: float) -> None:
        values = {
            "used_tokens": budgets.c.used_tokens + tokens,
            "used_money": budgets.c.used_money + money,
            "reserved_tokens": budgets.c.reserved_tokens - reservation.tokens,
            "reserved_money": budgets.c.reserved_money - reservation.money,
        }
        with self._ledger.write() as connection:
            connection.execute(update(budgets).where(budgets.c.run_id == self._run_id).values(values))

    def _explain(self, tokens: int, money: float) -> str:
        found = self._ledger.rows(select(budgets).where(budgets.c.run_id == self._run_id))
        if not found:
            return f"run {self._run_id} has no budget; it was deleted with its corpus"
        row = found[0]
        parts = []
        if row.limit_tokens is not None:
            parts.append(
                f"{row.limit_tokens:,} tokens (used {row.used_tokens:,}, reserved {row.reserved_tokens:,}, "
                f"this call needs up to {tokens:,}; CLAUSEGRAPH_LLM_BUDGET_TOKENS)"
            )
        if row.limit_money is not None:
            parts.append(
                f"{row.limit_money:g} in money (used {row.used_money:.4f}, reserved {row.reserved_money:.4f}, "
                f"this call needs up to {money:.4f}; CLAUSEGRAPH_LLM_BUDGET_MONEY)"
            )
        return f"the budget of run {self._run_id} has no room for another call: the limit is {' and '.join(parts)}"


class LedgerUsage:
    """A ``UsageSink`` in the ledger. ``record`` does not wait: a thread of its own writes what there is."""

    def __init__(self, ledger: Ledger, corpus_id: int, run_id: str) -> None:
        self._ledger, self._corpus_id, self._run_id = ledger, corpus_id, run_id
        self._lock = threading.Lock()
        self._kept: list[dict[str, object]] = []
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clausegraph-usage")

    def record(self, record: CallRecord) -> None:
        """Keep one record; it is written soon."""
        row: dict[str, object] = {
            "corpus_id": self._corpus_id, "run_id": self._run_id, "task": record.labels.task,
            "prompt": record.labels.prompt, "pages": json.dumps(record.labels.pages, ensure_ascii=False),
            "model": record.model, "outcome": record.outcome, "prompt_tokens": record.usage.prompt_tokens,
            "output_tokens": record.usage.output_tokens, "money": record.money, "seconds": record.seconds,
            "at": record.at,
        }  # fmt: skip
        with self._lock:
            self._kept.append(row)
        try:
            self._writer.submit(self._write)  # what fails is kept, and close() will try again and tell
        except RuntimeError:  # it was closed
            self._write()

    def close(self) -> None:
        """Write what is kept; raises where that cannot be done."""
        self._writer.shutdown(wait=True)
        self._write()

    def _write(self) -> None:
        with self._lock:
            rows, self._kept = self._kept, []
        if not rows:
            return
        try:
            with self._ledger.write() as connection:
                connection.execute(insert(model_calls), rows)
        except StorageError:
            with self._lock:
                self._kept = rows + self._kept
            raise


def run_usage(ledger: Ledger, run_id: str) -> dict[str, dict[str, float]]:
    """The usage of a run by task: calls, cached, failed, prompt_tokens, output_tokens, money, seconds.

    ``calls`` are attempts that reached the server, the failed ones included; tokens, money and seconds are theirs.
    """
    calls = model_calls.c
    cached = calls.outcome == "cached"
    sums = [
        func.sum(case((cached, 0), else_=1)).label("calls"),
        func.sum(case((cached, 1), else_=0)).label("cached"),
        func.sum(case((calls.outcome.in_(("ok", "cached")), 0), else_=1)).label("failed"),
    ]
    for column in (calls.prompt_tokens, calls.output_tokens, calls.money, calls.seconds):
        sums.append(func.coalesce(func.sum(case((cached, 0), else_=column)), 0).label(column.name))
    query = select(calls.task, *sums).where(calls.run_id == run_id).group_by(calls.task).order_by(calls.task)
    rows = [dict(row._mapping) for row in ledger.rows(query)]
    return {row.pop("task"): row for row in rows}


class RunMeter:
    """A ``Budget`` and a ``UsageSink`` for whichever run it was started for.

    A model is made before its run has a number; calls made outside a run are neither limited nor recorded. Without a
    limit nothing is set aside.
    """

    def __init__(self, ledger: Ledger, limit_tokens: int | None = None, limit_money: float | None = None) -> None:
        self._ledger = ledger
        self._limits = (limit_tokens, limit_money)
        self._budget: LedgerBudget | None = None
        self._usage: LedgerUsage | None = None
        self._run_id = ""
        self._lock = threading.Lock()
        self._sums = (0, 0, 0.0)

    def used(self) -> tuple[int, int, float]:
        """Calls, tokens and money of this process so far, without those that the cache answered."""
        return self._sums

    def start(self, corpus_id: int, run_id: str) -> None:
        """Draw on the budget of this run, which may have been opened by another process."""
        self._run_id = run_id
        if any(limit is not None for limit in self._limits):
            self._budget = LedgerBudget(self._ledger, corpus_id, run_id, *self._limits)
        self._usage = LedgerUsage(self._ledger, corpus_id, run_id)

    def stop(self) -> dict[str, dict[str, float]]:
        """Store what is still unrecorded; returns the usage of the run, all its processes together, by task."""
        if self._usage is None:
            return {}
        self._usage.close()
        self._budget, self._usage = None, None
        return run_usage(self._ledger, self._run_id)

    def reserve(self, tokens: int, money: float) -> Reservation:
        return self._budget.reserve(tokens, money) if self._budget is not None else Reservation(tokens, money)

    def settle(self, reservation: Reservation, tokens: int, money: float) -> None:
        if self._budget is not None:
            self._budget.settle(reservation, tokens, money)

    def record(self, record: CallRecord) -> None:
        if self._usage is not None:
            self._usage.record(record)
        if record.outcome != "cached":
            tokens = (record.usage.prompt_tokens or 0) + (record.usage.output_tokens or 0)
            with self._lock:
                calls, before, money = self._sums
                self._sums = (calls + 1, before + tokens, money + record.money)
