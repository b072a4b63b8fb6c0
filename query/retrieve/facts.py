"""``facts``: the elements that state the facts a question is about."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import PageKey
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit
from clausegraph.query.rank.pagerank import DEFAULT_WALK
from clausegraph.query.rank.signals import Place
from clausegraph.query.retrieve.pagerank import walked
from clausegraph.query.retrieve.places import elements_at
from clausegraph.query.retrieve.protocol import depth
from clausegraph.query.retrieve.question import embed
from clausegraph.query.retrieve.signals import NEAREST_FACTS

_WALK = replace(DEFAULT_WALK, facts=NEAREST_FACTS)
SIBLINGS = 0.5  # share of a stating element's score that the other items of its list get


@dataclass(frozen=True, slots=True)
class Facts:
    """Elements that state the facts a question is about, with their lead-ins and the items beside them.

    Scores are those of a walk from the ends of the nearest facts (``query.rank.pagerank``), the best one 1. Every
    second ConditionalQA development question, evidence recall at 650, 1,300 and 2,600 tokens: 0.665, 0.809, 0.896;
    by the similarity of the facts alone 0.657, 0.773, 0.838. As the fact signal of the hybrid ranking it does
    harm (0.916 instead of 0.936 at 650), so that one keeps to similarity.
    """

    view: View
    embedder: Embedder

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Elements, best first."""
        depth(limit, budget)
        found = walked(self.view, "element", embed(inquiry, self.embedder), {}, _WALK)
        top = max(found.values(), default=1.0)
        scores = {place: score / top for place, score in found.items()}
        for (page, anchor), score in sorted(scores.items()):
            for place, share in _list_around(self.view, page, anchor):
                scores[place] = max(share * score, scores.get(place, 0.0))
        return within(elements_at(self.view, scores, "fact"), budget, limit)


def _list_around(view: View, page: PageKey, anchor: str) -> list[tuple[Place, float]]:
    """The lead-in of an item (whole score) and the other items of its list (a share)."""
    elements = view.reading(page).elements
    above = next((element.lead_in for element in elements if element.anchor == anchor), None)
    if above is None:
        return []
    beside = [((page, element.anchor), SIBLINGS) for element in elements if element.lead_in == above]
    return [((page, above), 1.0), *(place for place in beside if place[0][1] != anchor)]
