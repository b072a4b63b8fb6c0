"""The law with Neo4j as a third store: whatever happens, it shows of every retained epoch what the ledger shows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from clausegraph.core.errors import StoreUnavailable
from clausegraph.indexes.corpora import CorpusRow, get_corpus
from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
from clausegraph.indexes.graph.neo4j.keys import Corpus
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from clausegraph.indexes.graph.projections import Follower, Projections
from clausegraph.indexes.ledger.identity import ledger_id
from clausegraph.indexes.ledger.store import Ledger
from tests.indexes.neo4j.server import emptied, shared_address
from tests.law.test_law import NAMES, Law, texts
from tests.law.world import CORPUS, Killed, World

pytestmark = pytest.mark.integration

AWAY = Address("bolt://127.0.0.1:1", deadline=0.5)
BATCH = 7  # rows a transaction, so that there are several moments to die at


class LawOnNeo4j(Law):
    """The law's world, published with Neo4j as a required projection."""

    def make_world(self) -> World:
        address = shared_address()
        emptied(address)
        world = World()
        self.server = Neo4jServer(address)
        self.projection = Neo4jProjection(world.ledger, self.server, batch=BATCH)
        world.projections = Projections((Follower(self.projection, required=True),))

        def graph_at(ledger: Ledger, corpus: CorpusRow, epoch: int) -> Neo4jGraph:
            return Neo4jGraph(self.server, ledger_id(ledger), Corpus(corpus.id, corpus.name), epoch)

        world.graph_at = graph_at
        return world

    @rule(writes=st.integers(0, 8), name=st.sampled_from(NAMES), paragraphs=texts)
    def killed_while_neo4j_is_written(self, writes: int, name: str, paragraphs: list[str]) -> None:
        with contextlib.suppress(Killed), failing_after(writes, Killed()):
            self.world.ingest()
        self._remember()
        self.world.write(name, paragraphs)
        self._ingest()

    @rule(writes=st.integers(0, 8))
    def the_server_goes_away_for_a_while(self, writes: int) -> None:
        """A required server that fails before the flip stops the run; readers keep what they had."""
        with contextlib.suppress(StoreUnavailable), failing_after(writes, StoreUnavailable("away")):
            self.world.ingest()
        self._remember()
        self._ingest()

    @precondition(lambda self: self.was)
    @rule(name=st.sampled_from(NAMES), paragraphs=texts)
    def published_without_the_server(self, name: str, paragraphs: list[str]) -> None:
        """An optional projection lags, and is caught up by the next run, even one that changes nothing."""
        followed, graph_at, self.world.graph_at = self.world.projections, self.world.graph_at, None
        self.world.write(name, paragraphs)
        with Neo4jProjection(self.world.ledger, Neo4jServer(AWAY)) as away:
            self.world.projections = Projections((Follower(away),))
            self.world.ingest()
        self.world.projections, self.world.graph_at = followed, graph_at
        self._ingest()

    @precondition(lambda self: self.was)
    @rule()
    def wiped(self) -> None:
        """The database is lost; what is published next brings everything back."""
        emptied(self.server.address)
        self.projection = Neo4jProjection(self.world.ledger, self.server, batch=BATCH)
        self.world.projections = Projections((Follower(self.projection, required=True),))
        self._ingest()

    @invariant()
    def published_equals_clean_build(self) -> None:
        """That of the ledger does: the law without Neo4j."""

    @invariant()
    def every_row_is_as_the_ledger_has_it(self) -> None:
        if self.current:
            assert self.projection.verify(get_corpus(self.world.ledger, CORPUS).id) == []

    def teardown(self) -> None:
        self.server.close()
        super().teardown()


@contextlib.contextmanager
def failing_after(writes: int, error: BaseException) -> Iterator[None]:
    """The server takes so many more transactions that write."""
    left = iter(range(writes))
    write_all = Neo4jServer.write_all

    def counted(server: Neo4jServer, *arguments: Any) -> Any:
        if next(left, None) is None:
            raise error
        return write_all(server, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Neo4jServer, "write_all", counted)
        yield


LawOnNeo4j.TestCase.settings = settings(
    max_examples=20, stateful_step_count=8, deadline=None, suppress_health_check=list(HealthCheck)
)
TestLawOnNeo4j = LawOnNeo4j.TestCase
