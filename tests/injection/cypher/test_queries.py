"""No hostile query runs: nothing is written, nothing is called, and nobody connects to the listener."""

from collections.abc import Iterator
from typing import Any

import pytest

from clausegraph.core.errors import QueryRefused
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.graph.neo4j.cypher import run_cypher
from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.rows import GraphCorpus
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.indexes.ledger.store import Ledger, ledger_id
from clausegraph.indexes.views import open_view
from clausegraph.query.stores.property_graph import ViewPropertyGraphStore
from tests.contracts.graph.scripted import Town
from tests.harness.cases import for_each
from tests.injection.cypher.conftest import Listener
from tests.injection.cypher.hostile import ALLOWED, HOSTILE_QUERIES

pytestmark = pytest.mark.integration

_FOOTPRINT = (
    "MATCH (n) RETURN 'node' AS kind, labels(n) AS what, count(*) AS held, sum(size(keys(n))) AS properties",
    "MATCH ()-[r]->() RETURN 'edge' AS kind, [type(r)] AS what, count(*) AS held, sum(size(keys(r))) AS properties",
    "SHOW USERS YIELD user, passwordChangeRequired RETURN user, passwordChangeRequired",
    "SHOW INDEXES YIELD name RETURN name ORDER BY name",
    "SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name",
    "SHOW DATABASES YIELD name, currentStatus RETURN name, currentStatus ORDER BY name",
    "CALL db.labels() YIELD label RETURN label ORDER BY label",
    "CALL db.propertyKeys() YIELD propertyKey RETURN propertyKey ORDER BY propertyKey",
)


def footprint(server: Neo4jServer) -> list[list[dict[str, Any]]]:
    return [sorted(server.read(query), key=str) for query in _FOOTPRINT]


@pytest.fixture(scope="module", autouse=True)
def untouched(server: Neo4jServer, town: Town, projection: Neo4jProjection) -> Iterator[None]:
    """The database after the tests of this module is the one before them."""
    before = footprint(server)
    assert projection.verify(town.id) == []
    yield
    assert footprint(server) == before
    assert projection.verify(town.id) == []


@pytest.fixture(scope="module")
def store(server: Neo4jServer, town: Town, projection: Neo4jProjection) -> Iterator[ViewPropertyGraphStore]:
    def graph_at(ledger: Ledger, corpus: CorpusRow, epoch: int) -> Neo4jGraph:
        return Neo4jGraph(server, ledger_id(ledger), GraphCorpus(corpus.id, corpus.name), epoch)

    with open_view(town.ledger, town.corpus, graph_at=graph_at) as view:
        yield ViewPropertyGraphStore(view, server)


def test_the_listener_would_see_it(server: Neo4jServer, listener: Listener) -> None:
    """Without the guard, a transaction for reading fetches addresses: the test's ear works."""
    before = listener.connections
    for name in ("load-csv", "load-csv-in-list", "apoc-json", "apoc-escaped-backtick", "function-fetch"):
        seen = listener.connections
        query: Any = HOSTILE_QUERIES[name].format(url=listener.url)
        with server._driver.session(default_access_mode="READ") as session, pytest.raises(Exception, match=r"\w"):
            session.run(query).consume()
            raise RuntimeError("it ran to its end")
        assert listener.connections > seen, name
    listener.connections = before


@for_each("name", HOSTILE_QUERIES)
def test_hostile_query(name: str, server: Neo4jServer, listener: Listener) -> None:
    with pytest.raises(QueryRefused) as refusal:
        run_cypher(server, HOSTILE_QUERIES[name].format(url=listener.url), {"corpus": "town", "epoch": 1}, timeout=5)
    assert listener.connections == 0
    assert len(str(refusal.value)) < 600 and str(refusal.value).isprintable()


@for_each("name", HOSTILE_QUERIES)
def test_hostile_query_of_a_language_model(name: str, store: ViewPropertyGraphStore, listener: Listener) -> None:
    """The same through LlamaIndex's store; the comment is there for it wants both names in the text."""
    query = HOSTILE_QUERIES[name].format(url=listener.url) + "\n// $corpus $epoch"
    with pytest.raises(QueryRefused):
        store.structured_query(query)
    assert listener.connections == 0


_OPERATORS = ("load-csv", "load-csv-in-count", "apoc-json", "dbms-config", "create", "write-in-call", "show-users",
              "read-in-transactions", "terminate", "create-user", "create-index")  # fmt: skip


@pytest.mark.parametrize("name", _OPERATORS)
def test_the_plan_is_looked_at_too(
    name: str, server: Neo4jServer, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clausegraph.indexes.graph.neo4j.cypher.checked_text", str)
    with pytest.raises(QueryRefused, match=r"plan has|CALL|does more than read"):
        run_cypher(server, HOSTILE_QUERIES[name].format(url=listener.url), {})
    assert listener.connections == 0


@pytest.mark.parametrize("name", ["create", "delete-nothing", "write-in-call", "create-user", "create-index"])
def test_the_transaction_is_for_reading_too(
    name: str, server: Neo4jServer, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clausegraph.indexes.graph.neo4j.cypher.checked_text", str)
    monkeypatch.setattr("clausegraph.indexes.graph.neo4j.cypher._check_plan", lambda _: None)
    with pytest.raises(QueryRefused, match="read access mode"):
        run_cypher(server, HOSTILE_QUERIES[name].format(url=listener.url), {})


@for_each("name", ALLOWED)
def test_honest_query(name: str, server: Neo4jServer) -> None:
    result = run_cypher(server, ALLOWED[name], {})
    assert result.columns
