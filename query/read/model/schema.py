"""The JSON schemas of the replies, in the strict form that servers enforce: analysis first, answers last."""

from __future__ import annotations

from typing import Any

STATES = ("met", "contradicted", "open", "granted")
KINDS = ("gate", "fact", "procedure", "list", "branch", "greeting")
ROLES = ("answer", "item", "next", "more")


def _object(**properties: Any) -> dict[str, Any]:
    """An object with exactly these keys: strict schemas know no optional ones."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT = {"type": "string"}
_TREE = {"$ref": "#/$defs/tree"}

_CONDITION = _object(
    id=_TEXT, element=_TEXT, quote=_TEXT, state={"type": "string", "enum": list(STATES)}, scenario=_TEXT, ask=_TEXT
)
_ANSWER = _object(text=_TEXT, element=_TEXT, evidence=_list(_TEXT), **{"if": {"anyOf": [_TREE, {"type": "null"}]}})
_SUM = _object(value=_TEXT, expression=_TEXT)
_SENTENCE = _object(text=_TEXT, role={"type": "string", "enum": list(ROLES)}, sources=_list(_TEXT), sums=_list(_SUM))

READ_SCHEMA: dict[str, Any] = {
    **_object(
        rules=_list(_TEXT),
        analysis=_TEXT,
        conditions=_list(_CONDITION),
        kind={"type": "string", "enum": list(KINDS)},
        answers=_list(_ANSWER),
        sentences=_list(_SENTENCE),
        missing=_TEXT,
    ),
    "$defs": {
        "tree": {
            "anyOf": [
                _TEXT,  # the id of a condition
                _object(all=_list(_TREE)),
                _object(any=_list(_TREE)),
                _object(**{"not": _TREE}),
            ]
        },
    },
}

_DIRECT = _list(_object(text=_TEXT, element=_TEXT, evidence=_list(_TEXT), conditions=_list(_TEXT)))

DIRECT_SCHEMA: dict[str, Any] = _object(answers=_DIRECT)
