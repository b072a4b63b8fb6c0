"""Ways to put the nodes of a knowledge base into an order for a question.

The baselines are those of HybGRAG (Lee et al. 2024): similarity alone, the same re-ranked by a model, and personalised
PageRank. The hybrid takes what the named things have in common, ranked by their texts: a router names things, relations
and the module in one call (published: two); the graph module takes the neighbourhoods of the things along the
relations, at most two steps, and what they have in common; the text module is similarity. A validator sees the first
nodes with the paths that led there, a commentor says which one error explains a rejection. Without a model the router
takes the names that stand in the question and all relations, and nothing is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from clausegraph.core.errors import UnusableReply, require_extra
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.eval.knowledge import FileNode
from clausegraph.eval.stark.run import DEPTH, Ranking, StarkBase
from clausegraph.query.crag.kg.plan import GraphThing, KnowledgeGraph
from clausegraph.query.engines.corrective import ordered
from clausegraph.query.retrieve.pagerank import excess
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter, StepModel
from clausegraph.query.steps.reply import (
    UNUSABLE,
    fault_of,
    listed,
    named_things,
    object_of,
    object_schema,
    parse_judgement,
    short,
)

SEEDS = 5  # nearest nodes that a walk begins from beside those that the question names
_DAMPING = 0.85
_RERANKED = 600  # characters of a node that a model is shown to order it
ROUNDS, STEPS = 4, 2
_THINGS, _BREADTH = 4, 200  # things of a question; nodes that a further step goes on from
_SHOWN, _CHARACTERS = 3, 500  # nodes that the validator sees, and of each
_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
ROUTE_SCHEMA = object_schema(
    "route",
    entities={"type": "array", "items": object_schema("entity", name=_TEXT, type=_TEXT)[1]},
    relations=_TEXTS,
    module={"type": "string", "enum": ["graph", "text"]},
)
VALIDATE_SCHEMA = object_schema("validate", missing={"type": "string"}, enough={"type": "boolean"})
Method = Callable[[str], Ranking]


class NearText:
    """The candidates by the similarity of their texts to a question."""

    def __init__(self, base: StarkBase, embedder: Embedder) -> None:
        """Embed the candidates, under their names."""
        self._embedder = embedder
        self.ids = [node.id for node in base.candidates]
        self._rows = {key: row for row, key in enumerate(self.ids)}
        self._matrix = embedder.embed_texts([as_text(node) for node in base.candidates])

    def scores(self, question: str) -> np.ndarray:
        """Cosines, in the order of ``ids``."""
        scores: np.ndarray = self._matrix @ self._embedder.embed_query(question)
        return scores

    def first(self, scores: np.ndarray, count: int, among: Sequence[str] | None = None) -> list[str]:
        """The best ids, of all or among some; equal ones in the order of the file."""
        rows = range(len(self.ids)) if among is None else [self._rows[key] for key in among if key in self._rows]
        return [self.ids[row] for row in sorted(rows, key=lambda row: (-scores[row], row))[:count]]

    def __call__(self, question: str) -> Ranking:
        """The nearest: a method by itself."""
        return Ranking(tuple(self.first(self.scores(question), DEPTH)))


class ModelReranking:
    """The nearest twenty in the order in which a model puts them; a reply that cannot be used changes nothing."""

    def __init__(self, base: StarkBase, near: NearText, model: ModelSteps, limits: QuestionLimits) -> None:
        self._base, self._near, self._model, self._limits = base, near, model, limits

    def __call__(self, question: str) -> Ranking:
        """One call."""
        nearest, how = self._near.first(self._near.scores(question), DEPTH), tuple[str, ...]()
        meter = QuestionMeter(self._limits)
        shown = [" ".join(as_text(self._base.graph.nodes[key]).split())[:_RERANKED] for key in nearest]
        try:
            nearest = [nearest[index] for index in ordered(self._model.question(meter), Inquiry(question), shown)]
        except UNUSABLE as error:
            how = (f"left as it was: {error}",)
        used = meter.usage()
        return Ranking(tuple(nearest), how, 1, used.calls, used.prompt_tokens)


class PagerankRanking:
    """A walk over the edges that returns to what the question names and, as much again, to the nearest texts."""

    def __init__(self, base: StarkBase, near: NearText) -> None:
        """Build the network, once; ``InputError`` where the extra ``pagerank`` is not installed."""
        require_extra("pagerank", "a walk over the graph")
        from igraph import Graph  # type: ignore[import-untyped,unused-ignore]

        self._base, self._near = base, near
        self._at = {key: number for number, key in enumerate(base.graph.nodes)}
        pairs = {(self._at[edge.source], self._at[edge.target]) for edge in base.graph.edges}
        self._network = Graph(n=len(self._at), edges=sorted(pairs), directed=False)

    def __call__(self, question: str) -> Ranking:
        """Candidates by how often the walker is there; nodes that the question names are no answers."""
        scores = self._near.scores(question)
        named = [thing.key for thing in self._base.graph.named_in(question)]
        seeds = dict.fromkeys(named, 1.0 / max(1, len(named)))
        first = self._near.first(scores, SEEDS + 1)
        weights = excess({key: float(scores[self._near.ids.index(key)]) for key in first}, SEEDS)
        total = sum(weights.values()) or 1.0
        for key, weight in weights.items():
            seeds[key] = seeds.get(key, 0.0) + weight / total
        restart = [seeds.get(key, 0.0) for key in self._at]
        reached = self._network.personalized_pagerank(
            directed=False, damping=_DAMPING, reset=restart, implementation="prpack"
        )
        open_to = [key for key in self._near.ids if key not in named]
        best = sorted(open_to, key=lambda key: -round(reached[self._at[key]], 9))[:DEPTH]
        return Ranking(tuple(best), (f"from {', '.join(self._base.graph.nodes[key].name for key in seeds)}",))


def as_text(node: FileNode) -> str:
    """A node under its name."""
    return node.text if node.text.startswith(node.name) else f"{node.name}\n{node.text}"


# --- graph and text, with a critic ------------------------------------------------------------------


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
    """Read a router's reply; types and relations that do not exist are left out."""
    reply = object_of(text)
    if reply.get("module") not in ("graph", "text"):
        raise UnusableReply("the reply names no module")
    wanted = reply["relations"] if isinstance(reply.get("relations"), list) else []
    known = tuple(one for one in dict.fromkeys(map(short, wanted)) if one in relations)
    return StarkRoute(named_things(reply.get("entities"), types)[:_THINGS], known, reply["module"] == "graph")


def parse_fault(text: str) -> str:
    """A commentor's reply in words."""
    fault, about = fault_of(text, StarkFault, "error", "about", "the reply names no error of the set")
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
        rounds: int = ROUNDS,
    ) -> None:
        self._base, self._near, self._model, self._limits = base, near, model, limits
        self._graph: KnowledgeGraph = base.graph
        schema = self._graph.schema()
        self._types = sorted({one.of for one in schema})
        self._relations = sorted({one.name for one in schema} or {edge.relation for edge in base.graph.edges})
        self._shown = sorted({f"{one.of} - {one.name} - {one.gives}" for one in schema}) or self._relations
        self._rounds = rounds if model is not None else 1

    def __call__(self, question: str) -> Ranking:
        """The order of the last round; what a model says that cannot be used ends the rounds."""
        meter = QuestionMeter(self._limits)
        model = self._model.question(meter) if self._model is not None else None
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
    if not route.graph:
        return "text"
    things = listed([thing.name for thing in found.things])
    return f"graph: {things} along {listed(route.relations)}: {_in_common(found)}"
