"""``wide``: a wide neighbourhood of the names in a question, cut by predicate. After KERAG (Sun et al. 2025).

Schema first: from the entities reached, whole relations are followed, not single facts; of all relations met within
``HOPS`` facts the ``PREDICATES`` most similar to the question without its main entity are kept, and everything they
state is retrieved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.core.types import LITERAL, Fact
from clausegraph.indexes.views import View
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit
from clausegraph.query.rank.signals import Place
from clausegraph.query.retrieve.graph import ranked
from clausegraph.query.retrieve.protocol import depth
from clausegraph.query.retrieve.question import embed
from clausegraph.query.retrieve.statements import anchors_of
from clausegraph.query.retrieve.topics import Offer

HOPS = 3
PREDICATES = 30
FACTS = 1000  # looked at per hop, those with the most statements first
ENTITIES = 500  # that a hop starts from


@dataclass(frozen=True, slots=True)
class WideElements:
    """Elements that state a fact of the kept predicates around the topics, the nearest in meaning first."""

    view: View
    embedder: Embedder

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Elements, best first."""
        depth(limit, budget)
        topics = Offer(self.view, self.embedder, inquiry).topics
        facts = _expanded(self.view, topics)
        kept = self._kept(sorted({fact.relation for fact, _ in facts.values()}), inquiry, topics)
        hops = {key: hop for key, (fact, hop) in facts.items() if fact.relation in kept}
        places: dict[Place, int] = {}
        for support in self.view.graph.supports(sorted(hops)):
            for anchor in anchors_of(support.statement):
                place = (support.page, anchor)
                places[place] = min(hops[support.fact_id], places.get(place, HOPS))
        return within(ranked(self.view, places, embed(inquiry, self.embedder)), budget, limit)

    def _kept(self, relations: Sequence[str], inquiry: Inquiry, topics: Sequence[str]) -> frozenset[str]:
        """The relations most similar to the question without its main entity; ties by name."""
        if len(relations) <= PREDICATES:
            return frozenset(relations)
        asked = f" {entity_key(inquiry.question)} ".replace(f" {topics[0]} ", " ").strip() or inquiry.question
        near = _vectors(self.view, self.embedder, relations) @ self.embedder.embed_query(asked)
        order = sorted(range(len(relations)), key=lambda at: (-round(float(near[at]), 6), relations[at]))
        return frozenset(relations[at] for at in order[:PREDICATES])


def _expanded(view: View, topics: Sequence[str]) -> Mapping[str, tuple[Fact, int]]:
    """The facts within the hops, by id, each with its distance."""
    found: dict[str, tuple[Fact, int]] = {}
    seen, frontier = set(topics), list(topics)
    for hop in range(1, HOPS + 1):
        ends: list[str] = []
        for fact in view.graph.neighbourhood(frontier, hops=1, limit=FACTS) if frontier else ():
            found.setdefault(fact.id, (fact, hop))
            ends += [end for end in (fact.subject, fact.object) if not end.startswith(LITERAL)]
        frontier = [end for end in dict.fromkeys(ends) if end not in seen][:ENTITIES]
        seen |= set(frontier)
    return found


_known: WeakKeyDictionary[View, dict[str, Vectors]] = WeakKeyDictionary()  # of relations, embedded once per view
_lock = Lock()


def _vectors(view: View, embedder: Embedder, relations: Sequence[str]) -> Vectors:
    """The relations' vectors, shape (n, d)."""
    with _lock:
        kept = _known.setdefault(view, {})
        new = [relation for relation in relations if relation not in kept]
        if new:
            kept.update(zip(new, embedder.embed_texts(new), strict=True))
        return np.stack([kept[relation] for relation in relations])
