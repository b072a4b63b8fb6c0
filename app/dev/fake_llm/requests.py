"""What a chat request asks for: its messages, its page, and the form of reply it wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clausegraph.app.dev.fake_llm.pages import page_in


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
