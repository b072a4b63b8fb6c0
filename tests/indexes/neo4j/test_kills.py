"""kill -9 of the writer, and of the server, at any write: afterwards Neo4j equals the ledger, and no reader of an older
epoch ever saw half of a new one."""

import contextlib
import itertools
import multiprocessing
import random
import signal
import threading
from pathlib import Path

import pytest

from clausegraph.core.errors import StoreError
from clausegraph.core.types import PlacedRule, Support
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.rows import GraphCorpus
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from clausegraph.indexes.graph.protocol import Graph
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.ledger.store import ledger_id
from tests.contracts.graph.scripted import Town
from tests.harness.neo4j import kill_server, own_server
from tests.harness.wait import PATIENCE_S, until
from tests.harness.writes import NEO4J, failing_at
from tests.indexes.neo4j.writer import BATCH, edit, publish, run

pytestmark = pytest.mark.integration

WRITES = 130  # about two runs of the writer


Seen = tuple[list[Support], list[PlacedRule]]


def seen(graph: Graph) -> Seen:
    return graph.all_supports(), graph.all_rules()


class Reader:
    """Reads a pinned epoch again and again; what it got must never change."""

    def __init__(self, town: Town, address: Address) -> None:
        self.epoch = get_corpus(town.ledger, town.corpus).published
        self.wanted = seen(SqlGraph(town.ledger, town.id, self.epoch))
        self.other: list[Seen] = []
        self.reads = 0
        self._stop = threading.Event()
        self._graph = (address, ledger_id(town.ledger), GraphCorpus(town.id, town.corpus))
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        address, ledger, corpus = self._graph
        with Neo4jServer(address) as server:
            while not self._stop.wait(0.05):
                with contextlib.suppress(StoreError):  # the server may be dead, the corpus compared: both say so
                    got = seen(Neo4jGraph(server, ledger, corpus, self.epoch))
                    self.reads += 1
                    if got != self.wanted:
                        self.other.append(got)

    def finish(self) -> None:
        self._stop.set()
        self._thread.join()
        assert not self.other


@pytest.fixture
def town_there(address: Address, town: Town) -> Town:
    edit(town, 0)
    publish(town, address)
    return town


def check(town: Town, address: Address) -> None:
    """A run recovers, catches up, and everything is equal, at every retained epoch."""
    publish(town, address)
    with Neo4jServer(address) as server:
        projection = Neo4jProjection(town.ledger, server, batch=BATCH)
        assert projection.verify(town.id) == []
        assert projection.status(town.id).state == "current"


@pytest.mark.parametrize("kills", [1, pytest.param(50, marks=pytest.mark.long)])
def test_the_writer_is_killed(town_there: Town, address: Address, kills: int) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.indexes.neo4j.writer"])
    moments = random.Random(7)
    for seed in range(1, kills + 1):
        reader = Reader(town_there, address)
        until(lambda seen=reader: seen.reads)  # type: ignore[misc]
        writer = context.Process(target=run, args=(town_there.root, address, seed, moments.randint(1, WRITES)))
        writer.start()
        writer.join(PATIENCE_S)
        assert writer.exitcode == -signal.SIGKILL
        reader.finish()
        check(town_there, address)


@pytest.mark.long  # a server that hangs, and one that is stopped, are in test_faults.py
@pytest.mark.parametrize(("kills", "last"), [(1, WRITES // 4), (10, WRITES)])
def test_the_server_is_killed(own: Path, town: Town, kills: int, last: int) -> None:
    running = own_server(own)
    address = Address(running.uri, running.user, running.password, deadline=10.0)
    edit(town, 0)
    publish(town, address)
    moments, edits = random.Random(11), itertools.count(1)
    for _ in range(kills):
        reader = Reader(town, address)

        def kill_it() -> BaseException:
            kill_server(own)
            return OSError("the server was killed")

        with (
            failing_at(moments.randint(1, last), town.root, kill_it, kinds=[NEO4J], lasting=False) as writes,
            contextlib.suppress(StoreError),
        ):
            while not writes.stopped:
                edit(town, next(edits))
                publish(town, address)
        running = own_server(own)
        address = Address(running.uri, running.user, running.password, deadline=10.0)
        reader.finish()
        check(town, address)
