"""A knowledge base given as files, in memory: nodes with names and texts, and edges between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from clausegraph.core.language.normalise import tokens
from clausegraph.query.crag.kg.names import candidates, plain
from clausegraph.query.crag.kg.plan import DayRange, GraphFact, GraphThing, SchemaRelation

_LOOKED_AT = 400  # nodes that share a word with a name
_MOST = 300  # facts of a thing
_LONGEST = 8  # words of a name that is looked for in a question


@dataclass(frozen=True, slots=True)
class FileNode:
    """Something of the knowledge base; ``type`` is empty where its files have none, ``text`` what they say of it."""

    id: str
    name: str
    type: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class FileEdge:
    """One relation between two nodes, by their ids."""

    source: str
    relation: str
    target: str


class FileGraph:
    """The knowledge base as a ``KnowledgeGraph``; edges are gone along in both directions, equal ones count once."""

    name = "the knowledge base"

    def __init__(self, nodes: Iterable[FileNode], edges: Iterable[FileEdge]) -> None:
        self.nodes = {node.id: node for node in nodes}
        self.edges = tuple(dict.fromkeys(edges))
        self._at: dict[str, list[FileEdge]] = defaultdict(list)
        for edge in self.edges:
            for key in dict.fromkeys((edge.source, edge.target)):
                self._at[key].append(edge)
        self._called: dict[str, list[str]] = defaultdict(list)
        self._by_word: dict[str, list[str]] = defaultdict(list)
        for node in self.nodes.values():
            name = plain(node.name)
            self._called[name].append(node.id)
            for word in set(name.split()):
                self._by_word[word].append(node.id)

    def schema(self) -> Sequence[SchemaRelation]:
        """Relations by the types of their ends; none where nodes have no types."""
        found: dict[SchemaRelation, None] = {}
        for edge in self.edges:
            one, other = self.nodes[edge.source].type, self.nodes[edge.target].type
            if one and other:
                found[SchemaRelation(edge.relation, one, other)] = None
                found[SchemaRelation(edge.relation, other, one)] = None
        return tuple(found)

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """Nodes of that name, then those whose names are most like it."""
        keys = dict.fromkeys(self._called.get(plain(name), ()))
        shared = [key for word in plain(name).split() for key in self._by_word.get(word, ())[:_LOOKED_AT]]
        likely = candidates(name, [self.nodes[key].name for key in dict.fromkeys(shared)])
        keys |= dict.fromkeys(key for one in likely for key in self._called[plain(one)])
        return [one for one in map(self._thing, keys) if not kind or one.type == kind][:3]

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Edges in both directions; files have no days to choose by."""
        found = []
        for edge in self._at.get(thing.key, ()):
            if relations is None or edge.relation in relations:
                other = self._thing(edge.target if edge.source == thing.key else edge.source)
                ends = (self.nodes[edge.source].name, self.nodes[edge.target].name)
                text = f"{ends[0]} {edge.relation.replace('_', ' ').strip()} {ends[1]}."
                found.append(GraphFact(text, edge.relation, other, f"node {thing.key}"))
        return found[:_MOST]

    def named_in(self, text: str) -> list[GraphThing]:
        """The nodes whose whole names stand in a text, longer names first taken; for who asks no model."""
        words = plain(text).split()
        taken, found = [False] * len(words), dict[str, None]()
        for length in range(min(_LONGEST, len(words)), 0, -1):
            for at in range(len(words) - length + 1):
                keys = self._called.get(" ".join(words[at : at + length]), ())
                if keys and not any(taken[at : at + length]):
                    taken[at : at + length] = [True] * length
                    found |= dict.fromkeys(keys)
        return [self._thing(key) for key in found if tokens(self.nodes[key].name)]

    def _thing(self, key: str) -> GraphThing:
        return GraphThing(key, self.nodes[key].name, self.nodes[key].type)
