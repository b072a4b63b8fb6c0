"""Any Neo4j as a knowledge graph: labels are types, relationship types are relations, one property has the names.

Queries are ours and take names as parameters; they run through the guard that analysts' Cypher runs through, so nothing
is written whatever the database holds. The schema is what a sample of its relationships shows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from clausegraph.indexes.graph.neo4j.cypher import run_cypher
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.query.crag.kg.align import candidates
from clausegraph.query.crag.kg.plan import DayRange, GraphFact, GraphThing, SchemaRelation

_FOUND, _MOST, _SAMPLE = 50, 300, 5000
_SECONDS = 20.0
_FIND = """MATCH (n) WHERE ($kind = '' OR toLower($kind) IN [label IN labels(n) | toLower(label)])
  AND toLower(toString(n[$property])) CONTAINS toLower($name)
RETURN elementId(n) AS key, toString(n[$property]) AS name, coalesce(labels(n)[0], '') AS kind LIMIT $limit"""
_SCHEMA = """MATCH (a)-[r]->(b) WITH a, r, b LIMIT $sample
RETURN DISTINCT coalesce(labels(a)[0], '') AS kind, type(r) AS relation, coalesce(labels(b)[0], '') AS gives"""
_PROPERTIES = """MATCH (n) WITH n LIMIT $sample UNWIND keys(n) AS property
RETURN DISTINCT coalesce(labels(n)[0], '') AS kind, property"""
_RELATED = """MATCH (n)-[r]-(m) WHERE elementId(n) = $key AND ($every OR type(r) IN $relations)
RETURN type(r) AS relation, startNode(r) = n AS onward, elementId(m) AS key, toString(m[$property]) AS name,
  coalesce(labels(m)[0], '') AS kind LIMIT $limit"""
_VALUES = "MATCH (n) WHERE elementId(n) = $key RETURN properties(n) AS values"


class CypherGraph:
    """A database of Neo4j, read only."""

    def __init__(self, server: Neo4jServer, property: str = "name") -> None:
        """Take the server, and the property that has the names of its nodes."""
        self._server, self._property = server, property
        self._schema: list[SchemaRelation] | None = None

    @property
    def name(self) -> str:
        """As answers cite it."""
        return "Neo4j"

    def schema(self) -> Sequence[SchemaRelation]:
        """Relationship types and properties by label, as a sample shows them; read once."""
        if self._schema is None:
            related = self._rows(_SCHEMA, sample=_SAMPLE)
            values = self._rows(_PROPERTIES, sample=_SAMPLE)
            found = [SchemaRelation(relation, kind.lower(), gives.lower()) for kind, relation, gives in related]
            found += [SchemaRelation(name, kind.lower()) for kind, name in values if name != self._property]
            self._schema = list(dict.fromkeys(found))
        return self._schema

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """Nodes of the label whose name has the given one in it, the most like first."""
        rows = self._rows(_FIND, name=name, kind=kind, property=self._property, limit=_FOUND)
        best = candidates(name, [called for _, called, _ in rows])
        return [GraphThing(key, called, label.lower()) for one in best for key, called, label in rows if called == one][
            :3
        ]

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Relationships in both directions, and properties."""
        every = relations is None
        wanted = sorted(relations or ())
        rows = self._rows(_RELATED, key=thing.key, every=every, relations=wanted, property=self._property, limit=_MOST)
        found = []
        for relation, onward, key, name, label in rows:
            ends = (thing.name, name) if onward else (name, thing.name)
            text = f"{ends[0]} {relation.lower().replace('_', ' ')} {ends[1]}."
            found.append(GraphFact(text, relation, GraphThing(key, name or key, label.lower()), f"node {thing.key}"))
        for (values,) in self._rows(_VALUES, key=thing.key):
            found += [
                GraphFact(f"{name} of {thing.name}: {value}.", name, None, f"node {thing.key}")
                for name, value in values.items()
                if name != self._property and (every or name in wanted)
            ]
        return found

    def _rows(self, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
        result = run_cypher(self._server, query, parameters, limit=_SAMPLE, timeout=_SECONDS)
        return list(result.rows)
