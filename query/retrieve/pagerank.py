"""``pagerank`` and ``hybrid-pagerank``: chunks by a walk over the graph from what is nearest to the question.

Nodes are entities, facts and places (chunks or elements). Edges, all undirected::

    fact    – its subject and its object (literals are no nodes)        1
    fact    – each place that states it                                 1
    place   – the entity that its page's title names                    walk.title
    entity  – an entity with a like name                                cosine of their words, from walk.alike

A walker starts at the question's seeds and returns to them with probability ``1 - damping`` at each step (Haveliwala
2002). Seeds are, after HippoRAG 2 (Gutiérrez et al. 2025), the ends of the facts nearest to the question and, with a
small share, the places nearest to it. No model filters the facts; few are taken, and a seed weighs what it is better
than the best one *not* taken. Parameters are round numbers, chosen on questions (docs/figures.md).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from clausegraph.core.errors import require_extra
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.models.embedding import Vectors
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Fact, Support
from clausegraph.indexes.graph.protocol import entity_ends
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.bank import Hit, Place, Ranker
from clausegraph.query.retrieve.nearest import chunks_at, embed, nearest

if TYPE_CHECKING:
    from igraph import Graph  # type: ignore[import-untyped]


K = TypeVar("K", str, Place)
_DIGITS = 9  # the solver's precision: scores that agree so far are ties
_BLOCK = 2000  # names compared at once
WHOLE = 50_000  # facts up to which the whole graph is one network, built once per view
AROUND = 2_000  # facts of a neighbourhood: 1,000 find a little less, 5,000 no more
_COMMON = 400  # a word of more names than this makes none of them alike


@dataclass(frozen=True, slots=True)
class Walk:
    """Parameters of the walk: round numbers, measured above."""

    damping: float = 0.85
    facts: int = 5  # nearest facts whose ends are seeds
    places: int = 5  # nearest places that are seeds
    share: float = 0.2  # of the restarts that go to places, the rest goes to entities
    title: float = 1.0  # weight of place – title's entity
    alike: float = 0.7  # cosine from which names are alike; above 1: never


DEFAULT_WALK = Walk()


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The graph to walk on. Nodes: entities, then facts, then places, each in order."""

    graph: Graph
    weights: tuple[float, ...]
    entities: Mapping[str, int]
    ends: Mapping[str, tuple[int, ...]]  # fact id → nodes of its ends
    places: Mapping[Place, int]


def build_network(
    facts: Iterable[Fact],
    stated: Iterable[tuple[str, Place]],
    titled: Iterable[tuple[str, Place]] = (),
    places: Iterable[Place] = (),
    walk: Walk = DEFAULT_WALK,
) -> Network:
    """Build the graph; equal sets give an equal graph, in whatever order they come.

    Args:
        stated: (fact id, place) for each place that states a fact.
        titled: (entity, place) for each place on a page whose title names the entity; others are left out.
        places: more places that may be seeds.
    """
    require_extra("pagerank", "a walk over the graph")
    from igraph import Graph

    by_id = {fact.id: fact for fact in sorted(facts, key=lambda fact: fact.id)}
    rows = sorted({(fact, place) for fact, place in stated if fact in by_id})
    entities = _numbered(sorted(entity_ends(by_id.values())), 0)
    numbers = _numbered(list(by_id), len(entities))
    spots = _numbered(sorted({place for _, place in rows} | set(places)), len(entities) + len(numbers))
    ends = {key: tuple(entities[end] for end in entity_ends([fact])) for key, fact in by_id.items()}
    named = sorted({(entities[key], spots[place]) for key, place in titled if key in entities and place in spots})
    alike = like_names(list(entities), walk.alike)
    edges = [
        *((numbers[key], end) for key, nodes in ends.items() for end in nodes),
        *((numbers[fact], spots[place]) for fact, place in rows),
    ]
    weights = [1.0] * len(edges) + [walk.title] * len(named) + [weight for _, _, weight in alike]
    edges += [*named, *((one, other) for one, other, _ in alike)]
    graph = Graph(n=len(entities) + len(numbers) + len(spots), edges=edges, directed=False)
    return Network(graph, tuple(weights), entities, ends, spots)


def walk_from(
    network: Network, facts: Mapping[str, float], places: Mapping[Place, float] | None = None, walk: Walk = DEFAULT_WALK
) -> dict[Place, float]:
    """How often the walker is at each place, 0 to 1; places it never reaches are left out.

    Args:
        facts: similarity of facts to the question; the best ``walk.facts`` that the network has are seeds. One
            more than those should be given, for it says where nothing begins.
        places: similarity of places; none: the graph alone.
    """
    known = {key: score for key, score in facts.items() if network.ends.get(key)}
    seeds: dict[int, float] = defaultdict(float)
    for key, weight in excess(known, walk.facts).items():
        for end in network.ends[key]:
            seeds[end] += weight
    within = {place: score for place, score in (places or {}).items() if place in network.places}
    near = {network.places[place]: weight for place, weight in excess(within, walk.places).items()}
    restart = _restart(network.graph.vcount(), seeds, near, walk.share)
    if not restart.any():
        return {}
    scores = network.graph.personalized_pagerank(
        directed=False,
        damping=walk.damping,
        reset=restart.tolist(),
        weights=list(network.weights),
        implementation="prpack",
    )
    return {place: score for place, node in network.places.items() if (score := round(scores[node], _DIGITS)) > 0}


def excess(scores: Mapping[K, float], count: int) -> dict[K, float]:
    """The ``count`` best keys, each with what its score is above the best one left out (none: above zero).

    Keys that are all no better than that one weigh the same. Ties by key.
    """
    order = sorted(scores, key=lambda key: (-scores[key], key))
    floor = scores[order[count]] if len(order) > count else min([0.0, *scores.values()])
    above = {key: scores[key] - floor for key in order[:count]}
    return above if any(above.values()) else dict.fromkeys(above, 1.0)


def like_names(names: Sequence[str], threshold: float) -> list[tuple[int, int, float]]:
    """Pairs of positions of names with like words: (smaller, greater, cosine), by position.

    Cosine of the names' word sets, each word weighing the logarithm of its rarity among the names.
    """
    from scipy.sparse import csr_array

    held = [sorted(set(name.split())) for name in names]
    counts = Counter(chain.from_iterable(held))
    rarity = {word: math.log(len(names) / count) for word, count in counts.items()}
    columns = _numbered(sorted(word for word, count in counts.items() if 1 < count <= _COMMON), 0)
    rows: list[int] = []
    indices: list[int] = []
    values: list[float] = []
    for row, words in enumerate(held):
        length = math.sqrt(math.fsum(rarity[word] ** 2 for word in words)) or 1.0
        kept = [word for word in words if word in columns]
        rows += [row] * len(kept)
        indices += [columns[word] for word in kept]
        values += [rarity[word] / length for word in kept]
    matrix = csr_array((values, (rows, indices)), shape=(len(names), len(columns)))
    transposed = matrix.T.tocsr()
    found: list[tuple[int, int, float]] = []
    for start in range(0, len(names), _BLOCK):
        cosines = (matrix[start : start + _BLOCK] @ transposed).tocoo()
        kept_rows = (cosines.data >= threshold) & (cosines.row + start < cosines.col)
        triples = zip(cosines.row[kept_rows], cosines.col[kept_rows], cosines.data[kept_rows], strict=True)
        found += [(int(row) + start, int(column), round(float(value), _DIGITS)) for row, column, value in triples]
    return sorted(found)


def _restart(nodes: int, seeds: Mapping[int, float], near: Mapping[int, float], share: float) -> NDArray[np.float64]:
    """Where the walker returns to: entities and places by their shares; all to one kind where the other has none."""
    restart = np.zeros(nodes, dtype=np.float64)
    for weights, part in ((seeds, 1 - share if near else 1.0), (near, share if seeds else 1.0)):
        total = math.fsum(weights.values())
        for node, weight in weights.items():
            restart[node] += part * weight / total
    return restart


def _numbered(keys: Iterable[K], first: int) -> dict[K, int]:
    return {key: number for number, key in enumerate(keys, first)}


# --- the network of a view ------------------------------------------------------------------------

_networks: WeakKeyDictionary[View, Network | None] = WeakKeyDictionary()  # none: it has too many facts


def network_for(view: View, facts: Mapping[str, float], places: Mapping[Place, float]) -> Network:
    """The network for a question: the whole graph up to ``WHOLE`` facts, else two hops around its seeds."""
    if view not in _networks:
        known = view.graph.counts().facts
        with span("rank.network", facts=known):
            _networks[view] = _whole(view) if known <= WHOLE else None
    return _networks[view] or network_around(view, facts, places)


def _whole(view: View) -> Network:
    supports = view.graph.all_supports()
    facts = view.graph.facts(sorted({support.fact_id for support in supports}))
    stated = _stated(supports)
    return build_network(facts, stated, _titled(view, {place for _, place in stated}))


def network_around(
    view: View, facts: Mapping[str, float], places: Mapping[Place, float], limit: int = AROUND
) -> Network:
    """The network of the facts around the seeds, at most ``limit``, cut by hop, supports and id.

    Titles lead only to the nearest places: to read the titles of all others takes seconds.
    """
    near = sorted(excess(places, DEFAULT_WALK.places))
    said = []
    for page, key in near:
        anchors = next(chunk.anchors for chunk in view.reading(page).chunks if chunk.key == key)
        said += [support.fact_id for support in view.graph.supports_on(page, anchors)]
    seeds = view.graph.facts(sorted({*excess(facts, DEFAULT_WALK.facts), *said}))
    ends = {*entity_ends(seeds)} | {entity_key(view.reading(page).title) for page in sorted({page for page, _ in near})}
    found = {fact.id: fact for fact in [*seeds, *view.graph.neighbourhood(sorted(ends), hops=2, limit=limit)]}
    return build_network(found.values(), _stated(view.graph.supports(sorted(found))), _titled(view, near), near)


def _stated(supports: Iterable[Support]) -> list[tuple[str, Place]]:
    return [(support.fact_id, (support.page, support.chunk_key)) for support in supports]


def _titled(view: View, places: Collection[Place]) -> list[tuple[str, Place]]:
    """For each place the entity that its page's title would name."""
    titles = {page: entity_key(view.reading(page).title) for page in sorted({page for page, _ in places})}
    return [(titles[place[0]], place) for place in sorted(places)]


# --- the retrievers -------------------------------------------------------------------------------


class PageRank(Ranker):
    """For questions that need several passages; chunks that the walk does not reach are not found."""

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Chunks by how often the walker is there; ties by page and key."""
        scores = _walked(self.view, embed(inquiry, self.embedder), {})
        return chunks_at(self.view, _best(scores, most), "walk")


class HybridPageRank(Ranker):
    """For questions that need several passages; what the walk does not reach comes behind, by similarity."""

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Chunks by how often the walker is there, then the nearest others with score 0; ties by page and key."""
        vector = embed(inquiry, self.embedder)
        near = nearest(self.view, "chunk", vector, max(most, DEFAULT_WALK.places + 1))
        scores = _walked(self.view, vector, near)
        found = _best(scores, most)
        rest = _best({place: score for place, score in near.items() if place not in scores}, most - len(found))
        return chunks_at(self.view, found | dict.fromkeys(rest, 0.0), "walk")


def _walked(view: View, vector: Vectors, near: Mapping[Place, float]) -> dict[Place, float]:
    """How often a walker from the facts nearest to the question, and from the places ``near``, is at each place."""
    facts = {hit.ref: hit.score for hit in view.search_facts(vector, DEFAULT_WALK.facts + 1)}
    return walk_from(network_for(view, facts, near), facts, near)


def _best(scores: Mapping[Place, float], limit: int) -> dict[Place, float]:
    """The ``limit`` highest scores, descending; ties by place."""
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit])
