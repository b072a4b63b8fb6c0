"""The JSON schemas of condition-aware replies, in the strict form that servers enforce."""

from __future__ import annotations

from typing import Any

from clausegraph.core.types import Modality


def _object(**properties: Any) -> dict[str, Any]:
    """An object with exactly these keys: strict schemas know no optional ones."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _reply(triple: dict[str, Any], *more: dict[str, Any]) -> dict[str, Any]:
    """The schema of a reply that is a list of such triples; ``more``: other forms of a condition."""
    condition = [
        *more,
        _object(element={"type": "integer"}, quote=_TEXT),
        _object(all=_CONDITIONS),
        _object(any=_CONDITIONS),
        _object(**{"not": _CONDITION}),
    ]
    whole = _object(triples={"type": "array", "items": {"$ref": "#/$defs/triple"}})
    return whole | {"$defs": {"triple": triple, "condition": {"anyOf": condition}}}


_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_NULL = {"type": "null"}
_CONDITION = {"$ref": "#/$defs/condition"}
_CONDITIONS = {"type": "array", "items": _CONDITION}
_FACT = {
    **dict.fromkeys(("subject", "subject_type", "relation", "object", "object_type"), _TEXT),
    "elements": {"type": "array", "items": {"type": "integer"}},
    "holds": {"type": "boolean"},
}
_IF = {"anyOf": [_CONDITION, _NULL]}
_DATES = {"from": _TEXT_OR_NULL, "to": _TEXT_OR_NULL}

CONDITIONAL_SCHEMA = _reply(
    _object(**_FACT, modality={"type": "string", "enum": ["is", "may", "must", "cannot"]}, **{"if": _IF, **_DATES})
)
_STAND_ALONE = _object(
    **_FACT,
    modality={"type": "string", "enum": [modality.value for modality in Modality]},
    **{"if": _IF, "in_force": {"anyOf": [_object(**_DATES), _NULL]}},
)
_LINE = {"type": "integer"}  # a condition that is a whole line

STAND_ALONE_SCHEMA = _reply(_STAND_ALONE, _LINE)
_CLEAR = (_LINE, _object(element=_LINE, means=_TEXT), _object(element=_LINE, quote=_TEXT, means=_TEXT))
CLEAR_SCHEMA = _reply(_STAND_ALONE, *_CLEAR)
DOUBTED_SCHEMA = _reply(_object(**_STAND_ALONE["properties"], doubt=_TEXT), *_CLEAR)
