"""What servers that enforce a schema ask of it."""

from __future__ import annotations

from typing import Any


def assert_strict(schema: dict[str, Any]) -> None:
    """Every object has exactly its keys, all of them required."""
    pending: list[Any] = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node["additionalProperties"] is False and node["required"] == list(node["properties"])
            pending += node.values()
        elif isinstance(node, list):
            pending += node
