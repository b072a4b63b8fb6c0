"""How an answer was found, as the templates draw it: a line of time with what each step looked at and decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clausegraph.app.console.templating import address
from clausegraph.app.console.told import step_title, step_words
from clausegraph.core.types import Answer, TraceStep

_MODEL = "model"  # a step that sums up what the others asked of a language model: none of its own time
_USED = ("calls", "prompt_tokens", "output_tokens", "money", "saved", "model_seconds")
_LONGEST = 240  # characters of an element
_WORDS = {"because": "reason", "best": "best of them"}


Place = tuple[str, str]  # a page and an anchor
Texts = Mapping[Place, tuple[str, str]]  # the title of its page, and the text of an element


@dataclass(frozen=True, slots=True)
class DrawnPlace:
    """An element that a step found: its words, where it stands, how well it fits, and the screen of its page.

    ``words`` is its place where the epoch has its page no more.
    """

    page: str
    words: str
    score: float | None
    address: str


@dataclass(frozen=True, slots=True)
class DrawnDetail:
    """What a step notes of one thing, as the engine names it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class DrawnStep:
    """A step: what it did in words, when it began (milliseconds since the first), how long it took, and its notes.

    ``places`` are elements that it found, best first.
    ``opens``: the number of the round that begins with it; 0 where none does.
    """

    title: str
    said: str
    begins: float
    milliseconds: float
    places: tuple[DrawnPlace, ...]
    details: tuple[DrawnDetail, ...]
    opens: int = 0


def found_view(answer: Answer, texts: Texts) -> dict[str, Any]:
    """What the template of the timeline needs: the steps, their time in all, and what a language model was paid."""
    steps: list[DrawnStep] = []
    total, rounds = 0.0, 0
    for step in answer.trace:
        if step.name == _MODEL:
            continue
        number = step.detail.get("round") if step.name == "route" else None
        opens = number if isinstance(number, int) and number > rounds else 0
        rounds = max(rounds, opens)
        places = tuple(_drawn(answer, texts, one) for value in step.detail.values() for one in _listed(value))
        said = step_words(step.name, step.detail)
        steps.append(
            DrawnStep(step_title(step.name), said, total, step.milliseconds, places, tuple(_details(step)), opens)
        )
        total += step.milliseconds
    return {"steps": steps, "milliseconds": total, "rounds": rounds, "used": _used(answer.trace)}


def _used(trace: Sequence[TraceStep]) -> dict[str, Any]:
    """What the question used of a language model; nothing where it asked none."""
    for step in reversed(trace):
        if isinstance(step.detail.get("calls"), int):
            return {name: step.detail[name] for name in _USED if name in step.detail}
    return {}


def _details(step: TraceStep) -> list[DrawnDetail]:
    shown = {name: value for name, value in step.detail.items() if name not in _USED}
    return [DrawnDetail(_WORDS.get(name, name.replace("_", " ")), _text(value)) for name, value in shown.items()]


def places_of(answer: Answer) -> list[Place]:
    """The page and the anchor of each element that a step of the answer found."""
    values = [value for step in answer.trace for value in step.detail.values()]
    return list(dict.fromkeys((str(one["page"]), str(one["anchor"])) for value in values for one in _listed(value)))


def _listed(value: Any) -> Sequence[Mapping[str, Any]]:
    """The elements that a value lists; none where it is something else."""
    if not isinstance(value, list | tuple) or not value:
        return ()
    are = all(isinstance(one, Mapping) and {"page", "anchor"} <= one.keys() for one in value)
    return value if are else ()


def _drawn(answer: Answer, texts: Texts, one: Mapping[str, Any]) -> DrawnPlace:
    page, anchor = str(one["page"]), str(one["anchor"])
    title, words = texts.get((page, anchor), (page, f"{page}, {anchor}"))
    shown = words if len(words) <= _LONGEST else f"{words[:_LONGEST].rstrip()} …"
    where = address(answer.corpus, "page", name=page, epoch=answer.epoch, anchor=anchor)
    return DrawnPlace(title, shown, one.get("score"), where)


def _text(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case {"page": page, "anchor": anchor}:
            score = f" {value['score']}" if value.get("score") is not None else ""
            return f"{page}, {anchor}{score}"
        case Mapping():
            return ", ".join(f"{name}: {_text(one)}" for name, one in value.items()) or "none"
        case list() | tuple():
            return "; ".join(_text(one) for one in value) or "none"
        case _:
            return str(value)
