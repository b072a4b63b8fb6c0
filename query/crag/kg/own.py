"""Our graph of a corpus at an epoch, asked like any other; its facts are cited by the pages that state them.

It has relations in the pages' words and no schema worth the name, so a plan is made on its data.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from clausegraph.core.language.normalise import tokens
from clausegraph.core.types import LITERAL, Evidence, Fact
from clausegraph.indexes.views import View
from clausegraph.query.crag.kg.align import candidates
from clausegraph.query.crag.kg.protocol import DayRange, GraphFact, GraphThing, SchemaRelation
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.retrieve.statements import anchors_of

_LOOKED_AT = 40  # entities that share words with a name
_MOST = 200  # facts of a thing
_THING = "thing"


class CorpusGraph:
    """The graph of a view."""

    name = "the corpus's graph"

    def __init__(self, view: View) -> None:
        self._view = view

    def schema(self) -> Sequence[SchemaRelation]:
        """None: hop by hop on data."""
        return ()

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """Entities whose names are most like it; types are the pages' own and do not restrict."""
        known = self._view.graph.named([name], normalised=True)
        hits = [hit.key for hit in self._view.graph.entities(tokens(name), _LOOKED_AT)]
        keys = list(dict.fromkeys([*known.values(), *candidates(name, hits)]))
        return [GraphThing(key, key, _THING) for key in keys[:3]]

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Facts in which the thing is subject or object; what the epoch states has no days to choose by."""
        if relations is not None and not relations:
            return []
        wanted = None if relations is None else sorted(relations)
        facts = self._view.graph.neighbourhood([thing.key], hops=1, limit=_MOST, relations=wanted)
        stated = self._stated([fact.id for fact in facts])
        return [
            GraphFact(fact.text, fact.relation, _other(fact, thing), fact.id, stated.get(fact.id, ())) for fact in facts
        ]

    def _stated(self, ids: list[str]) -> dict[str, tuple[Evidence, ...]]:
        """Of each fact the first element that states it."""
        found: dict[str, tuple[Evidence, ...]] = {}
        for support in self._view.graph.supports(ids):
            if support.fact_id in found:
                continue
            reading = self._view.reading(support.page)
            elements = (reading.element(anchor) for anchor in anchors_of(support.statement))
            element = next((one for one in elements if one is not None), None)
            if element is not None:
                found[support.fact_id] = (evidence_of(support.page, reading, element),)
        return found


def _other(fact: Fact, thing: GraphThing) -> GraphThing | None:
    key = fact.object if fact.subject == thing.key else fact.subject
    return None if key.startswith(LITERAL) or key == thing.key else GraphThing(key, key, _THING)
