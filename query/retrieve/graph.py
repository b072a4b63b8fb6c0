"""What the graph has for a question: the entities it names, the facts around them, and the paths between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.core.types import LITERAL, Fact, Mention, PageKey, PlacedRule, Support
from clausegraph.indexes.graph.protocol import entity_ends
from clausegraph.indexes.graph.sql import RuleId, SqlGraph
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.bank import Hit, Place, Ranker, in_order
from clausegraph.query.retrieve.nearest import ELEMENTS, anchors_of, embed, nearest

OFFERED = 30  # offered at most
OFFERED_RELATIONS = 40
NEAREST = 40  # facts whose ends and relations are offered
_TOPICS = 2  # of a question that is not routed
_LONGEST = 8  # words of a name that is looked for
_AROUND = 200  # facts of the named entities
_BLAND = {"section", "role"}  # entities of the page's structure, and the reader himself: nobody means them by name
_OWN = {"topic", "page"}  # what pages are about: of any other type a single common word ("bank") names nothing
MAX_HOPS = 6
WIDTH = 2000  # facts looked at per hop: those with the most statements, where a hub has more
_FRONTIER = 500  # entities that are walked on from: those with the most ways to them
_MOST_CHAINS = 1000  # put in order; what has more is cut to those found first
RADIUS = 2
FACTS = 400  # of an ego-graph
PATHS = 20  # that are put into words
FARTHER = 0.05  # what each fact between the topic and an element costs, of a cosine


@dataclass(frozen=True, slots=True)
class Topic:
    """An entity with its most frequent type."""

    key: str
    type: str = "thing"


class Offer:
    """What the corpus has for one question; each part is looked up when first asked for."""

    def __init__(self, view: View, embedder: Embedder, inquiry: Inquiry) -> None:
        self._view, self._embedder, self._inquiry = view, embedder, inquiry

    @cached_property
    def named(self) -> tuple[Topic, ...]:
        """The entities whose names stand in the question, whole; longer names first, none within another."""
        return named_in(self._view, self._inquiry.question)

    @property
    def topics(self) -> list[str]:
        """Keys of what the question is about: at most two that it names; where it names none, what is nearest."""
        return [topic.key for topic in (self.named or self.entities[:1])][:_TOPICS]

    @cached_property
    def entities(self) -> tuple[Topic, ...]:
        """Named ones, then those of the nearest facts, then those that the scenario names."""
        near, told = typed(self._view, entity_ends(self.facts)), named_in(self._view, self._inquiry.scenario)
        return tuple(dict.fromkeys([*self.named, *near, *told]))[:OFFERED]

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """Relations of the nearest facts, then of the named entities."""
        keys = [topic.key for topic in self.named]
        around = self._view.graph.neighbourhood(keys, hops=1, limit=_AROUND)
        return tuple(dict.fromkeys(fact.relation for fact in [*self.facts, *around]))[:OFFERED_RELATIONS]

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The facts nearest to the question, best first."""
        hits = self._view.search_facts(embed(self._inquiry, self._embedder), NEAREST)
        return tuple(self._view.graph.facts([hit.ref for hit in hits]))


def named_in(view: View, text: str) -> tuple[Topic, ...]:
    """The entities whose whole names stand in a text; longer names first, none within another."""
    words = entity_key(text).split()
    spans = [
        (start, end) for start in range(len(words)) for end in range(start + 1, min(start + _LONGEST, len(words)) + 1)
    ]
    spans.sort(key=lambda span: (span[0] - span[1], span[0]))
    known = view.graph.named(sorted({" ".join(words[start:end]) for start, end in spans}))
    topics = {topic.key: topic for topic in typed(view, sorted(set(known.values())))}
    taken: set[int] = set()
    found: dict[Topic, None] = {}
    for start, end in spans:
        key = known.get(" ".join(words[start:end]))
        if key is not None and _names(topics[key], end - start) and not taken & set(range(start, end)):
            taken |= set(range(start, end))
            found[topics[key]] = None
    return tuple(found)


def _names(topic: Topic, words: int) -> bool:
    """Whether somebody who says these words means the entity."""
    return topic.type not in _BLAND and (words > 1 or topic.type in _OWN)


def typed(view: View, keys: Sequence[str]) -> list[Topic]:
    """The entities with the type that most statements give them, in the order given."""
    facts = view.graph.neighbourhood(keys, hops=1, limit=_AROUND)
    types = types_of(view.graph.supports([fact.id for fact in facts]), view.graph.rules_of(keys, _AROUND))
    return [Topic(key, types.get(key, "thing")) for key in keys]


def types_of(supports: Iterable[Support], rules: Iterable[PlacedRule] = ()) -> dict[str, str]:
    """The most frequent type of each entity that statements mention by its own name, or rules; ties by name."""
    counted: dict[str, Counter[str]] = {}
    for support in supports:
        for mention in (support.statement.subject, support.statement.object):
            if isinstance(mention, Mention) and not mention.node:
                counted.setdefault(mention.key, Counter())[mention.type] += 1
    for one in rules:
        for key, role in zip(one.entities, one.rule.roles, strict=True):
            counted.setdefault(key, Counter())[role.entity.type] += 1
    return {key: min(types, key=lambda name: (-types[name], name)) for key, types in counted.items()}


@dataclass(frozen=True, slots=True)
class Hop:
    """One fact of a path, as it is walked: from its subject to its object, or back."""

    fact: Fact
    forward: bool

    @property
    def start(self) -> str:
        return self.fact.subject if self.forward else self.fact.object

    @property
    def end(self) -> str:
        return self.fact.object if self.forward else self.fact.subject


Path = tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class RuleHop:
    """A rule of a path, which names both ends."""

    rule: RuleId
    start: str
    end: str


Step = Hop | RuleHop


@dataclass(frozen=True, slots=True)
class FoundPaths:
    """The shortest paths, through rarer entities first, and one through each before others through the same; ``cut`` if
    a hub had facts or rules that were not looked at, so that there may be shorter or other ones."""

    paths: tuple[tuple[Step, ...], ...]
    cut: bool


class _Side:
    """What is reached from one end of a path."""

    def __init__(self, end: str) -> None:
        self.into: dict[str, list[Step]] = {end: []}  # how each entity was reached first, all ways of that length
        self.frontier = [end]
        self.cut = False

    def widen(self, graph: SqlGraph, most: int) -> None:
        """One fact or rule farther; along rules so many ways at most between two entities."""
        facts = graph.neighbourhood(self.frontier, hops=1, limit=WIDTH)
        rules = graph.names_in_rules_of(self.frontier, WIDTH)
        walked: list[Step] = [Hop(fact, forward) for fact in facts for forward in (True, False)]
        walked += _through(rules, self.frontier, most)
        reached: dict[str, list[Step]] = {}
        for hop in walked:
            if hop.start in self.into and hop.end not in self.into and not hop.end.startswith(LITERAL):
                reached.setdefault(hop.end, []).append(hop)
        self.into |= reached
        self.frontier = sorted(reached, key=lambda key: (-len(reached[key]), key))[:_FRONTIER]
        self.cut = self.cut or WIDTH in (len(facts), len(rules)) or len(reached) > _FRONTIER

    def ways_to(self, end: str, rare: Callable[[Step], int]) -> Iterator[tuple[Step, ...]]:
        """The shortest paths from this end to an entity, through rare entities first."""
        if not self.into[end]:
            yield ()
        for hop in sorted(self.into[end], key=rare):
            for way in self.ways_to(hop.start, rare):
                yield (*way, hop)


def shortest_paths(graph: SqlGraph, start: str, goal: str, *, hops: int = 4, limit: int = 5) -> FoundPaths:
    """At most ``limit`` of the shortest paths between two entities, at most ``hops`` facts and rules long.

    A rule joins all entities that it names. Both ends are walked from, the one that has reached less first, until they
    meet. Of equally long paths those come first whose entities between the ends have the fewest facts and rules: that
    the publisher has rules on both pages says little.

    Args:
        start, goal: keys of entities. Values (an amount, a date) are never walked through.
    """
    if not 1 <= hops <= MAX_HOPS:
        raise InputError(f"a path has 1 to {MAX_HOPS} hops, not {hops}")
    if limit < 1:
        raise InputError(f"limit must be at least 1, not {limit}")
    if start == goal:
        raise InputError(f"both ends are the entity {start!r}; give two")
    near, far = _Side(start), _Side(goal)
    named = graph.held([start, goal])
    sides = (near, far) if named.get(start, 0) <= named.get(goal, 0) else (far, near)
    met: list[str] = []
    for _ in range(hops):
        side = min(sides, key=lambda one: len(one.frontier))
        side.widen(graph, limit)
        met = sorted(near.into.keys() & far.into.keys())
        if met or not side.frontier:
            break
    between = {hop.start for side in sides for steps in side.into.values() for hop in steps}.union(met)
    held = graph.held(sorted(between - {start, goal})) if met else {}

    def rare(hop: Step) -> int:
        return held.get(hop.start, 0)

    chains = (
        (*way, *(_turned(hop) for hop in reversed(back)))
        for middle in sorted(met, key=lambda key: held.get(key, 0))
        for way in near.ways_to(middle, rare)
        for back in far.ways_to(middle, rare)
    )
    seen: Counter[tuple[str, ...]] = Counter()
    numbered = []
    for path in sorted(islice(chains, _MOST_CHAINS), key=lambda path: _order(path, held)):
        route = tuple(hop.end for hop in path)
        numbered.append((seen[route], path))
        seen[route] += 1
    numbered.sort(key=lambda one: one[0])
    return FoundPaths(tuple(path for _, path in numbered[:limit]), near.cut or far.cut)


def _turned(hop: Step) -> Step:
    return Hop(hop.fact, not hop.forward) if isinstance(hop, Hop) else RuleHop(hop.rule, hop.end, hop.start)


def _through(rules: Mapping[RuleId, Collection[str]], frontier: Sequence[str], most: int) -> Iterator[RuleHop]:
    """From the entities along rules: between two of them so many at most, those that name the fewest others."""
    taken: Counter[tuple[str, str]] = Counter()
    starts = set(frontier)
    for rule, named in sorted(rules.items(), key=lambda one: (len(one[1]), one[0])):
        for pair in ((start, end) for start in named if start in starts for end in named if end != start):
            taken[pair] += 1
            if taken[pair] <= most:
                yield RuleHop(rule, *pair)


def _order(path: Sequence[Step], held: Mapping[str, int]) -> tuple[int, int, tuple[str, ...]]:
    between = sum(held.get(hop.start, 0) for hop in path[1:])
    stated = sum(hop.fact.supports if isinstance(hop, Hop) else 1 for hop in path)
    return between, -stated, tuple(hop.fact.id if isinstance(hop, Hop) else hop.rule[1] for hop in path)


@dataclass(frozen=True, slots=True)
class Ego:
    """Facts around the topics that survive, nearest first, the places that state them (and beside them the rules
    that name every topic) by distance, the shared entities, and for each surviving entity the chain of facts to it."""

    facts: tuple[Fact, ...]
    places: Mapping[Place, int]
    shared: frozenset[str]
    paths: tuple[Path, ...]


def ego_of(view: View, topics: Sequence[str], relations: Sequence[str] = (), *, radius: int = RADIUS) -> Ego:
    """The ego-graphs of the topics, and where they meet.

    Args:
        relations: along which to walk; none means all.
        radius: facts between a topic and what is kept, 1 or 2.
    """
    walked = [_walk(view, topic, relations, radius) for topic in topics]
    reached = [frozenset(chains) for chains, _ in walked]
    shared = frozenset.intersection(*reached) if reached else frozenset()
    every = {fact.id: fact for _, facts in walked for fact in facts}
    kept = [fact for fact in every.values() if len(topics) == 1 or shared & {fact.subject, fact.object}]
    kept.sort(key=lambda fact: (fact.hop, -fact.supports, fact.id))
    paths = [chains[end] for chains, _ in walked for end in sorted(shared) if chains[end]]
    paths.sort(key=lambda path: (len(path), -sum(hop.fact.supports for hop in path), [hop.fact.id for hop in path]))
    places = _places(view, kept)
    if not relations:
        beside = _rule_places(view, {page for page, _ in places}, topics, whole=radius == RADIUS)
        places |= {place: radius for place in beside if place not in places}
    return Ego(tuple(kept), places, shared, tuple(paths))


def _walk(view: View, topic: str, relations: Sequence[str], radius: int) -> tuple[dict[str, Path], list[Fact]]:
    """What is reached from a topic, itself included, with the first chain of facts to it; and the facts walked."""
    facts = view.graph.neighbourhood([topic], hops=radius, limit=FACTS, relations=relations or None)
    chains: dict[str, Path] = {topic: ()}
    for fact in facts:  # by hop: a fact's near end was reached before
        for hop in (Hop(fact, True), Hop(fact, False)):
            near = hop.start in chains and len(chains[hop.start]) < radius and not hop.start.startswith(LITERAL)
            if near and hop.end not in chains:
                chains[hop.end] = (*chains[hop.start], hop)
    return chains, facts


def _places(view: View, facts: Sequence[Fact]) -> dict[Place, int]:
    distance = {fact.id: fact.hop for fact in facts}
    found: dict[Place, int] = {}
    for support in view.graph.supports([fact.id for fact in facts]):
        for anchor in anchors_of(support.statement):
            place = (support.page, anchor)
            found[place] = min(distance[support.fact_id], found.get(place, RADIUS))
    return found


def _rule_places(view: View, pages: Iterable[PageKey], topics: Sequence[str], *, whole: bool) -> Iterator[Place]:
    """Where the pages that state the facts have rules of every topic: those whose elements name one, or all."""
    for page in sorted(pages):
        says = {element.anchor for element in view.reading(page).elements if _says(element.text, topics)}
        for one in view.rules(page):
            named = whole or any(span.anchor in says for span in one.rule.spans)
            if named and set(topics).issubset(one.entities):
                yield from ((page, anchor) for anchor in anchors_of(one.rule))


def _says(text: str, topics: Iterable[str]) -> bool:
    words = f" {entity_key(text)} "
    return any(f" {topic} " in words for topic in topics)


def in_words(path: Path) -> str:
    """``entity → relation → entity``; a fact walked from its object to its subject points back."""
    if not path:
        return ""
    parts = [path[0].start]
    for hop in path:
        arrow = f"→ {hop.fact.relation} →" if hop.forward else f"← {hop.fact.relation} ←"
        parts += [arrow, hop.end.removeprefix(LITERAL)]
    return " ".join(parts)


def all_in_words(paths: Iterable[Path], limit: int = PATHS) -> tuple[str, ...]:
    """The first paths in words, each once."""
    return tuple(dict.fromkeys(words for path in paths if (words := in_words(path))))[:limit]


@dataclass(frozen=True, slots=True)
class EgoElements(Ranker):
    """Ego-graphs of the topic entities; where those of two do not meet, of the first alone."""

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Elements, best first."""
        topics = Offer(self.view, self.embedder, inquiry).topics
        places: Mapping[Place, int] = {}
        while topics and not places:
            places = ego_of(self.view, topics).places
            topics = topics[:-1]
        return ranked(self.view, places, embed(inquiry, self.embedder))


def ranked(view: View, places: Mapping[Place, int], vector: Vectors) -> list[Hit]:
    """The elements of the places by similarity, less what their distance costs."""
    near = nearest(view, "element", vector, ELEMENTS)
    floor = min(near.values(), default=0.0)
    hits = []
    for page in sorted({page for page, _ in places}):
        for element in view.reading(page).elements:
            hop = places.get((page, element.anchor))
            if hop is not None:
                parts = {"element": near.get((page, element.anchor), floor), "hop": -FARTHER * hop}
                hits.append(Hit.of_element(page, element, sum(parts.values()), parts))
    return in_order(hits)
