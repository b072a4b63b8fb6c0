"""What is measured beside each other: each puts the nodes of a knowledge base into an order for a question.

The baselines are those of HybGRAG (Lee et al. 2024): similarity alone, the same re-ranked by a model, and personalised
PageRank; then the hybrid of graph and text, with its critic and without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from clausegraph.core.errors import require_extra
from clausegraph.core.models.embedding import Embedder
from clausegraph.eval.stark.dataset import StarkBase
from clausegraph.query.crag.kg.graphs import FileNode
from clausegraph.query.engines.corrective import ORDER_SCHEMA, parse_order
from clausegraph.query.rank.pagerank import excess
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter, StepModel
from clausegraph.query.steps.reply import UNUSABLE

DEPTH = 20  # nodes that are ranked
SEEDS = 5  # nearest nodes that a walk begins from beside those that the question names
_DAMPING = 0.85
_SHOWN = 600  # characters of a node that a model is shown


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ids of nodes, best first; how they were found, in words; what it cost."""

    ids: tuple[str, ...]
    how: tuple[str, ...] = ()
    rounds: int = 1
    calls: int = 0
    prompt_tokens: int = 0


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


class VectorRanking:
    """Similarity alone."""

    def __init__(self, near: NearText) -> None:
        self._near = near

    def __call__(self, question: str) -> Ranking:
        """The nearest."""
        return Ranking(tuple(self._near.first(self._near.scores(question), DEPTH)))


class ModelReranking:
    """The nearest twenty in the order in which a model puts them; a reply that cannot be used changes nothing."""

    def __init__(self, base: StarkBase, near: NearText, model: ModelSteps, limits: QuestionLimits) -> None:
        self._base, self._near, self._model, self._limits = base, near, model, limits

    def __call__(self, question: str) -> Ranking:
        """One call."""
        nearest = self._near.first(self._near.scores(question), DEPTH)
        meter = QuestionMeter(self._limits)
        shown = [as_text(self._base.graph.nodes[key]) for key in nearest]
        inputs: dict[str, object] = {
            "question": question,
            "scenario": "none",
            "passages": "\n".join(
                f"{number}. {' '.join(text.split())[:_SHOWN]}" for number, text in enumerate(shown, 1)
            ),
        }
        how: tuple[str, ...] = ()
        try:
            parse = partial(parse_order, count=len(nearest))
            order = self._model.question(meter).ask("rerank", inputs, parse, schema=ORDER_SCHEMA).value
            nearest = [nearest[index] for index in order]
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
        self._named = frozenset(self._at)

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


def asked(model: ModelSteps | None, limits: QuestionLimits) -> tuple[StepModel | None, QuestionMeter]:
    """The model on the account of one question."""
    meter = QuestionMeter(limits)
    return (model.question(meter) if model is not None else None), meter


Method = Callable[[str], Ranking]
