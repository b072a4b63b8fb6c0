"""Which facts of a graph are near the question, without a model: by the words and word pieces they share."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from clausegraph.core.language.normalise import singular
from clausegraph.query.crag.kg.align import plain
from clausegraph.query.crag.kg.protocol import GraphFact

MOST = 30  # facts that are kept, as in KERAG
_PIECE = 4  # letters by which forms of a word meet


def nearest(facts: Sequence[GraphFact], question: str, entities: Collection[str], most: int = MOST) -> list[GraphFact]:
    """The facts nearest to what the question asks besides naming its entities; in their order where equally near."""
    about = _stems(question) - {stem for name in entities for stem in _stems(name)}
    unique = list({fact.text: fact for fact in facts}.values())

    def nearness(fact: GraphFact) -> float:
        relation, text = _stems(fact.relation.replace("_", " ")), _stems(fact.text)
        return 2 * len(about & relation) + len(about & text) / math.sqrt(1 + len(text))

    ranked = sorted(unique, key=nearness, reverse=True)
    kept = {id(fact) for fact in ranked[:most]}
    return [fact for fact in ranked if id(fact) in kept]


def _stems(text: str) -> set[str]:
    return {singular(word)[: max(_PIECE, len(word) - 3)] for word in plain(text).split() if len(word) > 2}
