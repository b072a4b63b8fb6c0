"""The stores under contract: the SQL graph, and Neo4j behind its projection."""

from collections.abc import Callable, Iterator

import pytest

from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.rows import GraphCorpus
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.indexes.graph.protocol import Graph
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.ledger.store import Ledger, ledger_id
from tests.contracts.graph.scripted import Town
from tests.harness.neo4j import emptied, shared_address

Opener = Callable[[Ledger, int, str, int], Graph]  # ledger, corpus id and name, epoch


@pytest.fixture
def town() -> Iterator[Town]:
    town = Town()
    yield town
    town.close()


SAME_IN_NEO4J = pytest.mark.parametrize(
    "opened", ["sql", pytest.param("neo4j", marks=[pytest.mark.integration, pytest.mark.long])], indirect=True
)
"""For reads of which ``tests/indexes/neo4j/test_retrieval.py`` sees that both stores answer them alike."""


@pytest.fixture(params=["sql", pytest.param("neo4j", marks=pytest.mark.integration)])
def opened(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Open a graph of the store; what the ledger has is brought there first."""
    if request.param == "sql":
        yield lambda ledger, corpus_id, _, epoch: SqlGraph(ledger, corpus_id, epoch)
        return
    address = shared_address()
    emptied(address)
    with Neo4jServer(address) as server:

        def neo4j_graph(ledger: Ledger, corpus_id: int, name: str, epoch: int) -> Graph:
            Neo4jProjection(ledger, server).catch_up(corpus_id)
            return Neo4jGraph(server, ledger_id(ledger), GraphCorpus(corpus_id, name), epoch)

        yield neo4j_graph


@pytest.fixture
def at(town: Town, opened: Opener) -> Callable[[int], Graph]:
    """The town's graph at an epoch."""
    return lambda epoch: opened(town.ledger, town.id, town.corpus, epoch)
