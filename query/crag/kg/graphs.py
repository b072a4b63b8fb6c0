"""Knowledge graphs at hand: that of a corpus, and a knowledge base that is given as files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from clausegraph.core.language.normalise import tokens
from clausegraph.core.types import LITERAL, Evidence, Fact
from clausegraph.indexes.views import View
from clausegraph.query.crag.kg.plan import DayRange, GraphFact, GraphThing, SchemaRelation
from clausegraph.query.crag.kg.questions import candidates, plain
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.retrieve.nearest import anchors_of

_LOOKED_AT_ENTITIES = 40  # entities that share words with a name
_MOST_FACTS = 200  # facts of a thing
_THING = "thing"
_LOOKED_AT = 400  # nodes that share a word with a name
_MOST = 300  # facts of a thing, as of any graph here
_LONGEST = 8  # words of a name that is looked for in a question


class CorpusGraph:
    """The graph of a view."""

    name = "the corpus's graph"

    def __init__(self, view: View) -> None:
        self._view = view

    def schema(self) -> Sequence[SchemaRelation]:
        """None: hop by hop on data."""
        return ()

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """Entities whose names are most like it; types are the pages' own and do not restrict."""
        known = self._view.graph.named([name], normalised=True)
        hits = [hit.key for hit in self._view.graph.entities(tokens(name), _LOOKED_AT_ENTITIES)]
        keys = list(dict.fromkeys([*known.values(), *candidates(name, hits)]))
        return [GraphThing(key, key, _THING) for key in keys[:3]]

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Facts in which the thing is subject or object; what the epoch states has no days to choose by."""
        if relations is not None and not relations:
            return []
        wanted = None if relations is None else sorted(relations)
        facts = self._view.graph.neighbourhood([thing.key], hops=1, limit=_MOST_FACTS, relations=wanted)
        stated = self._stated([fact.id for fact in facts])
        return [
            GraphFact(fact.text, fact.relation, _other(fact, thing), fact.id, stated.get(fact.id, ())) for fact in facts
        ]

    def _stated(self, ids: list[str]) -> dict[str, tuple[Evidence, ...]]:
        """Of each fact the first element that states it."""
        found: dict[str, tuple[Evidence, ...]] = {}
        for support in self._view.graph.supports(ids):
            if support.fact_id in found:
                continue
            reading = self._view.reading(support.page)
            elements = (reading.element(anchor) for anchor in anchors_of(support.statement))
            element = next((one for one in elements if one is not None), None)
            if element is not None:
                found[support.fact_id] = (evidence_of(support.page, reading, element),)
        return found


def _other(fact: Fact, thing: GraphThing) -> GraphThing | None:
    key = fact.object if fact.subject == thing.key else fact.subject
    return None if key.startswith(LITERAL) or key == thing.key else GraphThing(key, key, _THING)


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
    """The knowledge base as a ``KnowledgeGraph``; edges are gone along in both directions."""

    name = "the knowledge base"

    def __init__(self, nodes: Iterable[FileNode], edges: Iterable[FileEdge]) -> None:
        """Take nodes and edges between them; equal edges count once."""
        self.nodes = {node.id: node for node in nodes}
        self.edges = tuple(dict.fromkeys(edges))
        self._at: dict[str, list[FileEdge]] = defaultdict(list)
        for edge in self.edges:
            self._at[edge.source].append(edge)
            if edge.target != edge.source:
                self._at[edge.target].append(edge)
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
        things = [self.thing(key) for key in keys]
        return [one for one in things if not kind or one.type == kind][:3]

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Edges in both directions; files have no days to choose by."""
        found = []
        for edge in self._at.get(thing.key, ()):
            if relations is None or edge.relation in relations:
                other = self.thing(edge.target if edge.source == thing.key else edge.source)
                ends = (self.nodes[edge.source].name, self.nodes[edge.target].name)
                text = f"{ends[0]} {edge.relation.replace('_', ' ').strip()} {ends[1]}."
                found.append(GraphFact(text, edge.relation, other, f"node {thing.key}"))
        return found[:_MOST]

    def thing(self, key: str) -> GraphThing:
        """The node of an id."""
        node = self.nodes[key]
        return GraphThing(key, node.name, node.type)

    def named_in(self, text: str) -> list[GraphThing]:
        """The nodes whose whole names stand in a text, longer names first taken; for who asks no model."""
        words = plain(text).split()
        taken = [False] * len(words)
        found: dict[str, None] = {}
        for length in range(min(_LONGEST, len(words)), 0, -1):
            for at in range(len(words) - length + 1):
                keys = self._called.get(" ".join(words[at : at + length]), ())
                if keys and not any(taken[at : at + length]):
                    taken[at : at + length] = [True] * length
                    found |= dict.fromkeys(keys)
        return [self.thing(key) for key in found if tokens(self.nodes[key].name)]
