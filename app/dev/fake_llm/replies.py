"""What a chat request asks for, and what the fake replies: read from the prompt by rule, or from a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clausegraph.app.dev.fake_llm.options import FakeOptions
from clausegraph.app.dev.fake_llm.pages import as_lines, cheap_reading, page_in, rule_triples, short_triples
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
NO_PAGE = "This is the fake model server: there is no language model here, and no numbered page in the prompt."
NOT_SCRIPTED = "This is the fake model server: the script has no reply for this message."
GARBAGE = 'Certainly! Here is what the page says -> {"triples": [subject: relation: '
WRONG_SCHEMA = '{"answer": 42, "items": [1, 2, 3]}'


@dataclass(frozen=True, slots=True)
class Wanted:
    """A chat request, read: the last user message, its page, and the form the reply must have."""

    user: str
    page: str | None
    around: str  # system text, and the last user message without its page
    tool: str | None
    schema: dict[str, Any] | None  # of the tool's arguments, or of the reply
    json: bool

    @property
    def wants_lines(self) -> bool:
        """Whether the prompt asks for ``(subject, …)`` lines and nowhere for JSON."""
        return not self.json and "(subject," in self.around.lower() and "json" not in self.around.lower()


def content_text(content: Any) -> str:
    """The text of a message's content: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def prompt_text(body: dict[str, Any]) -> str:
    """The texts of all messages, one after the other: what prompt tokens are counted of."""
    return "".join(content_text(message.get("content")) for message in body["messages"])


def last_user_text(body: dict[str, Any]) -> str:
    """The last user message, or nothing."""
    users = (m.get("content") for m in reversed(body["messages"]) if m.get("role") == "user")
    return content_text(next(users, ""))


def wanted(body: dict[str, Any]) -> Wanted:
    """What a chat request with ``messages`` asks for."""
    user = last_user_text(body)
    system = "\n".join(content_text(m.get("content")) for m in body["messages"] if m.get("role") == "system")
    found = page_in(user)
    page, around = (None, user) if found is None else found
    tool, schema = _tool(body)
    as_json = tool is not None
    shape = body.get("response_format")
    if tool is None and isinstance(shape, dict) and shape.get("type") in ("json_schema", "json_object"):
        as_json = True
        schema = _reply_schema(shape)
    return Wanted(user, page, system + "\n" + around, tool, schema, as_json)


def _reply_schema(shape: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of a ``response_format``; the Mistral client names the key ``schema_definition`` in some versions."""
    inner = shape.get("json_schema")
    if not isinstance(inner, dict):
        return None
    found = inner.get("schema", inner.get("schema_definition"))
    return found if isinstance(found, dict) else None


def _tool(body: dict[str, Any]) -> tuple[str | None, dict[str, Any] | None]:
    """The tool to call: the one that is named, else the first; none after a tool's result, or when forbidden."""
    functions = [tool.get("function", {}) for tool in body.get("tools") or [] if isinstance(tool, dict)]
    choice = body.get("tool_choice")
    if not functions or choice == "none":
        return None, None
    if choice in (None, "auto") and body["messages"][-1].get("role") == "tool":
        return None, None
    name = choice.get("function", {}).get("name") if isinstance(choice, dict) else None
    function = next((one for one in functions if one.get("name") == name), functions[0])
    return str(function.get("name", "tool")), function.get("parameters") or {"type": "object"}


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


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of a reply, or the arguments of a call of ``tool``; whether it was cut off."""

    text: str
    tool: str | None = None
    cut_off: bool = False


class Replier:
    """Replies under one set of options; keeps its place in a script."""

    def __init__(self, options: FakeOptions) -> None:
        self.options = options
        self._turn = 0

    def reply(self, wanted: Wanted) -> Reply:
        """The reply to a request, before faults and limits."""
        if self.options.replies == "script":
            text = self._scripted(wanted.user)
            return Reply(text, wanted.tool if _is_object(text) else None)
        if not wanted.json:
            return Reply(self._text(wanted))
        return Reply(self._json(wanted), wanted.tool)

    def _text(self, wanted: Wanted) -> str:
        """A reply of no prescribed form."""
        mode = self.options.replies
        if mode == "echo":
            return wanted.user
        if mode == "lines" or wanted.wants_lines:
            return as_lines(self._triples(wanted.user if wanted.page is None else wanted.page))
        return NO_PAGE if wanted.page is None else self._document(wanted)

    def _json(self, wanted: Wanted) -> str:
        """A JSON reply: the page's triples where the schema has room for them, else the smallest instance."""
        properties = (wanted.schema or {}).get("properties", {})
        if (
            wanted.page is not None
            and self.options.replies != "echo"
            and (not wanted.schema or "triples" in properties)
        ):
            return self._document(wanted)
        if wanted.page is not None and {"analysis", "answers"} <= set(properties):
            return json.dumps(cheap_reading(wanted.page, wanted.around), ensure_ascii=False)
        if wanted.schema:
            return json.dumps(minimal_instance(wanted.schema), ensure_ascii=False)
        return json.dumps({"text": wanted.user if self.options.replies == "echo" else NO_PAGE}, ensure_ascii=False)

    def _document(self, wanted: Wanted) -> str:
        """The triples of the page in the form that the condition-aware prompt asks for."""
        return json.dumps({"triples": self._triples(wanted.page or "")}, ensure_ascii=False)

    def _triples(self, page: str) -> tuple[dict[str, Any], ...] | list[dict[str, Any]]:
        return short_triples(page) if self.options.replies == "short" else rule_triples(page)

    def _scripted(self, user: str) -> str:
        script = self.options.script
        if isinstance(script, Mapping):
            found = next((reply for part, reply in script.items() if part in user), NOT_SCRIPTED)
        else:
            found = script[min(self._turn, len(script) - 1)]
            self._turn += 1
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def spoilt(reply: Reply, fault: str, share: float) -> Reply:
    """The reply as a content fault leaves it."""
    match fault:
        case "garbage":
            return Reply(GARBAGE, reply.tool)
        case "wrong_schema":
            return Reply(WRONG_SCHEMA, reply.tool)
        case "empty":
            return Reply("")
        case "truncated":
            return Reply(reply.text[: int(len(reply.text) * share)], reply.tool, cut_off=True)
    return reply


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
