"""The JSON schema of condition-aware replies, in the strict form that servers enforce."""

from __future__ import annotations

from typing import Any

from clausegraph.core.types import Modality


def _object(**properties: Any) -> dict[str, Any]:
    """An object with exactly these keys: strict schemas know no optional ones."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_NULL = {"type": "null"}
_CONDITION = {"$ref": "#/$defs/condition"}
_CONDITIONS = {"type": "array", "items": _CONDITION}
_LINE = {"type": "integer"}  # a condition that is a whole line
_TRIPLE = _object(
    **dict.fromkeys(("subject", "subject_type", "relation", "object", "object_type"), _TEXT),
    elements={"type": "array", "items": _LINE},
    holds={"type": "boolean"},
    modality={"type": "string", "enum": [modality.value for modality in Modality]},
    **{
        "if": {"anyOf": [_CONDITION, _NULL]},
        "in_force": {"anyOf": [_object(**{"from": _TEXT_OR_NULL, "to": _TEXT_OR_NULL}), _NULL]},
    },
    doubt=_TEXT,
)
_FORMS = [
    _LINE,
    _object(element=_LINE, means=_TEXT),
    _object(element=_LINE, quote=_TEXT, means=_TEXT),
    _object(element=_LINE, quote=_TEXT),
    _object(all=_CONDITIONS),
    _object(any=_CONDITIONS),
    _object(**{"not": _CONDITION}),
]
CONDITIONAL_SCHEMA = _object(triples={"type": "array", "items": {"$ref": "#/$defs/triple"}}) | {
    "$defs": {"triple": _TRIPLE, "condition": {"anyOf": _FORMS}}
}
