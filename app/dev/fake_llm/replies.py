"""What the fake replies: read from the prompt by rule, or from a script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clausegraph.app.dev.fake_llm.instances import minimal_instance
from clausegraph.app.dev.fake_llm.options import FakeOptions
from clausegraph.app.dev.fake_llm.reading import cheap_reading
from clausegraph.app.dev.fake_llm.requests import Wanted
from clausegraph.app.dev.fake_llm.triples import as_lines, rule_triples, short_triples

NO_PAGE = "This is the fake model server: there is no language model here, and no numbered page in the prompt."
NOT_SCRIPTED = "This is the fake model server: the script has no reply for this message."
GARBAGE = 'Certainly! Here is what the page says -> {"triples": [subject: relation: '
WRONG_SCHEMA = '{"answer": 42, "items": [1, 2, 3]}'


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
