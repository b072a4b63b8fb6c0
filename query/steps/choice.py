"""Which implementation each step has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

StepMaker = Callable[[Any], Any]  # from ``StepParts`` to a step for one question: for those that evaluation builds


@dataclass(frozen=True, slots=True)
class StepChoice:
    """Names of ``query/steps/bank.py``, or makers."""

    route: str | StepMaker = "rules"
    validate: str | StepMaker = "rules"
    comment: str | StepMaker = "rules"
