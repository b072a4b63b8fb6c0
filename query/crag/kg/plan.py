"""KERAG's plan over any knowledge graph: made on the schema before anything is fetched.

One call names entities, their types and the time; one call a hop drops relations that are surely irrelevant, says
whether what is left is enough or the wrong entity was linked, and along which relations to go on: at most three hops.
Then facts are fetched and filtered without a model; who answers summarises them, which is the second of hops + 2 calls.
A graph without a schema is gone along hop by hop, each call seeing the relations that its data has.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any, Protocol

from clausegraph.core.errors import UnusableReply
from clausegraph.core.language.normalise import singular
from clausegraph.core.types import Evidence, PageKey, Span
from clausegraph.query.crag.kg.names import plain
from clausegraph.query.crag.times import TimeRange, resolve
from clausegraph.query.crag.types import (
    Attributes,
    CragFault,
    CragFeedback,
    CragQuestion,
    KgFound,
    Reference,
    ReferenceKind,
)
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.reply import UNUSABLE, flag, named_things, object_of, object_schema, short

DayRange = tuple[date, date]
MOST = 30  # facts that are kept, as in KERAG
HOPS = 3
_PIECE = 4  # letters by which forms of a word meet
_ENTITIES = 4
_BREADTH = 5  # things that a further hop is made from
_UNFILTERED = 200  # facts where none is left out
_RECENT = timedelta(days=30)  # of a question that names no time
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_ENTITIES_OF = {"type": "array", "items": object_schema("entity", name=_TEXT, type=_TEXT)[1]}
ENTITY_SCHEMA = object_schema("plan_entities", entities=_ENTITIES_OF, first_day=_TEXT, last_day=_TEXT)
HOP_SCHEMA = object_schema(
    "plan_hop", drop=_TEXTS, follow=_TEXTS, enough={"type": "boolean"}, wrong_entity={"type": "boolean"}
)


@dataclass(frozen=True, slots=True)
class GraphThing:
    """Something the graph knows: its key there, how it is called, and of which type of the schema it is."""

    key: str
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class SchemaRelation:
    """A relation that things of a type may have; ``gives`` is the type it leads to, empty for a plain value."""

    name: str
    of: str
    gives: str = ""


@dataclass(frozen=True, slots=True)
class GraphFact:
    """One fact in words, the relation it is of, the thing it leads to, and the query or call that gave it."""

    text: str
    relation: str
    thing: GraphThing | None = None
    source: str = ""
    evidence: tuple[Evidence, ...] = ()  # where it is stated, if the graph knows


class KnowledgeGraph(Protocol):
    """Raises ``StoreError`` where it does not answer; nothing found is an empty list."""

    @property
    def name(self) -> str:
        """As answers cite it."""

    def schema(self) -> Sequence[SchemaRelation]:
        """All relations by type; empty where the graph has no schema, so that a plan is made on data."""

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """The things of that type most like a name, at most three, the surest first; any type where it is empty."""

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Facts of a thing along these relations (none means all); those that have a time, of these days."""


def nearest(
    facts: Sequence[GraphFact], question: CragQuestion, entities: Collection[str], most: int = MOST
) -> list[GraphFact]:
    """The facts nearest to what the question asks besides naming its entities; in their order where equally near.

    Those that bear a day which the question names come first: a table has a row of each day, all of the same words.
    """
    times = resolve(question.text, question.time)
    about = _stems(question.text) - {stem for name in entities for stem in _stems(name)}
    unique = list({fact.text: fact for fact in facts}.values())

    def first(fact: GraphFact) -> tuple[bool, float]:
        relation, text = _stems(fact.relation.replace("_", " ")), _stems(fact.text)
        nearness = 2 * len(about & relation) + len(about & text) / math.sqrt(1 + len(text))
        return bool(times) and _is_of(fact.text, times), nearness

    return sorted(unique, key=first, reverse=True)[:most]


def _is_of(text: str, times: Sequence[TimeRange]) -> bool:
    days = _DAY.findall(text)
    return any(
        (one.start is None or one.start.isoformat() <= day) and (one.end is None or day <= one.end.isoformat())
        for one in times
        for day in days
    )


def _stems(text: str) -> set[str]:
    return {singular(word)[: max(_PIECE, len(word) - 3)] for word in plain(text).split() if len(word) > 2}


def kg_reference(
    fact: str, graph: str, call: str, entities: Iterable[str] = (), stated: tuple[Evidence, ...] = ()
) -> Reference:
    """A fact in words. It is cited by where it is stated; an API has no pages, so there the call is the page."""
    if stated:
        return Reference(ReferenceKind.KG, fact, graph, stated, score=1.0)
    evidence = Evidence(PageKey("kg", call), graph, tuple(entities), Span("", 0, len(fact)), fact, "")
    return Reference(ReferenceKind.KG, fact, f"{graph}: {call}", (evidence,), score=1.0)


@dataclass(frozen=True, slots=True)
class PlannedEntities:
    """Names with their types, and the days that the question is about."""

    names: tuple[tuple[str, str], ...]
    days: DayRange | None


@dataclass(frozen=True, slots=True)
class PlannedHop:
    """What a hop keeps; relations to follow to the next one; whether that ends the plan."""

    drop: frozenset[str] = frozenset()
    follow: tuple[str, ...] = ()
    enough: bool = True
    wrong_entity: bool = False


def parse_entities(text: str, types: Sequence[str]) -> PlannedEntities:
    """Read the first reply, which names an entity; a type that the schema lacks is left open."""
    reply = object_of(text)
    names = named_things(reply.get("entities"), types)
    if not names:
        raise UnusableReply("the reply names no entity")
    first, last = _day(reply.get("first_day")), _day(reply.get("last_day"))
    days = (first, last) if first and last and first <= last else None
    return PlannedEntities(names[:_ENTITIES], days)


def parse_hop(text: str, relations: Sequence[SchemaRelation]) -> PlannedHop:
    """Read the reply of a hop; relations that were not shown are ignored, and values lead nowhere."""
    reply = object_of(text)
    enough = flag(reply, "enough", "the reply does not say whether it is enough")
    known = {relation.name for relation in relations}
    leading = {relation.name for relation in relations if relation.gives}
    drop, follow = (_listed(reply.get(name)) for name in ("drop", "follow"))
    return PlannedHop(
        frozenset(drop) & known - set(follow),
        tuple(name for name in follow if name in leading),
        enough,
        reply.get("wrong_entity") is True,
    )


def _listed(value: object) -> list[str]:
    return [short(one).partition(" ->")[0].strip() for one in value] if isinstance(value, list) else []


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None


class SchemaPlan:
    """Plans for one question and fetches what was planned."""

    def __init__(self, model: StepModel, graph: KnowledgeGraph, hops: int = HOPS, *, filtered: bool = True) -> None:
        self._model, self._graph, self._hops, self._filtered = model, graph, hops, filtered

    def run(self, question: CragQuestion, feedback: Sequence[CragFeedback] = ()) -> KgFound:
        """The facts nearest to the question, at most thirty, and the plan in words; none where no entity was linked.

        Where the model says that the wrong entity was linked, the next candidates take its place: at most three.

        Raises:
            UnusableReply, BudgetExceeded: the first call has no usable reply.
        """
        schema = self._graph.schema()
        named = self._entities(question, sorted({relation.of for relation in schema}), feedback)
        said = [f"entities {'; '.join(f'{name} ({kind})' for name, kind in named.names)}"]
        days = named.days or _days(question)
        linked = [found for name, kind in named.names if (found := self._graph.find(name, kind))]
        frontier = entities = [found[0] for found in linked]
        facts: list[GraphFact] = []
        number = 0
        while frontier and number < self._hops:
            number += 1
            relations = _of(schema, frontier) or self._on_data(frontier, days)
            hop = self._hop(question, frontier, relations, number, said)
            if hop.wrong_entity:
                linked = [found[1:] for found in linked if found[1:]] if frontier is entities else []
                frontier = entities = [found[0] for found in linked]
                continue
            kept = [relation.name for relation in relations if relation.name not in hop.drop or not self._filtered]
            fresh = [fact for thing in frontier for fact in self._graph.facts(thing, kept, days)]
            facts += fresh
            if hop.enough or not hop.follow:
                break
            leads = [fact.thing for fact in fresh if fact.thing is not None and fact.relation in hop.follow]
            frontier = list(dict.fromkeys(leads))[:_BREADTH]
        names = tuple(thing.name for thing in entities)
        near = nearest(facts, question, names, MOST if self._filtered else _UNFILTERED)
        graph = self._graph.name
        cited = (kg_reference(one.text, graph, one.source or one.relation, names, one.evidence) for one in near)
        return KgFound(tuple(cited), tuple(said), names, looked_into=(graph,))

    def _entities(
        self, question: CragQuestion, types: Sequence[str], feedback: Sequence[CragFeedback]
    ) -> PlannedEntities:
        wrong = [str(one) for one in feedback if one.fault in (CragFault.ENTITIES, CragFault.GRAPH, CragFault.DOMAIN)]
        inputs: dict[str, object] = {
            "question": question.text,
            "time": question.moment,
            "types": ", ".join(types) or "any",
            "feedback": "; ".join(wrong),
        }
        parse = partial(parse_entities, types=types)
        return self._model.ask("crag-kg-entities", inputs, parse, schema=ENTITY_SCHEMA).value

    def _hop(
        self,
        question: CragQuestion,
        frontier: Sequence[GraphThing],
        relations: Sequence[SchemaRelation],
        number: int,
        said: list[str],
    ) -> PlannedHop:
        """The model's; a reply that cannot be used keeps everything and ends the plan."""
        inputs: dict[str, object] = {
            "question": question.text,
            "time": question.moment,
            "entities": "; ".join(f"{thing.name} ({thing.type})" for thing in frontier),
            "relations": "\n".join(f"{one.name}{f' -> {one.gives}' if one.gives else ''}" for one in relations),
            "hop": f"{number} of at most {self._hops}",
        }
        try:
            parse = partial(parse_hop, relations=relations)
            hop = self._model.ask("crag-kg-hop", inputs, parse, schema=HOP_SCHEMA).value
        except UNUSABLE as error:
            said.append(f"hop {number}: everything is kept ({error})")
            return PlannedHop()
        verdict = "the wrong entity" if hop.wrong_entity else "enough" if hop.enough else "not enough"
        said.append(f"hop {number}: without {', '.join(sorted(hop.drop)) or 'nothing'}; {verdict}")
        return hop

    def _on_data(self, frontier: Sequence[GraphThing], days: DayRange | None) -> list[SchemaRelation]:
        """The relations that these things have, where there is no schema."""
        found = [fact for thing in frontier for fact in self._graph.facts(thing, None, days)]
        leading = {fact.relation for fact in found if fact.thing}
        names = dict.fromkeys(fact.relation for fact in found)
        return [SchemaRelation(name, "", "thing" if name in leading else "") for name in names]


def _of(schema: Sequence[SchemaRelation], things: Sequence[GraphThing]) -> list[SchemaRelation]:
    types = {thing.type for thing in things}
    return list({one.name: one for one in schema if one.of in types}.values())


def _days(question: CragQuestion) -> DayRange:
    """The days that the question's words name, else the month up to it."""
    today = question.time.date()
    known = ((one.start, one.end) for one in resolve(question.text, question.time))
    return next(((start, end) for start, end in known if start and end), (today - _RECENT, today))


class GraphLookup:
    """KERAG over any graph, which is opened for each look-up and closed after it."""

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[KnowledgeGraph]],
        model: StepModel,
        hops: int = HOPS,
        *,
        filtered: bool = True,
    ) -> None:
        self._opened, self._model, self._hops, self._filtered = opened, model, hops, filtered

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """Facts along the plan; nothing where no plan can be made."""
        with self._opened() as graph:
            try:
                return SchemaPlan(self._model, graph, self._hops, filtered=self._filtered).run(question, feedback)
            except UNUSABLE as error:
                return KgFound(calls=(f"no plan ({error})",))
