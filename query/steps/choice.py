"""Which implementation each step has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepChoice:
    """Names of ``query/steps/bank.py``; "none" leaves out a step that an engine can do without."""

    route: str = "rules"
    validate: str = "rules"
    comment: str = "rules"
    verify: str = "none"
