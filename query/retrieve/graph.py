"""``graph``: the elements that state the facts around what a question names, the nearest in meaning first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit, in_order
from clausegraph.query.rank.signals import Place
from clausegraph.query.retrieve.ego import ego_of
from clausegraph.query.retrieve.places import nearest
from clausegraph.query.retrieve.protocol import depth
from clausegraph.query.retrieve.question import embed
from clausegraph.query.retrieve.signals import ELEMENTS
from clausegraph.query.retrieve.topics import Offer

FARTHER = 0.05  # what each fact between the topic and an element costs, of a cosine


@dataclass(frozen=True, slots=True)
class EgoElements:
    """Ego-graphs of the topic entities; where those of two do not meet, of the first alone."""

    view: View
    embedder: Embedder

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Elements, best first."""
        depth(limit, budget)
        topics = Offer(self.view, self.embedder, inquiry).topics
        places: Mapping[Place, int] = {}
        while topics and not places:
            places = ego_of(self.view, topics).places
            topics = topics[:-1]
        return within(ranked(self.view, places, embed(inquiry, self.embedder)), budget, limit)


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
