"""What a run's model calls are counted by: its budget and its usage records, once the run is known."""

from __future__ import annotations

from clausegraph.core.models.calls import CallRecord, Reservation
from clausegraph.indexes.ledger.budgets import LedgerBudget, LedgerUsage, open_budget, run_usage
from clausegraph.indexes.ledger.store import Ledger


class RunMeter:
    """A ``Budget`` and a ``UsageSink`` for whichever run it was started for.

    A model is made before its run has a number; calls made outside a run are neither limited nor recorded.
    """

    def __init__(self, ledger: Ledger, limit_tokens: int | None = None, limit_money: float | None = None) -> None:
        self._ledger = ledger
        self._limits = (limit_tokens, limit_money)
        self._budget: LedgerBudget | None = None
        self._usage: LedgerUsage | None = None
        self._run_id = ""

    def start(self, corpus_id: int, run_id: str) -> None:
        """Draw on the budget of this run, which may have been opened by another process."""
        self._run_id = run_id
        if any(limit is not None for limit in self._limits):
            self._budget = open_budget(self._ledger, corpus_id, run_id, *self._limits)
        self._usage = LedgerUsage(self._ledger, corpus_id, run_id)

    def stop(self) -> dict[str, dict[str, float]]:
        """Store what is still unrecorded; returns the usage of the run, all its processes together, by task."""
        if self._usage is None:
            return {}
        self._usage.close()
        self._budget, self._usage = None, None
        return run_usage(self._ledger, self._run_id)

    def reserve(self, tokens: int, money: float) -> Reservation:
        """As ``Budget.reserve``; without a limit nothing is set aside."""
        return self._budget.reserve(tokens, money) if self._budget is not None else Reservation(tokens, money)

    def settle(self, reservation: Reservation, tokens: int, money: float) -> None:
        """As ``Budget.settle``."""
        if self._budget is not None:
            self._budget.settle(reservation, tokens, money)

    def record(self, record: CallRecord) -> None:
        """As ``UsageSink.record``."""
        if self._usage is not None:
            self._usage.record(record)
