"""Knowledge graphs that a plan goes along: a corpus's own, any SPARQL 1.1 endpoint, any Neo4j."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from clausegraph.core.errors import StoreRefused
from clausegraph.core.language.normalise import tokens
from clausegraph.core.types import LITERAL, Evidence
from clausegraph.indexes.views import View
from clausegraph.query.crag.kg.endpoint import Endpoint
from clausegraph.query.crag.kg.names import candidates
from clausegraph.query.crag.kg.plan import DayRange, GraphFact, GraphThing, SchemaRelation
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.retrieve.nearest import anchors_of

if TYPE_CHECKING:
    from clausegraph.indexes.graph.neo4j.server import Neo4jServer

_LOOKED_AT = 40  # entities that share words with a name
_MOST_FACTS = 200  # of a thing of a corpus
_THING = "thing"


class CorpusGraph:
    """The graph of a view. It has no schema, and what an epoch states has no days to choose by."""

    name = "the corpus's graph"

    def __init__(self, view: View) -> None:
        self._view = view

    def schema(self) -> Sequence[SchemaRelation]:
        return ()

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """Entities whose names are most like it; types are the pages' own and do not restrict."""
        known = self._view.graph.named([name], normalised=True)
        hits = [hit.key for hit in self._view.graph.entities(tokens(name), _LOOKED_AT)]
        keys = list(dict.fromkeys([*known.values(), *candidates(name, hits)]))
        return [GraphThing(key, key, _THING) for key in keys[:3]]

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Facts in which the thing is subject or object."""
        if relations is not None and not relations:
            return []
        wanted = None if relations is None else sorted(relations)
        facts = self._view.graph.neighbourhood([thing.key], hops=1, limit=_MOST_FACTS, relations=wanted)
        stated, found = self._stated([fact.id for fact in facts]), []
        for fact in facts:
            key = fact.object if fact.subject == thing.key else fact.subject
            other = None if key.startswith(LITERAL) or key == thing.key else GraphThing(key, key, _THING)
            found.append(GraphFact(fact.text, fact.relation, other, fact.id, stated.get(fact.id, ())))
        return found

    def _stated(self, ids: list[str]) -> dict[str, tuple[Evidence, ...]]:
        """Of each fact the first element that states it."""
        found: dict[str, tuple[Evidence, ...]] = {}
        for support in self._view.graph.supports(ids):
            if support.fact_id not in found:
                reading = self._view.reading(support.page)
                elements = (reading.element(anchor) for anchor in anchors_of(support.statement))
                element = next((one for one in elements if one is not None), None)
                if element is not None:
                    found[support.fact_id] = (evidence_of(support.page, reading, element),)
        return found


# --- SPARQL -----------------------------------------------------------------------------------------

_IRI = re.compile(r"https?://[^\s<>\"{}|\\^`\x00-\x20]{1,500}")
_LABEL, _LANGUAGE = "http://www.w3.org/2000/01/rdf-schema#label", "en"
_FOUND_THINGS, _MOST_TRIPLES = 25, 300  # things by a name, and triples of one


class SparqlGraph:
    """An endpoint; queries only read, and an endpoint that lets others write is not asked to. It has no schema."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def name(self) -> str:
        return self._endpoint.address

    def schema(self) -> Sequence[SchemaRelation]:
        return ()

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """Things with that label as written, in title case or with one capital: the most like first."""
        labels = " ".join(map(_literal, dict.fromkeys((name, name.title(), name.capitalize()))))
        rows = self._rows(
            f"SELECT DISTINCT ?thing ?label WHERE {{ VALUES ?label {{ {labels} }} "
            f"?thing <{_LABEL}> ?label . FILTER(isIRI(?thing)) }} LIMIT {_FOUND_THINGS}"
        )
        called = {row["thing"]["value"]: row["label"]["value"] for row in rows if _IRI.fullmatch(row["thing"]["value"])}
        best = candidates(name, called.values())
        return [GraphThing(iri, label, kind) for label in best for iri, its in called.items() if its == label][:3]

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Triples with the thing as their subject; ``StoreRefused`` where its key is no address for a query."""
        if not _IRI.fullmatch(thing.key):
            raise StoreRefused(f"{thing.key[:100]!r} is no IRI of a thing")
        rows = self._rows(
            f"SELECT ?relation ?value ?label WHERE {{ <{thing.key}> ?relation ?value . "
            f'FILTER(!isLiteral(?value) || LANG(?value) = "" || LANGMATCHES(LANG(?value), "{_LANGUAGE}")) '
            f"OPTIONAL {{ ?value <{_LABEL}> ?label . FILTER(LANGMATCHES(LANG(?label), "
            f'"{_LANGUAGE}")) }} }} LIMIT {_MOST_TRIPLES}'
        )
        found = []
        for row in rows:
            relation, value = _last(row["relation"]["value"]), row["value"]
            if relations is None or relation in relations:
                said = row["label"]["value"] if "label" in row else _last(value["value"])
                is_thing = value["type"] == "uri" and _IRI.fullmatch(value["value"]) is not None
                other = GraphThing(value["value"], said, "") if is_thing else None
                found.append(GraphFact(f"{relation} of {thing.name}: {said}.", relation, other, thing.key))
        return found

    def _rows(self, query: str) -> list[dict[str, Any]]:
        reply = self._endpoint.post("", form={"query": query})
        try:
            return [row for row in reply["results"]["bindings"] if all("value" in cell for cell in row.values())]
        except (KeyError, TypeError, AttributeError) as error:
            raise StoreRefused(f"{self.name} answers with no SPARQL results; is it an endpoint?") from error


def _literal(text: str) -> str:
    """A string literal: everything that could end it is escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ")
    return f'"{escaped}"@{_LANGUAGE}'


def _last(text: str) -> str:
    """The last part of an IRI, which names it; other values as they are."""
    return re.split(r"[/#]", text)[-1] if _IRI.fullmatch(text) else text


# --- Neo4j ------------------------------------------------------------------------------------------

_FOUND, _MOST, _SAMPLE = 50, 300, 5000
_SECONDS = 20.0
_NAME = "name"  # the property that names a node
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
    """A database of Neo4j, read only; the property ``name`` names a node."""

    name = "Neo4j"

    def __init__(self, server: Neo4jServer) -> None:
        self._server = server
        self._schema: list[SchemaRelation] | None = None

    def schema(self) -> Sequence[SchemaRelation]:
        """Relationship types and properties by label, as a sample shows them; read once."""
        if self._schema is None:
            related = self._rows(_SCHEMA, sample=_SAMPLE)
            values = self._rows(_PROPERTIES, sample=_SAMPLE)
            found = [SchemaRelation(relation, kind.lower(), gives.lower()) for kind, relation, gives in related]
            found += [SchemaRelation(name, kind.lower()) for kind, name in values if name != _NAME]
            self._schema = list(dict.fromkeys(found))
        return self._schema

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """Nodes of the label whose name has the given one in it, the most like first."""
        rows = self._rows(_FIND, name=name, kind=kind, property=_NAME, limit=_FOUND)
        best = candidates(name, [called for _, called, _ in rows])
        found = [GraphThing(key, called, label.lower()) for one in best for key, called, label in rows if called == one]
        return found[:3]

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Relationships in both directions, and properties."""
        every, wanted = relations is None, sorted(relations or ())
        rows = self._rows(_RELATED, key=thing.key, every=every, relations=wanted, property=_NAME, limit=_MOST)
        found = []
        for relation, onward, key, name, label in rows:
            ends = (thing.name, name) if onward else (name, thing.name)
            text = f"{ends[0]} {relation.lower().replace('_', ' ')} {ends[1]}."
            found.append(GraphFact(text, relation, GraphThing(key, name or key, label.lower()), f"node {thing.key}"))
        for (values,) in self._rows(_VALUES, key=thing.key):
            found += [
                GraphFact(f"{name} of {thing.name}: {value}.", name, None, f"node {thing.key}")
                for name, value in values.items()
                if name != _NAME and (every or name in wanted)
            ]
        return found

    def _rows(self, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
        from clausegraph.indexes.graph.neo4j.cypher import run_cypher  # an extra has the driver

        return list(run_cypher(self._server, query, parameters, limit=_SAMPLE, timeout=_SECONDS).rows)
