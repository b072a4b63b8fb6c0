"""The stores over a graph in Neo4j: what they answer is what they answer from the ledger, and Cypher only reads."""

from collections.abc import Iterator
from typing import Any

import pytest
from llama_index.core import PropertyGraphIndex
from llama_index.core.indices.property_graph import CypherTemplateRetriever, TextToCypherRetriever
from llama_index.core.llms import MockLLM
from pydantic import BaseModel, Field

from clausegraph.core.errors import InputError, QueryRefused, StoreMismatch
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.rows import GraphCorpus
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.indexes.ledger.store import Ledger, ledger_id
from clausegraph.indexes.views import View, open_view
from clausegraph.query.stores.llamaindex import EmbedderModel
from clausegraph.query.stores.property_graph import ViewPropertyGraphStore
from clausegraph.query.stores.vector_store import ViewVectorStore
from tests.contracts.graph.scripted import Town
from tests.harness.neo4j import emptied, shared_address
from tests.query.llamaindex.conftest import Script

pytestmark = pytest.mark.integration

OF_ONE = (
    "MATCH (e:Entity {name: $name})-[r:STATES]->(o) WHERE r.corpus = $corpus AND r.since <= $epoch AND "
    "r.until > $epoch RETURN r.relation AS relation, o.name AS object ORDER BY relation, object"
)


class Named(BaseModel):
    """What the template asks for."""

    name: str = Field(description="of an entity")


@pytest.fixture
def server() -> Iterator[Neo4jServer]:
    address = shared_address()
    emptied(address)
    with Neo4jServer(address) as server:
        yield server


@pytest.fixture
def projected(town: Town, server: Neo4jServer) -> Iterator[View]:
    Neo4jProjection(town.ledger, server).catch_up(town.id)

    def graph_at(ledger: Ledger, corpus: CorpusRow, epoch: int) -> Neo4jGraph:
        return Neo4jGraph(server, ledger_id(ledger), GraphCorpus(corpus.id, corpus.name), epoch)

    with open_view(town.ledger, town.corpus, graph_at=graph_at) as view:
        yield view


def test_cypher_retrievers(projected: View, server: Neo4jServer, embed_model: EmbedderModel) -> None:
    store = ViewPropertyGraphStore(projected, server)
    before = footprint(server)
    written = Script(says=OF_ONE.replace("$name", "'council'"))
    (answer,) = TextToCypherRetriever(store, llm=written).retrieve("What does the council like?")
    assert "'object': 'pensioner'" in answer.text
    filled = CypherTemplateRetriever(store, Named, OF_ONE, llm=Script(says='{"name": "winter grant"}'))
    assert "{'relation': 'amount', 'object': '£40'}" in filled.retrieve("What about the winter grant?")[0].text
    assert "$epoch" in store.get_schema_str() and '"may ask" (1)' in store.get_schema_str()
    index = PropertyGraphIndex.from_existing(
        property_graph_store=store, vector_store=ViewVectorStore(projected), llm=MockLLM(), embed_model=embed_model
    )
    engine = index.as_query_engine(sub_retrievers=[TextToCypherRetriever(store, llm=written)], llm=MockLLM())
    assert "pensioner" in str(engine.query("What does the council like?"))
    assert footprint(server) == before


def footprint(server: Neo4jServer) -> list[Any]:
    return [
        server.read("MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN count(DISTINCT n) AS nodes, count(r) AS edges"),
        server.read("SHOW INDEXES YIELD name RETURN name ORDER BY name"),
        server.read("SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name"),
    ]


def test_what_cypher_may_not_do(town: Town, projected: View, view: View, server: Neo4jServer) -> None:
    store = ViewPropertyGraphStore(projected, server)
    before = footprint(server)
    pinned = "WITH $corpus AS c, $epoch AS e "
    for query in (
        pinned + "MATCH (n) DETACH DELETE n RETURN 1",
        pinned + "LOAD CSV FROM 'http://127.0.0.1:1/x' AS line RETURN line",
        pinned + "CALL dbms.listConfig() YIELD name RETURN name",
        "no Cypher, $corpus $epoch",
    ):
        with pytest.raises(QueryRefused):
            store.structured_query(query)
    assert footprint(server) == before
    with pytest.raises(QueryRefused, match=r"does not use \$epoch"):
        store.structured_query("MATCH (e:Entity {corpus: $corpus}) RETURN e.name")
    with pytest.raises(InputError, match=r"\$epoch is pinned"):
        store.structured_query(OF_ONE, {"name": "council", "epoch": 7})
    with pytest.raises(InputError, match="CLAUSEGRAPH_GRAPH=neo4j"):
        ViewPropertyGraphStore(view, server)
    with pytest.raises(QueryRefused, match="more than 1000 rows"):
        store.structured_query(pinned + "UNWIND range(1, 2000) AS one RETURN one, c, e")
    server.write("MATCH (c:Corpus {id: $id}) DETACH DELETE c", id=town.id)
    with pytest.raises(StoreMismatch, match="the corpus is not in it"):
        store.structured_query(OF_ONE, {"name": "council"})
