"""An answer as plain JSON values and back, whole: what somebody comes back to is what they got.

Unlike ``app/answer_json.py``, which programs read and which leaves out what only the engine knows.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from typing import Any

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import (
    All,
    Alternative,
    Answer,
    AnswerStatus,
    AnyOf,
    ConditionState,
    Contradiction,
    Evidence,
    JudgedLeaf,
    Leaf,
    Not,
    PageKey,
    Sentence,
    SentenceRole,
    Span,
    TraceStep,
)

_KINDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        All, Alternative, Answer, AnswerStatus, AnyOf, ConditionState, Contradiction, Evidence, Inquiry, JudgedLeaf,
        Leaf, Not, PageKey, Sentence, SentenceRole, Span, TraceStep,
    )
}  # fmt: skip
_MAP, _DAY = "map", "day"


def answer_to_json(answer: Answer) -> Any:
    """Objects with one member, the name of a type of ``core.types``, and its fields by name; lists for tuples.

    Raises:
        TypeError: a step of the trace has what is no plain value.
    """
    return _plain(answer)


def answer_from_json(value: Any) -> Answer:
    """The answer of :func:`answer_to_json`; lists in its trace are tuples then.

    Raises:
        ValueError: it is none, or was written by a version whose types had other fields.
    """
    try:
        made = _whole(value)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"no answer of this version ({error})") from error
    if not isinstance(made, Answer):
        raise ValueError("no answer")
    return made


def _plain(value: Any) -> Any:
    match value:
        case Enum():
            return {type(value).__name__: value.value}
        case None | str() | bool() | int() | float():
            return value
        case date():
            return {_DAY: value.isoformat()}
        case list() | tuple():
            return [_plain(one) for one in value]
        case dict():
            return {_MAP: {str(name): _plain(one) for name, one in value.items()}}
        case _ if is_dataclass(value) and type(value).__name__ in _KINDS:
            return {type(value).__name__: {one.name: _plain(getattr(value, one.name)) for one in fields(value)}}
        case _:
            raise TypeError(f"{type(value).__name__} is no part of an answer")


def _whole(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_whole(one) for one in value)
    if not isinstance(value, dict):
        return value
    ((name, body),) = value.items()
    if name == _MAP:
        return {key: _whole(one) for key, one in body.items()}
    if name == _DAY:
        return date.fromisoformat(body)
    kind = _KINDS[name]
    return kind(**{key: _whole(one) for key, one in body.items()}) if isinstance(body, dict) else kind(body)
