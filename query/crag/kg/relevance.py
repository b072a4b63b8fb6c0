"""Which facts of a graph are near the question, without a model: by the words and word pieces they share."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

from clausegraph.core.language.normalise import singular
from clausegraph.query.crag.kg.align import plain
from clausegraph.query.crag.kg.protocol import GraphFact
from clausegraph.query.crag.time.resolve import TimeRange, resolve
from clausegraph.query.crag.types import CragQuestion

MOST = 30  # facts that are kept, as in KERAG
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_PIECE = 4  # letters by which forms of a word meet


def nearest(
    facts: Sequence[GraphFact], question: CragQuestion, entities: Collection[str], most: int = MOST
) -> list[GraphFact]:
    """The facts nearest to what the question asks besides naming its entities; in their order where equally near.

    Those that bear a day which the question names come first: a table has a row of each day, all of the same words.
    """
    times = resolve(question.text, question.time)
    about = _stems(question.text) - {stem for name in entities for stem in _stems(name)}
    unique = list({fact.text: fact for fact in facts}.values())

    def nearness(fact: GraphFact) -> float:
        relation, text = _stems(fact.relation.replace("_", " ")), _stems(fact.text)
        return 2 * len(about & relation) + len(about & text) / math.sqrt(1 + len(text))

    def first(fact: GraphFact) -> tuple[bool, float]:
        return bool(times) and _is_of(fact.text, times), nearness(fact)

    ranked = sorted(unique, key=first, reverse=True)
    kept = {id(fact) for fact in ranked[:most]}
    return [fact for fact in ranked if id(fact) in kept]


def _is_of(text: str, times: Sequence[TimeRange]) -> bool:
    days = _DAY.findall(text)
    return any(
        (one.start is None or one.start.isoformat() <= day) and (one.end is None or day <= one.end.isoformat())
        for one in times
        for day in days
    )


def _stems(text: str) -> set[str]:
    return {singular(word)[: max(_PIECE, len(word) - 3)] for word in plain(text).split() if len(word) > 2}
