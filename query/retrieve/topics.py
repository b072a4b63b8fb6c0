"""What a corpus has that a question may be about: entities with one type each, and relations, nearest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import LITERAL, Fact, Mention, Support
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.question import embed

ENTITIES = 30  # offered at most
RELATIONS = 40
NEAREST = 40  # facts whose ends and relations are offered
_TOPICS = 2  # of a question that is not routed
_LONGEST = 8  # words of a name that is looked for
_AROUND = 200  # facts of the named entities
_BLAND = {"section", "role"}  # entities of the page's structure, and the reader himself: nobody means them by name
_OWN = {"topic", "page"}  # what pages are about: of any other type a single common word ("bank") names nothing


@dataclass(frozen=True, slots=True)
class Topic:
    """An entity with its most frequent type."""

    key: str
    type: str = "thing"


class Offer:
    """What the corpus has for one question; each part is looked up when first asked for."""

    def __init__(self, view: View, embedder: Embedder, inquiry: Inquiry) -> None:
        self._view, self._embedder, self._inquiry = view, embedder, inquiry

    @cached_property
    def named(self) -> tuple[Topic, ...]:
        """The entities whose names stand in the question, whole; longer names first, none within another."""
        return named_in(self._view, self._inquiry.question)

    @property
    def topics(self) -> list[str]:
        """Keys of what the question is about: at most two that it names; where it names none, what is nearest."""
        return [topic.key for topic in (self.named or self.entities[:1])][:_TOPICS]

    @cached_property
    def told(self) -> tuple[Topic, ...]:
        """Those whose names stand in the scenario."""
        return named_in(self._view, self._inquiry.scenario) if self._inquiry.scenario.strip() else ()

    @cached_property
    def entities(self) -> tuple[Topic, ...]:
        """Named ones, then those of the nearest facts, then those that the scenario names."""
        ends = [end for fact in self.facts for end in (fact.subject, fact.object) if not end.startswith(LITERAL)]
        near = typed(self._view, list(dict.fromkeys(ends)))
        return tuple(dict.fromkeys([*self.named, *near, *self.told]))[:ENTITIES]

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """Relations of the nearest facts, then of the named entities."""
        keys = [topic.key for topic in self.named]
        around = self._view.graph.neighbourhood(keys, hops=1, limit=_AROUND)
        return tuple(dict.fromkeys(fact.relation for fact in [*self.facts, *around]))[:RELATIONS]

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The facts nearest to the question, best first."""
        hits = self._view.search_facts(embed(self._inquiry, self._embedder), NEAREST)
        return tuple(self._view.graph.facts([hit.ref for hit in hits]))


def named_in(view: View, text: str) -> tuple[Topic, ...]:
    """The entities whose whole names stand in a text; longer names first, none within another."""
    words = entity_key(text).split()
    spans = [
        (start, end) for start in range(len(words)) for end in range(start + 1, min(start + _LONGEST, len(words)) + 1)
    ]
    spans.sort(key=lambda span: (span[0] - span[1], span[0]))
    known = view.graph.named(sorted({" ".join(words[start:end]) for start, end in spans}))
    topics = {topic.key: topic for topic in typed(view, sorted(set(known.values())))}
    taken: set[int] = set()
    found: dict[Topic, None] = {}
    for start, end in spans:
        key = known.get(" ".join(words[start:end]))
        if key is not None and _names(topics[key], end - start) and not taken & set(range(start, end)):
            taken |= set(range(start, end))
            found[topics[key]] = None
    return tuple(found)


def _names(topic: Topic, words: int) -> bool:
    """Whether somebody who says these words means the entity."""
    return topic.type not in _BLAND and (words > 1 or topic.type in _OWN)


def typed(view: View, keys: Sequence[str]) -> list[Topic]:
    """The entities with the type that most statements give them, in the order given."""
    facts = view.graph.neighbourhood(keys, hops=1, limit=_AROUND)
    types = types_of(view.graph.supports([fact.id for fact in facts]))
    return [Topic(key, types.get(key, "thing")) for key in keys]


def types_of(supports: Iterable[Support]) -> dict[str, str]:
    """The most frequent type of each entity that the supports mention; ties by name."""
    counted: dict[str, Counter[str]] = {}
    for support in supports:
        for mention in (support.statement.subject, support.statement.object):
            if isinstance(mention, Mention):
                counted.setdefault(mention.key, Counter())[mention.type] += 1
    return {key: min(types, key=lambda name: (-types[name], name)) for key, types in counted.items()}
