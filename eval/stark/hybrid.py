"""HybGRAG (Lee et al. 2024) over any graph: what the named things have in common, ranked by their texts; with a critic.

A router names things, relations and the module in one call (published: two); the graph module takes the neighbourhoods
of the things along the relations, at most two steps, and what they have in common; the text module is similarity. A
validator sees the first nodes with the paths that led there, a commentor says which one error explains a rejection.
Without a model the router takes the names that stand in the question and all relations, and nothing is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from clausegraph.core.errors import UnusableReply
from clausegraph.eval.stark.dataset import StarkBase
from clausegraph.eval.stark.methods import DEPTH, NearText, Ranking, as_text, asked
from clausegraph.query.crag.kg.plan import GraphThing, KnowledgeGraph
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, StepModel
from clausegraph.query.steps.reply import UNUSABLE, listed, member, object_of, object_schema, parse_judgement, short

ROUNDS, STEPS = 4, 2
_THINGS, _BREADTH = 4, 200  # things of a question; nodes that a further step goes on from
_SHOWN, _CHARACTERS = 3, 500  # nodes that the validator sees, and of each
_TEXTS = {"type": "array", "items": {"type": "string"}}
ROUTE_SCHEMA = object_schema(
    "route",
    entities={
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "type": {"type": "string"}},
            "required": ["name", "type"],
            "additionalProperties": False,
        },
    },
    relations=_TEXTS,
    module={"type": "string", "enum": ["graph", "text"]},
)
VALIDATE_SCHEMA = object_schema("validate", missing={"type": "string"}, enough={"type": "boolean"})


class StarkFault(StrEnum):
    """The one error of a route (HybGRAG's feedback of STaRK)."""

    WRONG = "entity or relation wrong"
    MORE = "entity and relation missing"
    NONE = "no entity found"
    EMPTY = "intersection empty"
    LACKS = "intersection without the answer"
    MODULE = "module wrong"


COMMENT_SCHEMA = object_schema(
    "comment", error={"type": "string", "enum": [one.value for one in StarkFault]}, about={"type": "string"}
)


@dataclass(frozen=True, slots=True)
class StarkRoute:
    """What is looked up: names with types, relations, and whether in the graph or in the texts."""

    names: tuple[tuple[str, str], ...]
    relations: tuple[str, ...]
    graph: bool


@dataclass(slots=True)
class _Found:
    ids: list[str] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)
    things: list[GraphThing] = field(default_factory=list)
    met: int = -1  # nodes that all things have in common; -1: the graph was not asked


def parse_route(text: str, types: Sequence[str], relations: Sequence[str]) -> StarkRoute:
    """Read a router's reply; types and relations that do not exist are left out.

    Raises:
        UnusableReply: it names no module.
    """
    reply = object_of(text)
    if reply.get("module") not in ("graph", "text"):
        raise UnusableReply("the reply names no module")
    names = []
    for one in reply["entities"] if isinstance(reply.get("entities"), list) else []:
        if isinstance(one, dict) and short(one.get("name")).strip():
            kind = short(one.get("type")).strip()
            names.append((short(one["name"]).strip(), kind if kind in types else ""))
    wanted = reply["relations"] if isinstance(reply.get("relations"), list) else []
    known = tuple(one for one in dict.fromkeys(map(short, wanted)) if one in relations)
    return StarkRoute(tuple(dict.fromkeys(names))[:_THINGS], known, reply["module"] == "graph")


def parse_fault(text: str) -> str:
    """A commentor's reply in words.

    Raises:
        UnusableReply: it names no error of the set.
    """
    reply = object_of(text)
    fault = member(reply.get("error"), StarkFault)
    if fault is None:
        raise UnusableReply("the reply names no error of the set")
    about = short(reply.get("about")).strip()
    return f"{fault.value}: {about}" if about else fault.value


def neighbourhood(graph: KnowledgeGraph, thing: GraphThing, relations: Sequence[str], steps: int) -> dict[str, str]:
    """Ids within so many steps along the relations (none: all), each with the first path that led there."""
    reached: dict[str, str] = {}
    frontier = {thing: thing.name}
    for _ in range(steps):
        onward: dict[GraphThing, str] = {}
        for one, path in list(frontier.items())[:_BREADTH]:
            for fact in graph.facts(one, relations or None, None):
                other = fact.thing
                if other is not None and other.key != thing.key and other.key not in reached:
                    reached[other.key] = onward[other] = f"{path} -> {fact.relation} -> {other.name}"
        frontier = onward
    return reached


class HybridRanking:
    """Graph and text; ``rounds`` 1 is without the critic."""

    def __init__(
        self,
        base: StarkBase,
        near: NearText,
        model: ModelSteps | None,
        limits: QuestionLimits,
        *,
        graph: KnowledgeGraph | None = None,
        rounds: int = ROUNDS,
    ) -> None:
        self._base, self._near, self._model, self._limits = base, near, model, limits
        self._graph = graph or base.graph
        schema = self._graph.schema()
        self._types = sorted({one.of for one in schema})
        self._relations = sorted({one.name for one in schema} or {edge.relation for edge in base.graph.edges})
        self._shown = sorted({f"{one.of} - {one.name} - {one.gives}" for one in schema}) or self._relations
        self._rounds = rounds if model is not None else 1

    def __call__(self, question: str) -> Ranking:
        """The order of the last round; what a model says that cannot be used ends the rounds."""
        model, meter = asked(self._model, self._limits)
        scores = self._near.scores(question)
        feedback: list[str] = []
        how: list[str] = []
        found = _Found()
        for number in range(1, self._rounds + 1):
            route = self._route(question, model, feedback, how)
            found = self._retrieve(route, scores)
            how.append(_told(route, found))
            if number == self._rounds or model is None:
                break
            said = self._rejected(question, model, route, found, how)
            if said is None:
                break
            feedback.append(said)
        used = meter.usage()
        return Ranking(tuple(found.ids), tuple(how), number, used.calls, used.prompt_tokens)

    def _route(self, question: str, model: StepModel | None, feedback: Sequence[str], how: list[str]) -> StarkRoute:
        if model is not None:
            inputs: dict[str, object] = {
                "question": question,
                "types": listed(self._types),
                "relations": "\n".join(self._shown),
                "feedback": "\n".join(feedback),
            }
            try:
                return model.ask(
                    "stark-route",
                    inputs,
                    lambda text: parse_route(text, self._types, self._relations),
                    schema=ROUTE_SCHEMA,
                ).value
            except UNUSABLE as error:
                how.append(f"routed by rules: {error}")
        names = tuple((thing.name, thing.type) for thing in self._base.graph.named_in(question))[:_THINGS]
        return StarkRoute(names, (), bool(names))

    def _retrieve(self, route: StarkRoute, scores: np.ndarray) -> _Found:
        """What all things have in common within one step, else within two, by its texts; then the nearest texts."""
        found = _Found()
        if route.graph:
            linked = [self._graph.find(name, kind) or self._graph.find(name, "") for name, kind in route.names]
            found.things = [one[0] for one in linked if one]
        for steps in range(1, STEPS + 1) if found.things else ():
            reached = [neighbourhood(self._graph, thing, route.relations, steps) for thing in found.things]
            common = [key for key in reached[0] if all(key in one for one in reached)]
            found.ids = self._near.first(scores, DEPTH, common)
            found.met = len(found.ids)
            found.paths = {key: "; ".join(one[key] for one in reached) for key in found.ids}
            if found.ids:
                break
        known = set(found.ids)
        rest = [key for key in self._near.first(scores, 2 * DEPTH) if key not in known]
        found.ids = [*found.ids, *rest][:DEPTH]
        return found

    def _rejected(
        self, question: str, model: StepModel, route: StarkRoute, found: _Found, how: list[str]
    ) -> str | None:
        """What to mend; none where the validator accepts, or where a model's reply cannot be used."""
        first = [self._base.graph.nodes[key] for key in found.ids[:_SHOWN]]
        inputs: dict[str, object] = {
            "question": question,
            "paths": "\n".join(found.paths[node.id] for node in first if node.id in found.paths) or "none",
            "found": "\n\n".join(f"{as_text(node)[:_CHARACTERS]}" for node in first),
        }
        try:
            judged = model.ask("stark-validate", inputs, parse_judgement, schema=VALIDATE_SCHEMA).value
            how.append(judged.reason)
            if judged.accepted:
                return None
            told: dict[str, object] = {
                "question": question,
                "entities": listed([f"{name} ({kind})" for name, kind in route.names]),
                "relations": listed(route.relations),
                "module": "graph" if route.graph else "text",
                "common": _in_common(found),
            }
            return model.ask("stark-comment", told, parse_fault, schema=COMMENT_SCHEMA).value
        except UNUSABLE as error:
            how.append(f"taken as it is: {error}")
            return None


def _in_common(found: _Found) -> str:
    return "the graph was not asked" if found.met < 0 else f"{found.met} nodes in common"


def _told(route: StarkRoute, found: _Found) -> str:
    things: Iterable[str] = (thing.name for thing in found.things)
    if not route.graph:
        return "text"
    return f"graph: {listed(list(things))} along {listed(route.relations)}: {_in_common(found)}"
