"""How an answer was found, as the templates draw it: a line of time with what each step looked at and decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clausegraph.app.console.templating import address
from clausegraph.core.types import Answer, TraceStep

_MODEL = "model"  # a step that sums up what the others asked of a language model: none of its own time
_USED = ("calls", "prompt_tokens", "output_tokens", "money", "saved", "model_seconds")
_WORDS = {"because": "reason", "best": "best of them"}


@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """An element that a step found: where it stands, how well it fits, and the screen of its page."""

    page: str
    anchor: str
    score: float | None
    address: str


@dataclass(frozen=True, slots=True)
class DrawnDetail:
    """What a step says of one thing: places, or a text."""

    name: str
    places: tuple[DrawnPlace, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """A step: when it began (milliseconds since the first), how long it took, and what it says.

    ``opens``: the number of the round that begins with it; 0 where none does.
    """

    name: str
    begins: float
    milliseconds: float
    details: tuple[DrawnDetail, ...]
    opens: int = 0


def found_view(answer: Answer) -> dict[str, Any]:
    """What the template of the timeline needs: the steps, their time in all, and what a language model was paid."""
    steps: list[DrawnStep] = []
    total, rounds = 0.0, 0
    for step in answer.trace:
        if step.name == _MODEL:
            continue
        number = step.detail.get("round") if step.name == "route" else None
        opens = number if isinstance(number, int) and number > rounds else 0
        rounds = max(rounds, opens)
        steps.append(DrawnStep(step.name, total, step.milliseconds, tuple(_details(answer, step)), opens))
        total += step.milliseconds
    return {"steps": steps, "milliseconds": total, "rounds": rounds, "used": _used(answer.trace)}


def _used(trace: Sequence[TraceStep]) -> dict[str, Any]:
    """What the question used of a language model; nothing where it asked none."""
    for step in reversed(trace):
        if isinstance(step.detail.get("calls"), int):
            return {name: step.detail[name] for name in _USED if name in step.detail}
    return {}


def _details(answer: Answer, step: TraceStep) -> list[DrawnDetail]:
    made = []
    for name, value in step.detail.items():
        if name in _USED:
            continue
        shown = _WORDS.get(name, name.replace("_", " "))
        places = _places(answer, value)
        made.append(DrawnDetail(shown, places) if places else DrawnDetail(shown, text=_text(value)))
    return made


def _places(answer: Answer, value: Any) -> tuple[DrawnPlace, ...]:
    """The elements that a value lists; none where it is something else."""
    if not isinstance(value, list | tuple) or not value:
        return ()
    if not all(isinstance(one, Mapping) and {"page", "anchor"} <= one.keys() for one in value):
        return ()
    return tuple(
        DrawnPlace(
            str(one["page"]), str(one["anchor"]), one.get("score"),
            address(answer.corpus, "page", name=one["page"], epoch=answer.epoch, anchor=one["anchor"]),
        )
        for one in value
    )  # fmt: skip


def _text(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case Mapping():
            return ", ".join(f"{name}: {_text(one)}" for name, one in value.items()) or "none"
        case list() | tuple():
            return "; ".join(_text(one) for one in value) or "none"
        case _:
            return str(value)
