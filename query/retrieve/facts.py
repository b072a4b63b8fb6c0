"""From a question to the facts it is about, and from facts to the elements that state them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.words import AUXILIARIES, CONTRACTED, DETERMINERS, PREPOSITIONS, PRONOUNS, RELATIVES
from clausegraph.core.models.embedding import Vectors
from clausegraph.core.types import Fact, Support, leaves
from clausegraph.indexes.views import View
from clausegraph.query.rank.signals import Place

NEAREST = 100  # facts by similarity
LINKED = 10  # entities of the question
AROUND = 100  # facts around them
LINK = 0.1  # what a whole name in the question is worth in cosine
_FUNCTION_WORDS = AUXILIARIES | CONTRACTED | DETERMINERS | PREPOSITIONS | PRONOUNS | RELATIVES


@dataclass(frozen=True, slots=True)
class ScoredFact:
    """A fact and how well it fits the question, 0 to 1."""

    fact: Fact
    score: float


def find_facts(view: View, vector: Vectors, text: str = "") -> list[ScoredFact]:
    """Facts by similarity and, when its text is given, around the entities the question names.

    ``score = cos(q, fact) + LINK * share of the better linked end's name that the question has``, scaled so
    that the best fact has 1 and the worst 0. Order: score descending, then fact id.
    """
    near = {hit.ref: hit.score for hit in view.search("fact", vector, NEAREST)}
    linked = link_entities(view, text) if text else {}
    around = view.graph.neighbourhood(sorted(linked), hops=1, limit=AROUND) if linked else []
    floor = min(near.values(), default=0.0)
    facts = {fact.id: fact for fact in [*view.graph.facts(sorted(near)), *around]}
    raw = {
        key: near.get(key, floor) + LINK * max(linked.get(fact.subject, 0.0), linked.get(fact.object, 0.0))
        for key, fact in facts.items()
    }
    low, high = min(raw.values(), default=0.0), max(raw.values(), default=0.0)
    span = high - low or 1.0
    scored = [ScoredFact(fact, (raw[key] - low) / span) for key, fact in facts.items()]
    return sorted(scored, key=lambda item: (-item.score, item.fact.id))


def link_entities(view: View, text: str) -> dict[str, float]:
    """Entities whose name is half or more in the question, and how much of it is, 0.5 to 1."""
    words = [word for word in entity_key(text).split() if word not in _FUNCTION_WORDS]
    hits = view.graph.entities(words, LINKED)
    return {hit.key: hit.matched / hit.total for hit in hits if 2 * hit.matched >= hit.total}


def element_facts(view: View, vector: Vectors, text: str = "") -> dict[Place, float]:
    """For each element the score of the best fact it states or sets a condition of; see :func:`find_facts`."""
    facts = find_facts(view, vector, text)
    scores = {item.fact.id: item.score for item in facts}
    best: dict[Place, float] = {}
    for support in view.graph.supports(sorted(scores)):
        score = scores[support.fact_id]
        for anchor in stating(support):
            place = (support.page, anchor)
            best[place] = max(score, best.get(place, 0.0))
    return best


def stating(support: Support) -> Iterable[str]:
    """Anchors of the elements that state a support or a leaf of its condition."""
    statement = support.statement
    return dict.fromkeys(
        [span.anchor for span in statement.spans] + [leaf.anchor for leaf in leaves(statement.condition)]
    )
