"""The smallest JSON value that a JSON schema accepts, for tool calls and structured replies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clausegraph.core.errors import InputError

_DEPTH = 24
_FORMATS = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "duration": "P1D",
    "email": "fake@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def minimal_instance(schema: Any) -> Any:
    """A value that satisfies a schema, with no more in it than required. ``pattern`` is not read.

    Raises:
        InputError: no finite value was found, or a reference leads nowhere.
    """
    return _Maker(schema).make(schema, 0)


class _Maker:
    """Makes values below one root, which references point into."""

    def __init__(self, root: Any) -> None:
        self.root = root

    def make(self, schema: Any, depth: int) -> Any:
        """A value for one schema."""
        if depth > _DEPTH:
            raise InputError("fake model server: a schema requires itself; no finite value satisfies it")
        if not isinstance(schema, dict):
            return {}  # true, or nothing: anything goes
        if "const" in schema or schema.get("enum"):
            return schema["const"] if "const" in schema else schema["enum"][0]
        if "$ref" in schema:
            return self.make(self._joined([schema]), depth + 1)
        for key in ("anyOf", "oneOf"):
            if schema.get(key):
                return self._first(schema, schema[key], key, depth)
        return self.make(self._merged(schema), depth + 1) if schema.get("allOf") else self._of_type(schema, depth)

    def _first(self, schema: dict[str, Any], branches: list[Any], key: str, depth: int) -> Any:
        """The value of the first branch that has one."""
        rest = {name: value for name, value in schema.items() if name != key}
        for branch in branches:
            try:
                return self.make(self._joined([rest, branch]), depth + 1)
            except InputError:
                continue
        raise InputError(f"fake model server: no branch of {key} has a finite value")

    def _merged(self, schema: dict[str, Any]) -> dict[str, Any]:
        rest = {name: value for name, value in schema.items() if name != "allOf"}
        return self._joined([rest, *schema["allOf"]])

    def _joined(self, parts: list[Any]) -> dict[str, Any]:
        """Schemas that hold at once as one: properties and required names together, the rest from the last."""
        whole: dict[str, Any] = {}
        for part in map(self._resolved, parts):
            properties = whole.get("properties", {}) | part.get("properties", {})
            required = list(dict.fromkeys([*whole.get("required", []), *part.get("required", [])]))
            whole |= part
            whole |= {"properties": properties} if properties else {}
            whole |= {"required": required} if required else {}
        return whole

    def _resolved(self, schema: Any) -> dict[str, Any]:
        """A schema with its reference replaced by what it refers to."""
        for _ in range(_DEPTH):
            if not isinstance(schema, dict) or "$ref" not in schema:
                break
            rest = {name: value for name, value in schema.items() if name != "$ref"}
            schema = self._target(schema["$ref"]) | rest
        return schema if isinstance(schema, dict) else {}

    def _target(self, reference: str) -> Any:
        found = self.root
        for step in reference.removeprefix("#").strip("/").split("/"):
            if not step:
                continue
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or name not in found:
                raise InputError(f"fake model server: the schema has no {reference}")
            found = found[name]
        return found

    def _of_type(self, schema: dict[str, Any], depth: int) -> Any:
        kind = schema.get("type", "object" if "properties" in schema else "string")
        if isinstance(kind, list):
            kind = next((name for name in kind if name != "null"), "null")
        match kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                items = [*schema.get("prefixItems", [])]
                items += [schema.get("items")] * (schema.get("minItems", 0) - len(items))
                return [self.make(item, depth + 1) for item in items]
            case "integer" | "number":
                return _number(schema, kind)
            case "boolean":
                return False
            case "null":
                return None
        text = _FORMATS.get(schema.get("format", ""), "fake")
        return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength")]

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        return {name: self.make(properties.get(name), depth + 1) for name in schema.get("required", [])}


def _number(schema: dict[str, Any], kind: str) -> int | float:
    """Zero, or the allowed number nearest to it."""
    step = schema.get("multipleOf", 1 if kind == "integer" else None)
    low, low_out = _bound(schema, "minimum", "exclusiveMinimum", max)
    high, high_out = _bound(schema, "maximum", "exclusiveMaximum", min)
    if low is not None and (low > 0 or (low == 0 and low_out)):
        value = _beyond(low, low_out, step, high)
    elif high is not None and (high < 0 or (high == 0 and high_out)):
        value = -_beyond(-high, high_out, step, None if low is None else -low)
    else:
        value = 0
    return int(value) if kind == "integer" or float(value).is_integer() else value


def _bound(
    schema: dict[str, Any], included: str, excluded: str, tighter: Callable[[list[float]], float]
) -> tuple[float | None, bool]:
    """The tighter of two limits on one side, and whether it is itself ruled out."""
    given = [schema[name] for name in (included, excluded) if name in schema]
    bound = tighter(given) if given else None
    return bound, bound is not None and schema.get(excluded) == bound


def _beyond(low: float, out: bool, step: float | None, high: float | None) -> float:
    """The smallest allowed number from ``low`` up; without a step, halfway to ``high`` when ``low`` is ruled out."""
    if step is not None:
        value = -(-low // step) * step
        return value + step if out and value == low else value
    if not out:
        return low
    return low + 1 if high is None else (low + high) / 2
