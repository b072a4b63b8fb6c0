"""``wide``: a wide neighbourhood of the names in a question, cut by predicate. After KERAG (Sun et al. 2025).

Schema first: from the entities reached, whole relations are followed, not single facts, up to ``HOPS`` facts away.
Of all relations met, the ``PREDICATES`` most similar to the question without its main entity are kept, and everything
they state is retrieved. Where a model chooses instead (``query/steps/llm/widen.py``), it does so hop by hop: what it
drops is not followed, and it may say that no further hop is needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Protocol
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
SHOWN = 60  # relations of a hop that a model chooses from, the likest
FACTS = 1000  # looked at per hop, those with the most statements first
ENTITIES = 500  # that a hop starts from


@dataclass(frozen=True, slots=True)
class Reached:
    """What a hop has met: its number from 1, the entities it is all about, and each relation with an example."""

    hop: int
    topics: tuple[str, ...]
    relations: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """The relations to keep and follow, best first; ``enough``: no further hop is needed."""

    relations: tuple[str, ...]
    enough: bool = False


class RelationFilter(Protocol):
    """Chooses among the relations of a hop, for one question."""

    def kept(self, inquiry: Inquiry, reached: Reached) -> Kept | None:
        """What to keep; none where it cannot say, and similarity decides."""


@dataclass(frozen=True, slots=True)
class WideElements:
    """Elements that state a fact of the kept predicates around the topics, the nearest in meaning first."""

    view: View
    embedder: Embedder
    relations: RelationFilter | None = None

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Elements, best first."""
        depth(limit, budget)
        topics = Offer(self.view, self.embedder, inquiry).topics
        hops = self._followed(inquiry, topics) if self.relations else self._alike(inquiry, topics)
        places: dict[Place, int] = {}
        for support in self.view.graph.supports(sorted(hops)):
            for anchor in anchors_of(support.statement):
                place = (support.page, anchor)
                places[place] = min(hops[support.fact_id], places.get(place, HOPS))
        return within(ranked(self.view, places, embed(inquiry, self.embedder)), budget, limit)

    def _alike(self, inquiry: Inquiry, topics: Sequence[str]) -> dict[str, int]:
        """The facts of all hops, by id, whose relations are the likest, each with its distance."""
        walk = _Walk(self.view, topics)
        facts = [(fact, hop) for hop in range(1, HOPS + 1) for fact in walk.step()]
        kept = self._nearest({fact.relation for fact, _ in facts}, inquiry, topics, PREDICATES)
        return {fact.id: hop for fact, hop in facts if fact.relation in kept}

    def _followed(self, inquiry: Inquiry, topics: Sequence[str]) -> dict[str, int]:
        """The facts of the relations that are kept hop by hop, by id, each with its distance."""
        assert self.relations is not None
        walk = _Walk(self.view, topics)
        found: dict[str, int] = {}
        for hop in range(1, HOPS + 1):
            examples = {fact.relation: fact for fact in reversed(walk.step())}
            if not examples:
                break
            near = self._nearest(examples, inquiry, topics, SHOWN)
            shown = Reached(hop, tuple(topics), tuple((one, _in_words(examples[one])) for one in near))
            kept = self.relations.kept(inquiry, shown) or Kept(near[:PREDICATES])
            found |= {fact.id: hop for fact in walk.keep(kept.relations)}
            if kept.enough:
                break
        return found

    def _nearest(self, relations: Iterable[str], inquiry: Inquiry, topics: Sequence[str], most: int) -> tuple[str, ...]:
        """The relations most similar to the question without its main entity; ties by name. All by name, if few."""
        known = sorted(relations)
        if len(known) <= most:
            return tuple(known)
        asked = f" {entity_key(inquiry.question)} ".replace(f" {topics[0]} ", " ").strip() or inquiry.question
        near = _vectors(self.view, self.embedder, known) @ self.embedder.embed_query(asked)
        order = sorted(range(len(known)), key=lambda at: (-round(float(near[at]), 6), known[at]))
        return tuple(known[at] for at in order[:most])


class _Walk:
    """From entities outwards: each step has the facts of one hop that were not met before."""

    def __init__(self, view: View, topics: Sequence[str]) -> None:
        self._view = view
        self._met: set[str] = set()
        self._seen, self._frontier = set(topics), list(topics)
        self._facts: list[Fact] = []

    def step(self) -> list[Fact]:
        """The facts of the next hop, from all that was not left out."""
        near = self._view.graph.neighbourhood(self._frontier, hops=1, limit=FACTS) if self._frontier else []
        self._facts = [fact for fact in near if fact.id not in self._met]
        self._met |= {fact.id for fact in self._facts}
        self._go_on(near)
        return self._facts

    def keep(self, relations: Collection[str]) -> list[Fact]:
        """The facts of these relations; the next step starts from them alone."""
        kept = [fact for fact in self._facts if fact.relation in relations]
        self._seen -= set(self._frontier)
        self._go_on(kept)
        return kept

    def _go_on(self, facts: Iterable[Fact]) -> None:
        ends = (end for fact in facts for end in (fact.subject, fact.object) if not end.startswith(LITERAL))
        self._frontier = [end for end in dict.fromkeys(ends) if end not in self._seen][:ENTITIES]
        self._seen |= set(self._frontier)


def _in_words(fact: Fact) -> str:
    return f"{fact.subject}: {fact.object.removeprefix(LITERAL)}"


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
