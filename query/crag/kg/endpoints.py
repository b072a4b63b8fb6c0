"""Knowledge graphs behind an endpoint: any SPARQL 1.1 endpoint and any Neo4j; one bounded request to a server."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import httpx

from clausegraph.core.errors import NotFoundError, SettingsError, StoreRefused, StoreUnavailable
from clausegraph.query.crag.kg.plan import DayRange, GraphFact, GraphThing, SchemaRelation
from clausegraph.query.crag.kg.questions import candidates

if TYPE_CHECKING:
    from clausegraph.indexes.graph.neo4j.server import Neo4jServer

MOST_BYTES = 32_000_000  # CRAG's year of films has 25,000, its play by play of one game 250,000 bytes
_SHOWN = 200
_FOUND_THINGS, _MOST_TRIPLES = 25, 300  # things by a name, and triples of one
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


@dataclass(frozen=True, slots=True)
class EndpointLimits:
    """What one request may take."""

    seconds: float = 10.0
    bytes: int = MOST_BYTES


class Endpoint:
    """A server that answers JSON; for one thread."""

    def __init__(self, address: str, limits: EndpointLimits = EndpointLimits()) -> None:
        """Take the address, without a slash at its end."""
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(f"{address[:_SHOWN]!r} is no address of a knowledge graph; give http(s)://host[:port]")
        self.address = address.rstrip("/")
        self._limits = limits
        headers = {"accept": "application/json, application/sparql-results+json", "accept-encoding": "identity"}
        self._client = httpx.Client(headers=headers, follow_redirects=False, timeout=limits.seconds, trust_env=False)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def post(self, path: str, *, body: object = None, form: dict[str, str] | None = None) -> Any:
        """The JSON that the server answers.

        Raises:
            NotFoundError: it has no such thing (404).
            StoreRefused: it refuses, redirects, or what it answers is no JSON or too much.
            StoreUnavailable: it does not answer in time, or not well (5xx).
        """
        began = time.monotonic()
        given: dict[str, Any] = {"data": form} if form is not None else {"json": body}
        try:
            with self._client.stream("POST", self.address + path, **given) as response:
                content = self._read(response, began)
                status = response.status_code
        except httpx.TimeoutException as error:
            raise StoreUnavailable(
                f"{self.address} has not answered within {self._limits.seconds:g} seconds"
            ) from error
        except httpx.HTTPError as error:
            raise StoreUnavailable(f"{self.address} cannot be reached: {str(error)[:_SHOWN]}") from error
        return self._value(path, status, content)

    def _read(self, response: httpx.Response, began: float) -> bytes:
        content = bytearray()
        for piece in response.iter_raw():
            content += piece
            if len(content) > self._limits.bytes:
                raise StoreRefused(f"{self.address} answers more than {self._limits.bytes:,} bytes; ask for less")
            if time.monotonic() - began > self._limits.seconds:
                raise StoreUnavailable(f"{self.address} has not ended its answer in {self._limits.seconds:g} seconds")
        return bytes(content)

    def _value(self, path: str, status: int, content: bytes) -> Any:
        said = content[:_SHOWN].decode("utf-8", "replace")
        if status == 404:
            raise NotFoundError(f"{self.address}{path} is not there: {said}")
        if status >= 500 or status == 429:
            raise StoreUnavailable(f"{self.address}{path} answers {status}: {said}")
        if status != 200:
            raise StoreRefused(f"{self.address}{path} answers {status}: {said}")
        try:
            return json.loads(content)
        except ValueError as error:
            raise StoreRefused(f"{self.address}{path} answers no JSON: {said}") from error


_IRI = re.compile(r"https?://[^\s<>\"{}|\\^`\x00-\x20]{1,500}")


@dataclass(frozen=True, slots=True)
class SparqlShape:
    """How a graph writes names: the property of labels and their language, "" for literals without one."""

    label: str = "http://www.w3.org/2000/01/rdf-schema#label"
    language: str = "en"


class SparqlGraph:
    """An endpoint; queries only read, and an endpoint that lets others write is not asked to."""

    def __init__(self, endpoint: Endpoint, shape: SparqlShape = SparqlShape()) -> None:
        self._endpoint, self._shape = endpoint, shape

    @property
    def name(self) -> str:
        """Its address."""
        return self._endpoint.address

    def schema(self) -> Sequence[SchemaRelation]:
        """None: hop by hop on data."""
        return ()

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """Things with that label as written, in title case or with one capital: the most like first."""
        written = list(dict.fromkeys((name, name.title(), name.capitalize())))
        labels = " ".join(_literal(one, self._shape.language) for one in written)
        query = (
            f"SELECT DISTINCT ?thing ?label WHERE {{ VALUES ?label {{ {labels} }} "
            f"?thing <{self._shape.label}> ?label . FILTER(isIRI(?thing)) }} LIMIT {_FOUND_THINGS}"
        )
        rows = self._rows(query)
        called = {row["thing"]["value"]: row["label"]["value"] for row in rows if _IRI.fullmatch(row["thing"]["value"])}
        best = candidates(name, called.values())
        return [GraphThing(iri, label, kind) for label in best for iri, its in called.items() if its == label][:3]

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Triples with the thing as their subject, literals in the shape's language or none."""
        if not _IRI.fullmatch(thing.key):
            raise StoreRefused(f"{thing.key[:100]!r} is no IRI of a thing")
        language = self._shape.language
        query = (
            f"SELECT ?relation ?value ?label WHERE {{ <{thing.key}> ?relation ?value . "
            f'FILTER(!isLiteral(?value) || LANG(?value) = "" || LANGMATCHES(LANG(?value), "{language}")) '
            f"OPTIONAL {{ ?value <{self._shape.label}> ?label . FILTER(LANGMATCHES(LANG(?label), "
            f'"{language}")) }} }} LIMIT {_MOST_TRIPLES}'
        )
        found = []
        for row in self._rows(query):
            relation = _last(row["relation"]["value"])
            if relations is not None and relation not in relations:
                continue
            value = row["value"]
            said = row["label"]["value"] if "label" in row else _last(value["value"])
            is_thing = value["type"] == "uri" and _IRI.fullmatch(value["value"]) is not None
            other = GraphThing(value["value"], said, "") if is_thing else None
            found.append(GraphFact(f"{relation} of {thing.name}: {said}.", relation, other, thing.key))
        return found

    def _rows(self, query: str) -> list[dict[str, Any]]:
        reply = self._endpoint.post("", form={"query": query})
        try:
            rows = reply["results"]["bindings"]
            return [row for row in rows if all("value" in cell for cell in row.values())]
        except (KeyError, TypeError, AttributeError) as error:
            raise StoreRefused(f"{self.name} answers with no SPARQL results; is it an endpoint?") from error


def _literal(text: str, language: str) -> str:
    """A string literal: everything that could end it is escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\r", " ")
    return f'"{escaped}"@{language}' if language else f'"{escaped}"'


def _last(text: str) -> str:
    """The last part of an IRI, which names it; other values as they are."""
    return re.split(r"[/#]", text)[-1] if _IRI.fullmatch(text) else text


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
        from clausegraph.indexes.graph.neo4j.cypher import run_cypher  # an extra has the driver

        result = run_cypher(self._server, query, parameters, limit=_SAMPLE, timeout=_SECONDS)
        return list(result.rows)
