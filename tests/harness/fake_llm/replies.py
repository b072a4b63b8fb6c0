"""What a chat request asks for, and what the fake replies: read from the prompt by rule, or from a script."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clausegraph.app.dev.fake_model import NO_PAGE, content_text, is_reading, last_user_text, reply_schema
from clausegraph.app.dev.fake_pages import cheap_reading, page_in, rule_lines, sections_of
from clausegraph.core.errors import InputError
from tests.harness.fake_llm.options import FakeOptions
from tests.harness.fake_llm.wire import Reply

_DEPTH = 24
_GROUPED = re.compile(r"(?<=\d),(?=\d)")
NOT_SCRIPTED = "This is the fake model server: the script has no reply for this message."
GARBAGE = 'Certainly! Here is what the page says -> {"rules": [3b: eligibility: '
WRONG_SCHEMA = '{"answer": 42, "items": [1, 2, 3]}'


@dataclass(frozen=True, slots=True)
class Wanted:
    """A chat request, read: the last user message, its page, and the form the reply must have."""

    user: str
    page: str | None
    around: str  # system text, and the last user message without its page
    schema: dict[str, Any]  # of the reply; empty where anything goes
    json: bool

    @property
    def wants_triples(self) -> bool:
        """Whether the prompt asks for ``(subject, …)`` lines and nowhere for JSON."""
        return not self.json and "(subject," in self.around.lower() and "json" not in self.around.lower()


def wanted(body: dict[str, Any]) -> Wanted:
    """What a chat request with ``messages`` asks for."""
    user = last_user_text(body)
    system = "\n".join(content_text(m.get("content")) for m in body["messages"] if m.get("role") == "system")
    page, around = page_in(user) or (None, user)
    schema = reply_schema(body)
    return Wanted(user, page, f"{system}\n{around}", schema or {}, schema is not None)


def minimal_instance(schema: Any) -> Any:
    """A value of the schema's form, with no more in it than required. It knows what pydantic's models come to.

    Raises:
        InputError: no finite value was found, or a reference leads nowhere.
    """

    def resolved(part: Any) -> dict[str, Any]:
        if not isinstance(part, dict) or "$ref" not in part:
            return part if isinstance(part, dict) else {}  # true, or nothing: anything goes
        found: dict[str, Any] = schema
        for step in part["$ref"].removeprefix("#").strip("/").split("/"):
            if step and step not in found:
                raise InputError(f"fake model server: the schema has no {part['$ref']}")
            found = found[step] if step else found
        return {name: value for name, value in part.items() if name != "$ref"} | found

    def made(part: Any, depth: int) -> Any:
        if depth > _DEPTH:
            raise InputError("fake model server: a schema requires itself; no finite value satisfies it")
        one = resolved(part)
        for branch in one.get("anyOf") or one.get("oneOf") or ():
            try:
                return made(branch, depth + 1)
            except InputError:  # of the first branch that has a finite value
                continue
        fixed = [one["const"]] if "const" in one else one.get("enum")
        if fixed:
            return fixed[0]
        kind = one.get("type", "object" if "properties" in one or not one else "string")
        value: Any = "fake".ljust(one.get("minLength", 0), "x")[: one.get("maxLength")]
        match kind[0] if isinstance(kind, list) else kind:
            case "object":
                properties = one.get("properties", {})
                value = {name: made(properties.get(name), depth + 1) for name in one.get("required", [])}
            case "array":
                value = [made(one.get("items"), depth + 1) for _ in range(one.get("minItems", 0))]
            case "integer" | "number":
                value = max(0, one.get("minimum", 0), one.get("exclusiveMinimum", -1) + 1)
            case "boolean":
                value = False
            case "null":
                value = None
        return value

    return made(schema, 0)


def triple_lines(page: str) -> str:
    """``(subject, relation, object)`` of the statements, one a line; no part keeps a comma. "none" for none."""
    from clausegraph.core.types import Literal
    from clausegraph.ingestion.extract.rules.extractor import RuleExtractor

    lines = []
    for statement in (one for section in sections_of(page) for one in RuleExtractor().extract(section).statements):
        target = statement.object
        named = target.value if isinstance(target, Literal) else target.surface
        parts = [
            _GROUPED.sub("", part).replace(",", " ") for part in (statement.subject.surface, statement.relation, named)
        ]
        lines.append(f"({', '.join(' '.join(part.split()) for part in parts)})")
    return "\n".join(lines) or "none"


class Replier:
    """Replies under one set of options; keeps its place in a script."""

    def __init__(self, options: FakeOptions) -> None:
        self.options = options
        self._turn = 0

    def reply(self, wanted: Wanted) -> Reply:
        """The reply to a request, before faults and limits."""
        mode, page = self.options.replies, wanted.page
        if mode == "script":
            return Reply(self._scripted(wanted.user))
        if wanted.json:
            return Reply(json.dumps(self._value(wanted), ensure_ascii=False))
        if mode == "echo":
            return Reply(wanted.user)
        if page is None and mode != "lines":
            return Reply(NO_PAGE)
        text = wanted.user if page is None else page
        if mode == "lines" or wanted.wants_triples:
            return Reply(triple_lines(text))
        return Reply(rule_lines(text))

    def _value(self, wanted: Wanted) -> Any:
        """A JSON reply: a cheap answer where the schema is a reader's, else the smallest instance."""
        page, is_echo = wanted.page, self.options.replies == "echo"
        if page is not None and is_reading(wanted.schema):
            return cheap_reading(page, wanted.around)
        return minimal_instance(wanted.schema) if wanted.schema else {"text": wanted.user if is_echo else NO_PAGE}

    def _scripted(self, user: str) -> str:
        script = self.options.script
        if isinstance(script, Mapping):
            found = next((reply for part, reply in script.items() if part in user), NOT_SCRIPTED)
        else:
            found = script[min(self._turn, len(script) - 1)]
            self._turn += 1
        return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def spoilt(reply: Reply, fault: str) -> Reply:
    """The reply as a content fault leaves it."""
    match fault:
        case "garbage":
            return Reply(GARBAGE)
        case "wrong_schema":
            return Reply(WRONG_SCHEMA)
        case "empty":
            return Reply("")
        case "truncated":
            return Reply(reply.text[: len(reply.text) // 2], cut_off=True)
    return reply
