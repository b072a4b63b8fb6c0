"""Ego-graphs: what lies within two facts of an entity, along chosen relations, and where several of them meet.

After the hybrid module of HybGRAG (Lee et al. 2024): the ego-graph of each topic entity, at most two hops; of several
topics the entities that all ego-graphs share survive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clausegraph.core.language.normalise import entity_key
from clausegraph.core.types import LITERAL, Fact
from clausegraph.indexes.graph.links import title_names
from clausegraph.indexes.views import View
from clausegraph.query.rank.signals import Place
from clausegraph.query.retrieve.paths import Hop, Path
from clausegraph.query.retrieve.statements import anchors_of

RADIUS = 2
FACTS = 400  # of an ego-graph
PATHS = 20  # that are put into words


@dataclass(frozen=True, slots=True)
class Ego:
    """Facts around the topics that survive, nearest first, the places that state them (and passages about the topics
    beside them) by distance, the shared entities, and for each surviving entity the chain of facts that leads to it."""

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
        beside = _passages(view, places, topics, whole=radius == RADIUS)
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


def _passages(view: View, places: Iterable[Place], topics: Sequence[str], *, whole: bool) -> Iterator[Place]:
    """Where the pages that state the facts have passages about a topic: those that name it, and of a whole page that it
    names, all."""
    for page in dict.fromkeys(page for page, _ in places):
        reading = view.reading(page)
        every = whole and not set(topics).isdisjoint(title_names(reading.title))
        says = {element.anchor for element in reading.elements if _says(element.text, topics)}
        for one in view.passages(page):
            names = {name.key for name in one.passage.names}
            spoken = not says.isdisjoint(span.anchor for span in one.passage.spans)
            if every or spoken or not names.isdisjoint(topics):
                yield from ((page, anchor) for anchor in anchors_of(one.passage))


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
