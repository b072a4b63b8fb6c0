"""``hybrid``: elements by vectors, BM25, page structure and facts, in one sum; ``facts``: by the graph alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.core.types import Element, PageKey, Passage, PassageKind, Stated, leaves
from clausegraph.indexes.lexical import search_words
from clausegraph.indexes.views import VectorHit, View
from clausegraph.query.retrieve.bank import Hit, Place, Ranker, in_order
from clausegraph.query.retrieve.nearest import ELEMENTS, anchors_of, embed, nearest
from clausegraph.query.retrieve.score import DEFAULT_WEIGHTS, Signals, Weights, page_priors, rank

# These gather conditions, they say nothing under them
_GATHERED = (PassageKind.INSTRUCTION, PassageKind.REQUIREMENTS, PassageKind.LIST)
_PAGES = 1000  # whose rules are kept, as many as readings are
CHUNKS = 150
NEAREST_FACTS = 50
STATEMENTS = 300  # nearest ones whose elements are found; 4,000 rank the same
PAGE_BEST = 3  # elements whose mean says how much a page is about the question
ITEMS = 0.9  # share of the best of a list that its items get


@dataclass(frozen=True, slots=True)
class PageStatements:
    """Of a page: the elements that state a rule with its condition, and those that one statement or passage joins.

    Headings are left out of the latter: what one sets is the condition of all that stands below it.
    """

    rules: frozenset[str]
    joined: tuple[tuple[str, ...], ...]


_kept: WeakKeyDictionary[View, dict[PageKey, PageStatements]] = WeakKeyDictionary()


def statements_on(view: View, pages: Iterable[PageKey]) -> dict[PageKey, PageStatements]:
    """What statements and passages say on these pages; each page is read once."""
    kept = _kept.setdefault(view, {})
    found: dict[PageKey, PageStatements] = {}
    for page in pages:
        stated = kept.get(page)  # another thread may clear them at any moment
        if stated is None:
            if len(kept) >= _PAGES:
                kept.clear()
            stated = kept[page] = _read_page(view, page)
        found[page] = stated
    return found


def _read_page(view: View, page: PageKey) -> PageStatements:
    elements = view.reading(page).elements
    headings = {element.anchor for element in elements if element.is_heading}
    supports = view.graph.supports_on(page, [element.anchor for element in elements])
    stated: list[Stated] = [*(one.statement for one in supports), *(one.passage for one in view.passages(page))]
    together = {tuple(sorted(anchors_of(one).keys() - headings)) for one in stated}
    return PageStatements(
        frozenset(span.anchor for one in stated if _is_rule(one) for span in one.spans),
        tuple(sorted(anchors for anchors in together if len(anchors) > 1)),
    )


def _is_rule(stated: Stated) -> bool:
    """Whether it holds under a condition that stands beside it; what a heading sets, it sets for all below."""
    own = {span.anchor for span in stated.spans}
    gathered = isinstance(stated, Passage) and stated.kind in _GATHERED
    return not gathered and any(leaf.anchor in own for leaf in leaves(stated.condition))


def gather(view: View, embedder: Embedder, inquiry: Inquiry, weights: Weights = DEFAULT_WEIGHTS) -> Signals:
    """Every signal of the hybrid ranking; statements on the pages that :func:`page_priors` names."""
    vector = embed(inquiry, embedder)
    found = Signals(
        elements=nearest(view, "element", vector, ELEMENTS),
        chunks=nearest(view, "chunk", vector, CHUNKS),
        keywords={(hit.page, hit.ref): hit.score for hit in search_words(view.words, inquiry.text, CHUNKS)},
        facts=fact_signal(view, vector),
    )
    stated = statements_on(view, page_priors(found, weights))
    return replace(
        found,
        rules=frozenset((page, anchor) for page, one in stated.items() for anchor in one.rules),
        joined={page: one.joined for page, one in stated.items()},
    )


def fact_signal(view: View, vector: Vectors) -> dict[Place, float]:
    """:func:`near_statements` of the ``NEAREST_FACTS`` nearest, so scaled that the best one has 1 and the worst 0."""
    near = near_statements(view, vector, NEAREST_FACTS)
    low, high = min(near.values(), default=0.0), max(near.values(), default=0.0)
    span = high - low or 1.0
    return {place: (score - low) / span for place, score in near.items()}


def near_statements(view: View, vector: Vectors, limit: int) -> dict[Place, float]:
    """For each element the similarity of the best fact or passage of which it states a part or sets a condition, of the
    ``limit`` nearest.

    A fact is as near on a page as what that page says of it, under its title, heading and condition.
    """
    hits = [*view.search("fact", vector, limit), *view.search("passage", vector, limit)]
    hits = sorted(hits, key=lambda hit: -hit.score)[:limit]
    best: dict[Place, float] = {}
    for page, stated, score in _near(view, hits):
        for anchor in anchors_of(stated):
            best[page, anchor] = max(score, best.get((page, anchor), score))
    return best


def _near(view: View, hits: Sequence[VectorHit]) -> Iterator[tuple[PageKey, Stated, float]]:
    """What facts and passages say on the pages that are near."""
    near = {(hit.page, hit.ref): hit.score for hit in hits if hit.kind == "fact"}
    for support in view.graph.supports(sorted({ref for _, ref in near})):
        score = near.get((support.page, support.fact_id))
        if score is not None:
            yield support.page, support.statement, score
    scores = {(hit.page, hit.ref): hit.score for hit in hits if hit.kind == "passage"}
    for page in dict.fromkeys(page for page, _ in scores if page is not None):
        for one in view.passages(page):
            if (page, one.key) in scores:
                yield page, one.passage, scores[page, one.key]


@dataclass(frozen=True, slots=True)
class Hybrid(Ranker):
    """Asks every store, and ranks the elements of the best pages (:mod:`clausegraph.query.retrieve.score`)."""

    weights: Weights = DEFAULT_WEIGHTS

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Elements, best first."""
        signals = gather(self.view, self.embedder, inquiry, self.weights)
        readings = {page: self.view.reading(page) for page in page_priors(signals, self.weights)}
        return rank(readings, signals, self.weights)


def without_facts(view: View, embedder: Embedder) -> Hybrid:
    """The same without what the graph adds: what that is worth is the difference."""
    return Hybrid(view, embedder, replace(DEFAULT_WEIGHTS, fact=0.0, rule=0.0, joined=0.0))


@dataclass(frozen=True, slots=True)
class Facts(Ranker):
    """Elements by the nearest statement that they state or set a condition of: the graph alone.

    An element has the similarity of that statement, and the mean of the best three elements of its page; what
    introduces a list has what its best item has, and the items nearly as much.
    """

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Elements, best first."""
        pages: dict[PageKey, dict[str, float]] = defaultdict(dict)
        for (page, anchor), score in near_statements(self.view, embed(inquiry, self.embedder), STATEMENTS).items():
            pages[page][anchor] = score
        return in_order(hit for page, near in pages.items() for hit in self._hits(page, near))

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
