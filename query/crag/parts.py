"""What an engine is put together from: makers of the parts, each called once a question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from clausegraph.query.crag.switches import CragSwitches
from clausegraph.query.crag.types import AttributePredictor, Calculator, KgLookup
from clausegraph.query.steps.model import StepModel

P = TypeVar("P")
Maker = Callable[[StepModel | None], P | None]  # with the model of the question, where there is one


def nobody(_: StepModel | None) -> None:
    """There is no such part."""


@dataclass(frozen=True, slots=True)
class CragParts:
    """The parts that differ by deployment; one that is none is left out of every question."""

    predictor: Maker[AttributePredictor] = nobody
    graph: Maker[KgLookup] = nobody
    calculator: Maker[Calculator] = nobody


@dataclass(frozen=True, slots=True)
class CragOptions:
    """How open questions are answered: which modules are on, and the parts that a deployment has."""

    switches: CragSwitches = field(default_factory=CragSwitches)
    parts: CragParts = field(default_factory=CragParts)
