"""Retrieval as a route says."""

from __future__ import annotations

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.ego import RADIUS, all_in_words, ego_of
from clausegraph.query.retrieve.graph import ranked
from clausegraph.query.retrieve.protocol import Retriever
from clausegraph.query.retrieve.question import embed
from clausegraph.query.steps.protocol import LookedUp, Module, Route

NEAR = 1  # facts between a single entity and what the hybrid puts first: within two lies half of many a page
DEPTH = 300  # elements of the text ranking of which the graph's come first


class Lookup:
    """The bank behind the three modules."""

    def __init__(self, view: View, embedder: Embedder, text: Retriever, limit: int) -> None:
        self._view, self._embedder, self._text, self._limit = view, embedder, text, limit

    def find(self, inquiry: Inquiry, route: Route) -> LookedUp:
        """Hits in the order in which they are to be read."""
        if route.module is Module.TEXT:
            return LookedUp(tuple(self._text.retrieve(inquiry, limit=self._limit)))
        ego = ego_of(self._view, route.keys, route.relations, radius=_radius(route))
        paths = all_in_words(ego.paths)
        if route.module is Module.GRAPH:
            hits = ranked(self._view, ego.places, embed(inquiry, self._embedder))[: self._limit]
            return LookedUp(tuple(hits), paths, len(ego.shared))
        ranking = self._text.retrieve(inquiry, limit=DEPTH)
        inside = [hit for hit in ranking if any((hit.page, anchor) in ego.places for anchor in hit.anchors)]
        kept = set(map(id, inside))
        rest = [hit for hit in ranking if id(hit) not in kept]
        met = len(ego.shared) if inside else 0
        return LookedUp(tuple([*inside, *rest][: self._limit]), paths, met)


def _radius(route: Route) -> int:
    """Several entities need room to meet, and what the graph alone finds is little."""
    return NEAR if route.module is Module.HYBRID and len(route.topics) == 1 else RADIUS
