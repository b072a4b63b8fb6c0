"""``pagerank`` and ``hybrid-pagerank``: chunks by a walk over the graph from what is nearest to the question."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import LITERAL, Support
from clausegraph.indexes.views import View
from clausegraph.query.rank.hits import Hit, Level, within
from clausegraph.query.rank.pagerank import DEFAULT_WALK, Network, Walk, build_network, excess, walk_from
from clausegraph.query.rank.score import Place
from clausegraph.query.retrieve.bank import depth
from clausegraph.query.retrieve.hybrid import anchors_of
from clausegraph.query.retrieve.nearest import chunks_at, embed, nearest

WHOLE = 50_000  # facts up to which the whole graph is one network, built once per view
AROUND = 2_000  # facts of a neighbourhood: 1,000 find a little less, 5,000 no more


def network_for(
    view: View,
    level: Level,
    facts: Mapping[str, float],
    places: Mapping[Place, float],
    walk: Walk = DEFAULT_WALK,
    *,
    whole: int = WHOLE,
    around: int = AROUND,
) -> Network:
    """The network for a question: the whole graph up to ``whole`` facts, else two hops around its seeds.

    Args:
        level: what a place is.
        facts: similarity of facts by id.
        places: similarity of places.
        around: facts of the neighbourhood, cut by hop, supports and id.
    """
    kept = _views.get(view)
    if kept is None:
        kept = _views[view] = _Kept(view.graph.counts().facts)
    if kept.facts > whole:
        return _neighbourhood(view, level, facts, places, walk, around)
    key = (level, walk.title, walk.alike)
    if key not in kept.networks:
        with span("rank.network", level=level, facts=kept.facts) as building:
            kept.networks[key] = _whole(view, level, walk)
            building.set(edges=len(kept.networks[key].weights))
    return kept.networks[key]


def _whole(view: View, level: Level, walk: Walk) -> Network:
    supports = view.graph.all_supports()
    facts = view.graph.facts(sorted({support.fact_id for support in supports}))
    stated = _stated(supports, level)
    return build_network(facts, stated, _titled(view, {place for _, place in stated}), (), walk)


def _neighbourhood(
    view: View, level: Level, facts: Mapping[str, float], places: Mapping[Place, float], walk: Walk, around: int
) -> Network:
    near = sorted(excess(places, walk.places))
    said = [support.fact_id for place in near for support in view.graph.supports_on(place[0], _anchors(view, place))]
    seeds = view.graph.facts(sorted({*excess(facts, walk.facts), *said}))
    ends = {end for fact in seeds for end in (fact.subject, fact.object) if not end.startswith(LITERAL)}
    ends |= {entity_key(view.reading(page).title) for page in sorted({page for page, _ in near})}
    found = {fact.id: fact for fact in [*seeds, *view.graph.neighbourhood(sorted(ends), hops=2, limit=around)]}
    stated = _stated(view.graph.supports(sorted(found)), level)
    return build_network(found.values(), stated, _titled(view, near), near, walk)


def _anchors(view: View, place: Place) -> tuple[str, ...]:
    """The elements of a place: those of a chunk, or the one element it is."""
    page, key = place
    return next((chunk.anchors for chunk in view.reading(page).chunks if chunk.key == key), (key,))


def _stated(supports: Iterable[Support], level: Level) -> list[tuple[str, Place]]:
    if level == "chunk":
        return [(support.fact_id, (support.page, support.chunk_key)) for support in supports]
    return [
        (support.fact_id, (support.page, anchor)) for support in supports for anchor in anchors_of(support.statement)
    ]


def _titled(view: View, places: Collection[Place]) -> list[tuple[str, Place]]:
    """For each place the entity that its page's title would name."""
    titles = {page: entity_key(view.reading(page).title) for page in sorted({page for page, _ in places})}
    return [(titles[place[0]], place) for place in sorted(places)]


@dataclass(slots=True)
class _Kept:
    """What is kept of a view: how many facts it has, and the whole networks made of it."""

    facts: int
    networks: dict[tuple[Level, float, float], Network] = field(default_factory=dict)


_views: WeakKeyDictionary[View, _Kept] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class PageRank:
    """For questions that need several passages; chunks that the walk does not reach are not found."""

    view: View
    embedder: Embedder
    walk: Walk = DEFAULT_WALK

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Chunks by how often the walker is there; ties by page and key."""
        scores = walked(self.view, "chunk", embed(inquiry, self.embedder), {}, self.walk)
        return within(chunks_at(self.view, best(scores, depth(limit, budget)), "walk"), budget, limit)


def walked(view: View, level: Level, vector: Vectors, near: Mapping[Place, float], walk: Walk) -> dict[Place, float]:
    """How often a walker from the facts nearest to the question, and from the places ``near``, is at each place."""
    facts = {hit.ref: hit.score for hit in view.search_facts(vector, walk.facts + 1)}
    return walk_from(network_for(view, level, facts, near, walk), facts, near, walk)


def best(scores: Mapping[Place, float], limit: int) -> dict[Place, float]:
    """The ``limit`` highest scores, descending; ties by place."""
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit])


@dataclass(frozen=True, slots=True)
class HybridPageRank:
    """For questions that need several passages; what the walk does not reach comes behind, by similarity."""

    view: View
    embedder: Embedder
    walk: Walk = DEFAULT_WALK

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Chunks by how often the walker is there, then the nearest others with score 0; ties by page and key."""
        most = depth(limit, budget)
        vector = embed(inquiry, self.embedder)
        near = nearest(self.view, "chunk", vector, max(most, self.walk.places + 1))
        scores = walked(self.view, "chunk", vector, near, self.walk)
        found = best(scores, most)
        rest = best({place: score for place, score in near.items() if place not in scores}, most - len(found))
        return within(chunks_at(self.view, found | dict.fromkeys(rest, 0.0), "walk"), budget, limit)
