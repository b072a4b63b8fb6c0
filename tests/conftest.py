"""Which tests run in one process, which come first, and that none leaves a process behind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.ending import at_session_end, left_over

_HERE = Path(__file__).parent
# Folders that share a server run in one process, so that it is started once; the others run beside them. What takes
# longest comes first, so that no process waits for it at the end.
_TOGETHER = {
    "neo4j": ("indexes/neo4j", "injection/cypher", "query/llamaindex", "contracts/graph", "app/cypher"),
    "airflow": ("dags",),
}
_FIRST = ("airflow", "neo4j", "injection/documents", "law")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=lambda item: _FIRST.index(_group(item)) if _group(item) in _FIRST else len(_FIRST))


def _group(item: pytest.Item) -> str:
    folder = str(item.path.parent.relative_to(_HERE))
    return next((name for name, folders in _TOGETHER.items() if folder in folders), folder)


@pytest.fixture(scope="session", autouse=True)
def _nothing_left() -> Iterator[None]:
    """Stop what all tests share, and see that no process is left."""
    asyncio.set_event_loop(None)  # else LlamaIndex makes one that nobody closes; now each of its calls runs its own
    yield
    at_session_end.close()
    assert not left_over()
