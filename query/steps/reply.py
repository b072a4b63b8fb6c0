"""What the replies of steps have in common: one JSON object, labels of a closed list, nothing else believed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from clausegraph.core.errors import BudgetExceeded, UnusableReply
from clausegraph.core.language.normalise import visible
from clausegraph.core.models.json_text import read_json
from clausegraph.query.steps.protocol import Acceptance

if TYPE_CHECKING:
    from clausegraph.query.steps.model import StepModel

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")
MOST_ITEMS = 50  # of a list in a reply that are looked at
LONGEST = 200  # characters of a text in a reply that are kept
UNUSABLE = (UnusableReply, BudgetExceeded)  # what a step does without: it goes on by rules
TURNS = 4  # of ReAct


def object_of(text: str) -> dict[str, Any]:
    """The JSON object of a reply."""
    value = read_json(text).value
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = value[0]
    if not isinstance(value, dict):
        raise UnusableReply(f"the model's reply is no JSON object but {type(value).__name__}")
    return value


def chosen(value: object, listed: Sequence[T], name: Callable[[T], str], letter: str) -> tuple[list[T], int]:
    """Those of a closed list that a reply chose by label (``e1`` is the first) or name, each once, in its order; and
    how many of its items are none of the list."""
    items = value if isinstance(value, list) else [] if value in (None, "") else [value]
    labels = {f"{letter}{number}": item for number, item in enumerate(listed, 1)}
    labels |= {name(item): item for item in listed if name(item) not in labels}
    found: dict[T, None] = {}
    for item in items[:MOST_ITEMS]:
        wanted = labels.get(item.strip()) if isinstance(item, str) else None
        if wanted is not None:
            found[wanted] = None
    return list(found), sum(not (isinstance(i, str) and i.strip() in labels) for i in items)


def member(value: object, kind: type[E]) -> E | None:
    """The member of that value, or none."""
    return next((one for one in kind if isinstance(value, str) and one.value == value.strip().lower()), None)


def flag(reply: dict[str, Any], name: str, refusal: str) -> bool:
    """The yes or no that a reply has under a name; unusable, as ``refusal`` says, where it has none."""
    value = reply.get(name)
    if not isinstance(value, bool):
        raise UnusableReply(refusal)
    return value


def fault_of(text: str, kind: type[E], name: str, about: str, refusal: str) -> tuple[E, str]:
    """The fault that a commentor's reply has under ``name``, and what it says under ``about``."""
    reply = object_of(text)
    fault = member(reply.get(name), kind)
    if fault is None:
        raise UnusableReply(refusal)
    return fault, short(reply.get(about)).strip()


def named_things(value: object, types: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Names and types of a list of things in a reply, each once; a type that is not known is left open."""
    known, found = {kind.lower(): kind for kind in types}, dict[tuple[str, str], None]()
    for one in value if isinstance(value, list) else []:
        name = short(one.get("name")).strip() if isinstance(one, dict) else ""
        if name:
            found[name, known.get(short(one.get("type")).strip().lower(), "")] = None
    return tuple(found)


def parse_label(text: str, name: str, kind: type[E], refusal: str) -> E:
    """The label that a reply has under a name."""
    found = member(object_of(text).get(name), kind)
    if found is None:
        raise UnusableReply(refusal)
    return found


def short(value: object) -> str:
    """A text of a reply on one line, cut."""
    return visible(value)[:LONGEST] if isinstance(value, str) else ""


def labelled(names: Sequence[str], letter: str) -> str:
    """The closed list, a line each."""
    return "\n".join(f"{letter}{number} {visible(name)[:LONGEST]}" for number, name in enumerate(names, 1)) or "none"


def listed(names: Sequence[str]) -> str:
    """Names in one line, quoted as data."""
    return "; ".join(visible(name)[:LONGEST] for name in names) or "none"


def parse_judgement(text: str) -> Acceptance:
    """Read a validator's reply: whether what was found is enough, else what is missing."""
    reply = object_of(text)
    enough = flag(reply, "enough", "the reply does not say whether it is enough")
    missing = short(reply.get("missing"))
    if enough:
        return Acceptance(True, "a model says that it is enough")
    return Acceptance(False, missing or "a model says that it is not enough", missing)


def object_schema(name: str, /, **properties: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The schema of an object with exactly these properties."""
    return name, {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# --- replies that several engines ask for ---------------------------------------------------------


class Action(StrEnum):
    """What a turn may do."""

    TEXT = "text"
    GRAPH = "graph"
    EXTRACT = "extract"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Turn:
    """An action and what it looks for."""

    action: Action
    query: str


TURN_SCHEMA = object_schema(
    "turn",
    thought={"type": "string"},
    action={"type": "string", "enum": [one.value for one in Action]},
    query={"type": "string"},
)


def parse_turn(text: str) -> Turn:
    """Read a reply."""
    reply = object_of(text)
    action, query = member(reply.get("action"), Action), short(reply.get("query")).strip()
    if action is None:
        raise UnusableReply("the reply names no action")
    if not query and action is not Action.ANSWER:
        raise UnusableReply(f"the reply says not what to look for ({action.value})")
    return Turn(action, query)


def take_turns(model: StepModel, prompt: str, inputs: Mapping[str, object], act: Callable[[Turn], str]) -> list[str]:
    """ReAct: thought, action, observation in one chat; in words what was done. A reply that cannot be used ends it.

    Args:
        act: does what a turn says, and gives what the model is shown of it.
    """
    chat, done = tuple[Any, ...](), list[str]()
    for left in range(TURNS - 1, -1, -1):
        try:
            said = model.ask(prompt, inputs, parse_turn, schema=TURN_SCHEMA, before=chat)
        except UNUSABLE as error:
            return [*done, f"no further turn: {error}"]
        turn = said.value
        done.append(f"{turn.action.value}: {turn.query}" if turn.query else turn.action.value)
        if turn.action is Action.ANSWER:
            break
        prompt, chat, inputs = "react-next", said.chat, {"observed": act(turn), "left": str(left)}
    return done


class Correctness(StrEnum):
    """What Corrective RAG's evaluator says of what was retrieved."""

    CORRECT = "correct"
    AMBIGUOUS = "ambiguous"
    INCORRECT = "incorrect"


CORRECT_SCHEMA = object_schema("verdict", verdict={"type": "string", "enum": [one.value for one in Correctness]})
parse_correctness = partial(parse_label, name="verdict", kind=Correctness, refusal="the reply has no verdict")
