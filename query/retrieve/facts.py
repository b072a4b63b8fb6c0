"""``facts``: the elements that state the facts a question is about."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import Element, PageKey
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit, in_order
from clausegraph.query.retrieve.protocol import depth
from clausegraph.query.retrieve.question import embed
from clausegraph.query.retrieve.signals import near_statements

STATEMENTS = 300  # nearest ones whose elements are found; 4,000 rank the same
PAGE_BEST = 3  # elements whose mean says how much a page is about the question
ITEMS = 0.9  # share of the best of a list that its items get


@dataclass(frozen=True, slots=True)
class Facts:
    """Elements by the nearest statement that they state or set a condition of: the graph alone.

    An element has the similarity of that statement, and the mean of the best three elements of its page; what
    introduces a list has what its best item has, and the items nearly as much. ConditionalQA's development questions,
    evidence recall at 650, 1,300 and 2,600 tokens: 0.875, 0.951, 0.971. Settings were chosen with these scores in
    view, by which what the rules said at the time had 0.878, 0.966, 0.982, and statements without lists and pages
    0.823, 0.906, 0.926. There is no walk: for passages there is ``pagerank``.
    """

    view: View
    embedder: Embedder

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Elements, best first."""
        depth(limit, budget)
        pages: dict[PageKey, dict[str, float]] = defaultdict(dict)
        for (page, anchor), score in near_statements(self.view, embed(inquiry, self.embedder), STATEMENTS).items():
            pages[page][anchor] = score
        return within(in_order(hit for page, near in pages.items() for hit in self._hits(page, near)), budget, limit)

    def _hits(self, page: PageKey, near: dict[str, float]) -> list[Hit]:
        best = sorted(near.values(), reverse=True)[:PAGE_BEST]
        prior = sum(best) / len(best)
        scores = {anchor: score + prior for anchor, score in near.items()}
        elements = self.view.reading(page).elements
        for anchor, score in _from_lists(elements, scores).items():
            scores[anchor] = max(score, scores.get(anchor, score))
        return [
            Hit.of_element(page, element, scores[element.anchor], {"fact": scores[element.anchor]})
            for element in elements
            if element.anchor in scores
        ]


def _from_lists(elements: tuple[Element, ...], scores: dict[str, float]) -> dict[str, float]:
    """What lists give to what introduces them, and to their items."""
    lists: dict[str, list[str]] = defaultdict(list)
    for element in elements:
        above = element.lead_in or element.parent
        if above is not None:
            lists[above].append(element.anchor)
    given: dict[str, float] = {}
    for above, items in lists.items():
        known = [scores[anchor] for anchor in items if anchor in scores]
        if known:
            given[above] = max(known)
        if known or above in scores:
            best = ITEMS * max([*known, *([scores[above]] if above in scores else [])])
            given |= {anchor: max(best, given.get(anchor, best)) for anchor in items}
    return given
