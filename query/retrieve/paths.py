"""How two entities hang together: the shortest chains of facts between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clausegraph.core.errors import InputError
from clausegraph.core.types import LITERAL, Fact
from clausegraph.indexes.graph.protocol import Graph

MAX_HOPS = 6
WIDTH = 2000  # facts looked at per hop: those with the most statements, where a hub has more


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
class FoundPaths:
    """The shortest paths, those whose facts have the most statements first; ``cut`` if a hub had facts that were not
    looked at, so that there may be shorter or other ones."""

    paths: tuple[Path, ...]
    cut: bool


def shortest_paths(graph: Graph, start: str, goal: str, *, hops: int = 4, limit: int = 5) -> FoundPaths:
    """At most ``limit`` of the shortest paths between two entities, at most ``hops`` facts long.

    Args:
        start, goal: keys of entities. Values (an amount, a date) are never walked through.

    Raises:
        InputError: ``hops`` is not between 1 and 6, ``limit`` is below 1, or both ends are one entity.
    """
    if not 1 <= hops <= MAX_HOPS:
        raise InputError(f"a path has 1 to {MAX_HOPS} hops, not {hops}")
    if limit < 1:
        raise InputError(f"limit must be at least 1, not {limit}")
    if start == goal:
        raise InputError(f"both ends are the entity {start!r}; give two")
    into: dict[str, list[Hop]] = {start: []}  # how each entity was reached first, all ways of that length
    frontier, cut = [start], False
    for _ in range(hops):
        facts = graph.neighbourhood(frontier, hops=1, limit=WIDTH)
        cut = cut or len(facts) == WIDTH
        reached: dict[str, list[Hop]] = {}
        for fact in facts:
            for hop in (Hop(fact, True), Hop(fact, False)):
                if hop.start in into and hop.end not in into and not hop.end.startswith(LITERAL):
                    reached.setdefault(hop.end, []).append(hop)
        into |= reached
        if goal in reached or not reached:
            break
        frontier = sorted(reached)
    paths = sorted(_chains(into, start, goal), key=_order) if goal in into else []
    return FoundPaths(tuple(paths[:limit]), cut)


_MOST_CHAINS = 1000  # put in order; what has more is cut to those found first


def _chains(into: dict[str, list[Hop]], start: str, goal: str) -> list[Path]:
    def back(end: str, tail: Path) -> Iterator[Path]:
        if end == start:
            yield tail
            return
        for hop in into[end]:
            yield from back(hop.start, (hop, *tail))

    found = back(goal, ())
    return [path for path, _ in zip(found, range(_MOST_CHAINS), strict=False)]


def _order(path: Path) -> tuple[int, tuple[str, ...]]:
    return -sum(hop.fact.supports for hop in path), tuple(hop.fact.id for hop in path)
