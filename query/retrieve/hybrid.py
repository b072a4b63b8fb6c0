"""``hybrid``: elements by vectors, BM25, page structure, facts and rules, in one sum; ``facts``: by the graph alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.core.types import Element, PageKey, Stated, leaves
from clausegraph.indexes.lexical import search_words
from clausegraph.indexes.views import VectorHit, View
from clausegraph.query.retrieve.bank import Hit, Place, Ranker, in_order
from clausegraph.query.retrieve.nearest import ELEMENTS, anchors_of, embed, nearest
from clausegraph.query.retrieve.score import DEFAULT_WEIGHTS, Signals, Weights, form, page_priors, rank

_PAGES = 1000  # whose rules are kept, as many as readings are
CHUNKS = 150
NEAREST_FACTS = 50
STATEMENTS = 300  # nearest ones whose elements are found; 4,000 rank the same
AROUND = 0.9  # share of the nearest rule of a section that what else stands around it gets


@dataclass(frozen=True, slots=True)
class PageRules:
    """Of a page: the elements that state a rule with its condition, and those of all rules of one section that hold
    without one: what a section rules for everybody is evidence together."""

    conditioned: frozenset[str]
    joined: tuple[tuple[str, ...], ...]


_kept: WeakKeyDictionary[View, dict[PageKey, PageRules]] = WeakKeyDictionary()


def rules_of_pages(view: View, pages: Iterable[PageKey]) -> dict[PageKey, PageRules]:
    """What the rules of these pages say of their elements; each page is read once."""
    kept = _kept.setdefault(view, {})
    found: dict[PageKey, PageRules] = {}
    for page in pages:
        ruled = kept.get(page)  # another thread may clear them at any moment
        if ruled is None:
            if len(kept) >= _PAGES:
                kept.clear()
            ruled = kept[page] = _read_page(view, page)
        found[page] = ruled
    return found


def _read_page(view: View, page: PageKey) -> PageRules:
    elements = {element.anchor: element for element in view.reading(page).elements}
    conditioned: set[str] = set()
    sections: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    for one in view.rules(page):
        own = one.rule.stated_in(elements)
        beside = {leaf.anchor for leaf in leaves(one.rule.condition)} & own.keys()
        if beside:  # what a heading sets, it sets for all below
            conditioned |= {one.rule.spans[0].anchor, *beside}
        else:
            sections[elements[one.rule.spans[0].anchor].headings] |= own
    together = (tuple(sorted(anchors)) for anchors in sections.values() if len(anchors) > 1)
    return PageRules(frozenset(conditioned), tuple(sorted(together)))


def gather(view: View, embedder: Embedder, inquiry: Inquiry, weights: Weights = DEFAULT_WEIGHTS) -> Signals:
    """Every signal of the hybrid ranking; rules of the pages that :func:`page_priors` names."""
    vector = embed(inquiry, embedder)
    found = Signals(
        elements=nearest(view, "element", vector, ELEMENTS),
        chunks=nearest(view, "chunk", vector, CHUNKS),
        keywords={(hit.page, hit.ref): hit.score for hit in search_words(view.words, inquiry.text, CHUNKS)},
        facts=fact_signal(view, vector),
    )
    ruled = rules_of_pages(view, page_priors(found, weights))
    return replace(
        found,
        rules=frozenset((page, anchor) for page, one in ruled.items() for anchor in one.conditioned),
        joined={page: one.joined for page, one in ruled.items()},
    )


def fact_signal(view: View, vector: Vectors) -> dict[Place, float]:
    """:func:`near_statements` of the ``NEAREST_FACTS`` nearest, so scaled that the best one has 1 and the worst 0."""
    near = near_statements(view, vector, NEAREST_FACTS)
    low, high = min(near.values(), default=0.0), max(near.values(), default=0.0)
    span = high - low or 1.0
    return {place: (score - low) / span for place, score in near.items()}


def near_statements(view: View, vector: Vectors, limit: int) -> dict[Place, float]:
    """For each element the similarity of the best fact or rule of which it states a part or sets a condition, of the
    ``limit`` nearest.

    A fact is as near on a page as what that page says of it, under its title, heading and condition.
    """
    hits = [*view.search("fact", vector, limit), *view.search("rule", vector, limit)]
    hits = sorted(hits, key=lambda hit: -hit.score)[:limit]
    best: dict[Place, float] = {}
    for page, stated, score in _near(view, hits):
        for anchor in anchors_of(stated):
            best[page, anchor] = max(score, best.get((page, anchor), score))
    return best


def _near(view: View, hits: Sequence[VectorHit]) -> Iterator[tuple[PageKey, Stated, float]]:
    """What facts and rules say on the pages that are near."""
    near = {(hit.page, hit.ref): hit.score for hit in hits if hit.kind == "fact"}
    for support in view.graph.supports(sorted({ref for _, ref in near})):
        score = near.get((support.page, support.fact_id))
        if score is not None:
            yield support.page, support.statement, score
    scores = {(hit.page, hit.ref): hit.score for hit in hits if hit.kind == "rule" and hit.page is not None}
    for (page, key), rule in sorted(view.rules_named(scores.keys()).items(), key=lambda item: item[0]):
        yield page, rule, scores[page, key]


@dataclass(frozen=True, slots=True)
class Hybrid(Ranker):
    """Asks every store, and ranks the elements of the best pages (:mod:`clausegraph.query.retrieve.score`)."""

    weights: Weights = DEFAULT_WEIGHTS

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Elements, best first."""
        signals = gather(self.view, self.embedder, inquiry, self.weights)
        readings = {page: self.view.reading(page) for page in signals.joined}
        return rank(readings, signals, self.weights, most)


def without_facts(view: View, embedder: Embedder) -> Hybrid:
    """The same without what the graph adds: what that is worth is the difference."""
    return Hybrid(view, embedder, replace(DEFAULT_WEIGHTS, fact=0.0, rule=0.0, joined=0.0))


@dataclass(frozen=True, slots=True)
class Facts(Ranker):
    """Elements by the nearest fact or rule that they state or set a condition of: the graph alone.

    An element has that similarity and the best of its page, less what its form costs. One that states nothing near has
    a share of the nearest below the headings that it stands under: an introduction of all that follows.
    """

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Elements, best first."""
        pages: dict[PageKey, dict[str, float]] = defaultdict(dict)
        for (page, anchor), score in near_statements(self.view, embed(inquiry, self.embedder), STATEMENTS).items():
            pages[page][anchor] = score
        return in_order(hit for page, near in pages.items() for hit in self._hits(page, near))

    def _hits(self, page: PageKey, near: dict[str, float]) -> Iterator[Hit]:
        elements = self.view.reading(page).elements
        below: dict[tuple[str, ...], float] = {}
        for element in elements:
            path = _path(element)
            for parts in range(len(path) + 1) if element.anchor in near else ():
                below[path[:parts]] = max(near[element.anchor], below.get(path[:parts], 0.0))
        low, best = min(near.values()), max(near.values())
        for element in elements:
            around = AROUND * below.get(_path(element), low)
            score = best + max(near.get(element.anchor, around), around) + form(element, DEFAULT_WEIGHTS)
            yield Hit.of_element(page, element, score, {"fact": score})


def _path(element: Element) -> tuple[str, ...]:
    """The headings that an element stands under, a heading under itself."""
    return (*element.headings, element.text) if element.is_heading else element.headings
