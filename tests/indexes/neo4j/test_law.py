"""The law with Neo4j as a third store: whatever happens, it shows of every retained epoch what the ledger shows."""

import contextlib
import functools

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from clausegraph.core.errors import StoreUnavailable
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.rows import GraphCorpus
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from clausegraph.indexes.graph.protocol import Projections
from clausegraph.indexes.ledger.store import Ledger, ledger_id
from tests.harness.neo4j import emptied, shared_address
from tests.harness.writes import NEO4J, failing_at
from tests.law.test_law import NAMES, Law, examples, texts
from tests.law.world import World

pytestmark = pytest.mark.integration

AWAY = Address("bolt://127.0.0.1:1", deadline=0.5)
BATCH = 7  # rows a transaction, so that a run has several writes to die at; the rule that kills is the law's


class LawOnNeo4j(Law):
    """The law's world, published with Neo4j as a required projection."""

    def make_world(self) -> World:
        address = shared_address()
        emptied(address)
        world = World()
        self.server = Neo4jServer(address)
        self.projection = Neo4jProjection(world.ledger, self.server, batch=BATCH)
        world.projections = Projections(self.projection, required=True)

        def graph_at(ledger: Ledger, corpus: CorpusRow, epoch: int) -> Neo4jGraph:
            return Neo4jGraph(self.server, ledger_id(ledger), GraphCorpus(corpus.id, corpus.name), epoch)

        world.graph_at = graph_at
        return world

    @rule(write=st.integers(1, 8))
    def the_server_goes_away_for_a_while(self, write: int) -> None:
        """A required server that fails before the flip stops the run; readers keep what they had."""
        lost = functools.partial(OSError, "the connection was lost")
        with failing_at(write, self.world.root, lost, kinds=[NEO4J]), contextlib.suppress(StoreUnavailable):
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
            self.world.projections = Projections(away)
            self.world.ingest()
        self.world.projections, self.world.graph_at = followed, graph_at
        self._ingest()

    @precondition(lambda self: self.was)
    @rule()
    def wiped(self) -> None:
        """The database is lost; what is published next brings everything back."""
        emptied(self.server.address)
        self.projection = Neo4jProjection(self.world.ledger, self.server, batch=BATCH)
        self.world.projections = Projections(self.projection, required=True)
        self._ingest()

    @invariant()
    def published_equals_clean_build(self) -> None:
        """That of the ledger does: the law without Neo4j."""

    @invariant()
    def every_row_is_as_the_ledger_has_it(self) -> None:
        if self.current:
            assert self.projection.verify(self.world.row.id) == []

    def teardown(self) -> None:
        self.server.close()
        super().teardown()


TestLawOnNeo4j = LawOnNeo4j.TestCase
TestLawOnNeo4j.settings = examples(2, 6)


@pytest.mark.long
class TestLawOnNeo4jForLong(TestLawOnNeo4j):
    settings = examples(40, 10)
