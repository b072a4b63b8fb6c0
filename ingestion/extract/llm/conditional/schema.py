"""The JSON schema of a condition-aware reply, in the strict form that servers enforce."""

from __future__ import annotations

from typing import Any


def _object(**properties: Any) -> dict[str, Any]:
    """An object with exactly these keys: strict schemas know no optional ones."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_CONDITION = {"$ref": "#/$defs/condition"}
_CONDITIONS = {"type": "array", "items": _CONDITION}

_TRIPLE = _object(
    subject=_TEXT,
    subject_type=_TEXT,
    relation=_TEXT,
    object=_TEXT,
    object_type=_TEXT,
    elements={"type": "array", "items": {"type": "integer"}},
    holds={"type": "boolean"},
    modality={"type": "string", "enum": ["is", "may", "must", "cannot"]},
    **{"if": {"anyOf": [_CONDITION, {"type": "null"}]}, "from": _TEXT_OR_NULL, "to": _TEXT_OR_NULL},
)

CONDITIONAL_SCHEMA: dict[str, Any] = {
    **_object(triples={"type": "array", "items": {"$ref": "#/$defs/triple"}}),
    "$defs": {
        "triple": _TRIPLE,
        "condition": {
            "anyOf": [
                _object(element={"type": "integer"}, quote=_TEXT),
                _object(all=_CONDITIONS),
                _object(any=_CONDITIONS),
                _object(**{"not": _CONDITION}),
            ]
        },
    },
}
