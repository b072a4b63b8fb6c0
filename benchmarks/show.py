"""Short tables, and what is held against a limit."""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """A figure against its limit. Times depend on the machine and its load, so a time never ``decides``."""

    what: str
    value: float
    limit: float
    unit: str
    decides: bool = True

    @property
    def holds(self) -> bool:
        return self.value <= self.limit

    def as_dict(self) -> dict[str, object]:
        return asdict(self) | {"holds": self.holds}


def print_table(title: str, rows: Sequence[Sequence[object]]) -> None:
    """A title and left-aligned columns."""
    print(f"\n{title}")
    cells = [[_text(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells if column < len(row)) for column in range(max(map(len, cells)))]
    for row in cells:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip())


def print_checks(checks: Sequence[Check]) -> None:
    """One line a check: PASS or FAIL where it decides, else whether the goal was met."""
    for check in checks:
        verdict = ("PASS" if check.holds else "FAIL") if check.decides else ("met" if check.holds else "not met")
        kind = "limit" if check.decides else "goal"
        print(f"  {verdict}: {check.what} {_text(check.value)} {check.unit}, {kind} {_text(check.limit)} {check.unit}")


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered) + 0.5) - 1))]


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def machine() -> dict[str, object]:
    """Cores and the load averages of now: figures are worth little without."""
    return {"cores": os.cpu_count(), "load": [round(value, 2) for value in os.getloadavg()]}


def _text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.3g}" if abs(cell) < 10 else f"{cell:,.1f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
