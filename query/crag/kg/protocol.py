"""What is asked of any knowledge graph: find a thing by name, its schema, and facts of the thing along relations.

Ours, an endpoint and an API of functions answer alike, so that one plan works over all.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from clausegraph.core.types import Evidence

DayRange = tuple[date, date]


@dataclass(frozen=True, slots=True)
class GraphThing:
    """Something the graph knows: its key there, how it is called, and of which type of the schema it is."""

    key: str
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class SchemaRelation:
    """A relation that things of a type may have; ``gives`` is the type it leads to, empty for a plain value."""

    name: str
    of: str
    gives: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class GraphFact:
    """One fact in words, the relation it is of, the thing it leads to, and the query or call that gave it."""

    text: str
    relation: str
    thing: GraphThing | None = None
    source: str = ""
    evidence: tuple[Evidence, ...] = ()  # where it is stated, if the graph knows


class KnowledgeGraph(Protocol):
    """Raises ``StoreError`` where it does not answer; nothing found is an empty list."""

    @property
    def name(self) -> str:
        """As answers cite it."""

    def schema(self) -> Sequence[SchemaRelation]:
        """All relations by type; empty where the graph has no schema, so that a plan is made on data."""

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """The things of that type most like a name, at most three, the surest first; any type where it is empty."""

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Facts of a thing along these relations (none means all); those that have a time, of these days."""
