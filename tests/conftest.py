"""Which tests run in one process, which come first, and that none leaves a process behind."""

import asyncio
import gc
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import hypothesis
import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from clausegraph.indexes import postings
from tests.harness.ending import at_session_end, left_over
from tests.harness.fake_model import fake
from tests.harness.once import (
    share_compiled_statements,
    share_field_kinds,
    share_new_tables,
    share_page_reading,
    shared_pages,
)
from tests.harness.shared_data import conditionalqa

__all__ = ["conditionalqa", "fake"]  # fixtures of all folders

share_compiled_statements()
share_field_kinds()
postings.ENOUGH = 2  # so that the words of few pages come together

_HERE = Path(__file__).parent
# Folders that share a server, or what is slow to load, run in one process, so that it is started once; the others run
# beside them. What takes longest comes first, so that no process waits for it at the end.
_TOGETHER = {
    "neo4j": ("indexes/neo4j", "injection/cypher", "query/llamaindex", "contracts/graph", "app/cypher"),
    "airflow": ("dags",),
    "postgres": ("indexes/postgres", "contracts/vectors"),
    "serving": ("app/api", "app/mcp"),
    "torch": ("core/models/embedding", "query/retrieve"),  # which takes five seconds to load
}
_ALL_LONG = re.compile(r"^pytestmark = (?:\[[^\]]*)?pytest\.mark\.long\b", re.MULTILINE)
_FIRST = ("airflow", "neo4j", "injection/documents", "postgres", "law")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not any(item.get_closest_marker(name) for name in ("contract", "integration")):
            item.add_marker("unit")

    def place(item: pytest.Item) -> int:
        group = _group(item.path.parent)
        return _FIRST.index(group) if group in _FIRST else len(_FIRST)

    items.sort(key=place)
    gc.collect()
    gc.freeze()  # the modules stay to the end: each look for garbage would go through them again
    gc.set_threshold(50_000, 20, 20)  # and such a look is worth its time only when there may be much


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file whose tests are all for long runs is not even imported where these are left out."""
    if config.option.markexpr != "not long" or not collection_path.name.startswith("test_"):
        return None
    return True if _ALL_LONG.search(collection_path.read_text(encoding="utf-8")) else None


def _group(folder: Path) -> str:
    name = folder.relative_to(_HERE).as_posix()
    return next((group for group, folders in _TOGETHER.items() if name in folders), name)


hypothesis.settings.register_profile("few", max_examples=40)  # others than those of the last time
hypothesis.settings.load_profile("few")


class ByGroup(LoadScopeScheduling):
    """A group is done by one process, from its first test to its last."""

    def _split_scope(self, nodeid: str) -> str:
        return _group((self.config.rootpath / nodeid.partition("::")[0]).parent)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByGroup:
    config.option.loadscopereorder = False  # it would put the groups with the most tests first
    return ByGroup(config, log)


share_page_reading()
share_new_tables()
_READ_ANEW = ("law", "core", "ingestion/rules", "ingestion/reading", "injection")  # what they check is the reading


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Outside these folders the pages that runs have read are not read again."""
    anew = any(item.path.is_relative_to(_HERE / name) for name in _READ_ANEW)
    with nullcontext() if anew else shared_pages():
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def _nothing_left() -> Iterator[None]:
    """Stop what all tests share, and see that no process is left."""
    asyncio.set_event_loop(None)  # else LlamaIndex makes one that nobody closes; now each of its calls runs its own
    yield
    at_session_end.close()
    assert not left_over()
