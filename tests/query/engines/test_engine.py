"""The engine and its LlamaIndex form, over a real view of a small world."""

import asyncio
import threading
from collections.abc import Iterator, Sequence

import pytest

from clausegraph.core.errors import SettingsError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import AnswerStatus
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import ENGINES, make_engine
from clausegraph.query.read.protocol import READERS, ReadResult, Rules, make_reader
from clausegraph.query.retrieve.bank import RETRIEVERS, Hit, make_retriever
from tests.harness.wait import PATIENCE_S
from tests.law.world import World

QUESTION = "Can I get the winter grant?"


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World(dimension=64)
    made.write("grant", ["You can get the winter grant if you are over 65 and live in Lethmoor.", "It is £200 a year."])
    made.write("fish", ["You must have a licence to fish in the river."])
    made.ingest()
    yield made
    made.close()


def test_every_entry_of_every_registry_can_be_made(world: World, view: View) -> None:
    for engine in ENGINES:
        if engine.asks:
            continue  # test_presets.py
        answer = make_engine(view, world.embedder, engine=engine.name).ask(Inquiry(QUESTION))
        assert answer.alternatives or answer.quotes
    for reader in READERS:
        if reader.asks:
            with pytest.raises(SettingsError, match="asks a language model"):
                make_reader(reader.name, world.embedder)
            continue
        assert callable(make_reader(reader.name, world.embedder).read)
    for retriever in RETRIEVERS:
        hits = make_retriever(retriever.name, view, world.embedder).retrieve(Inquiry(QUESTION), limit=3)
        assert {hit.level for hit in hits} == {retriever.level}


class Held:
    """A reader that goes on when it is told to."""

    def __init__(self) -> None:
        self.go_on = threading.Event()

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        return ReadResult(AnswerStatus.ANSWERED if self.go_on.wait(PATIENCE_S) else AnswerStatus.NOT_ANSWERABLE, (), {})


def test_an_awaited_query_leaves_the_event_loop_to_others(world: World, view: View) -> None:
    from llama_index.core.schema import QueryBundle

    from clausegraph.query.stores.llamaindex import ViewQueryEngine

    reader = Held()
    engine = ViewQueryEngine(make_engine(view, world.embedder, reader=reader))

    async def both() -> object:
        asked = asyncio.create_task(engine.aquery(QueryBundle(QUESTION)))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_later(0.01, reader.go_on.set)
        return (await asked).metadata

    metadata = asyncio.run(both())
    assert isinstance(metadata, dict)
    assert metadata["answer"].status is AnswerStatus.ANSWERED
