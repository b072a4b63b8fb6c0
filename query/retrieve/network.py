"""From a view to the network that PageRank walks: the whole graph where it is small, else the seeds' neighbourhood.

In a neighbourhood titles lead only to the nearest places: to read the titles of all others takes seconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from clausegraph.core.language.normalise import entity_key
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import LITERAL, Support
from clausegraph.indexes.views import View
from clausegraph.query.rank.hits import Level
from clausegraph.query.rank.pagerank import DEFAULT_WALK, Network, Walk, build_network, excess
from clausegraph.query.rank.signals import Place
from clausegraph.query.retrieve.statements import anchors_of

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
