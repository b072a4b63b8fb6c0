"""A Neo4j with data of somebody else's as a knowledge graph for open questions."""

from collections.abc import Iterator

import pytest

from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.query.crag.kg.graphs import CypherGraph
from clausegraph.query.crag.kg.plan import SchemaRelation

pytestmark = pytest.mark.integration


@pytest.fixture
def bridges(server: Neo4jServer) -> Iterator[Neo4jServer]:
    server.write(
        "CREATE (:Bridge {name: 'Alder Bridge', length: 412})-[:CROSSES]->(r:River {name: 'River Alder'}),"
        " (:Bridge {name: 'Alder Footbridge'})-[:CROSSES]->(r)"
    )
    yield server
    server.write("MATCH (n) WHERE n:Bridge OR n:River DETACH DELETE n")


def test_labels_relationships_and_properties(bridges: Neo4jServer) -> None:
    graph = CypherGraph(bridges)
    assert {SchemaRelation("CROSSES", "bridge", "river"), SchemaRelation("length", "bridge")} <= set(graph.schema())
    found = graph.find("alder bridge", "bridge")
    assert [thing.name for thing in found] == ["Alder Bridge"]
    assert [thing.name for thing in graph.find("alder", "river")] == ["River Alder"]
    assert graph.find("alder' OR true //", "") == []
    facts = graph.facts(found[0], None, None)
    assert [fact.text for fact in facts] == ["Alder Bridge crosses River Alder.", "length of Alder Bridge: 412."]
    river = facts[0].thing
    assert river is not None and river.type == "river"
    assert sorted(fact.text for fact in graph.facts(river, ["CROSSES"], None)) == [
        "Alder Bridge crosses River Alder.",
        "Alder Footbridge crosses River Alder.",
    ]
    assert graph.facts(found[0], ["length"], None)[0].text == "length of Alder Bridge: 412."
