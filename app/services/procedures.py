"""Steps of procedures among records: which step one is, and their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clausegraph.core.types import StepOrder

Record = dict[str, Any]


def step_record(step: StepOrder | None) -> dict[str, str | None]:
    """Which step of which procedure it is: "2.1" and the words above its steps; none where it is no step."""
    return {"step": None, "procedure": None} if step is None else {"step": step.text, "procedure": step.procedure}


def steps_in_order(records: Iterable[Record]) -> list[Record]:
    """Facts with their statements; steps of one procedure follow each other by number, where the first of them was."""
    procedures: dict[tuple[str, str], list[Record]] = {}
    found: list[list[Record]] = []
    for record in records:
        first = _first(record)
        if not first.get("step"):
            found.append([record])
            continue
        steps = procedures.setdefault((first["page"], first["procedure"]), [])
        if not steps:
            found.append(steps)
        steps.append(record)
    return [record for steps in found for record in sorted(steps, key=_number)]


def _first(record: Record) -> Record:
    """Its first statement; nothing where it has none."""
    return record["statements"][0] if record["statements"] else {}


def _number(record: Record) -> list[int]:
    step = _first(record).get("step")
    return [int(number) for number in step.split(".")] if step else []
