"""Any SPARQL 1.1 endpoint as a knowledge graph: labels to things, triples to facts. Names go in as literals, escaped.

A plan is made on its data, hop by hop: what an endpoint calls its schema is too large to show (DBpedia has thousands of
properties), and few say what holds of a thing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from clausegraph.core.errors import StoreRefused
from clausegraph.query.crag.kg.align import candidates
from clausegraph.query.crag.kg.http import Endpoint
from clausegraph.query.crag.kg.protocol import DayRange, GraphFact, GraphThing, SchemaRelation

_IRI = re.compile(r"https?://[^\s<>\"{}|\\^`\x00-\x20]{1,500}")
_FOUND, _MOST = 25, 300  # things by a name, and triples of one


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
            f"?thing <{self._shape.label}> ?label . FILTER(isIRI(?thing)) }} LIMIT {_FOUND}"
        )
        rows = self._rows(query)
        called = {row["thing"]["value"]: row["label"]["value"] for row in rows if _IRI.fullmatch(row["thing"]["value"])}
        best = candidates(name, called.values())
        return [GraphThing(iri, label, kind) for label in best for iri, its in called.items() if its == label][:3]

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Triples with the thing as their subject, literals in the shape's language or none.

        Raises:
            StoreRefused: the thing's key is no address that can stand in a query.
        """
        if not _IRI.fullmatch(thing.key):
            raise StoreRefused(f"{thing.key[:100]!r} is no IRI of a thing")
        language = self._shape.language
        query = (
            f"SELECT ?relation ?value ?label WHERE {{ <{thing.key}> ?relation ?value . "
            f'FILTER(!isLiteral(?value) || LANG(?value) = "" || LANGMATCHES(LANG(?value), "{language}")) '
            f"OPTIONAL {{ ?value <{self._shape.label}> ?label . FILTER(LANGMATCHES(LANG(?label), "
            f'"{language}")) }} }} LIMIT {_MOST}'
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
