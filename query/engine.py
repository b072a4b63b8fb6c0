"""From a question and a scenario to an answer with its conditions: retrieve, then read.

Plain values in and out; ``query.llama`` offers the same as a LlamaIndex query engine. A question that
fails raises; an answer without alternatives means "searched, and the corpus does not say".
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from clausegraph.core.models.embedding import Embedder
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Alternative, Answer, PageKey, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.rank.signals import ScoredElement
from clausegraph.query.read.questions import QuestionKind
from clausegraph.query.read.reader import ExtractiveReader
from clausegraph.query.read.types import Candidate
from clausegraph.query.retrieve.elements import rank_elements

READ_ELEMENTS = 60  # elements handed to the reader


class AskEngine:
    """Answers questions from one view with the extractive reader."""

    def __init__(self, view: View, embedder: Embedder, limit: int = READ_ELEMENTS) -> None:
        self._view = view
        self._embedder = embedder
        self._limit = limit
        self._reader = ExtractiveReader(embedder)

    def ask(self, question: str, scenario: str = "", kind: QuestionKind | None = None) -> Answer:
        """Answer a question about a person's scenario; ``kind`` as in ``ExtractiveReader.read``.

        Raises:
            QuestionError: the question is empty, or question and scenario are too long.
        """
        corpus, epoch = self._view.corpus, self._view.epoch
        with span("ask", corpus=corpus, epoch=epoch, question=question, scenario=scenario) as asked:
            answer = self._answer(question, scenario, kind)
            asked.set(status=answer.status.value, alternatives=len(answer.alternatives))
        return answer

    def _answer(self, question: str, scenario: str, kind: QuestionKind | None) -> Answer:
        start = time.perf_counter()
        with span("ask.retrieve", limit=self._limit) as retrieving:
            ranked = rank_elements(self._view, self._embedder, question, scenario, limit=self._limit)
            retrieving.set(elements=len(ranked))
        found = time.perf_counter()
        retrieved = TraceStep("retrieve", (found - start) * 1000, _summary(ranked))
        with span("ask.read", elements=len(ranked)):
            result = self._reader.read(
                question, scenario, candidates(ranked), self._view.reading, self._view.graph.supports_on, kind
            )
        step = TraceStep("read", (time.perf_counter() - found) * 1000, dict(result.reasons))
        return Answer(
            question=question,
            scenario=scenario,
            status=result.status,
            alternatives=result.alternatives,
            corpus=self._view.corpus,
            epoch=self._view.epoch,
            trace=(retrieved, step),
            extractors=self._extractors(result.alternatives),
        )

    def _extractors(self, alternatives: Sequence[Alternative]) -> tuple[str, ...]:
        """Who states facts at the evidence of the alternatives and of their conditions."""
        anchors: dict[PageKey, set[str]] = {}
        for alternative in alternatives:
            for evidence in (*alternative.evidence, *alternative.sources):
                anchors.setdefault(evidence.page, set()).add(evidence.span.anchor)
        found = (
            support.extractor
            for page, wanted in anchors.items()
            for support in self._view.graph.supports_on(page, sorted(wanted))
        )
        return tuple(sorted(set(found)))


def candidates(ranked: Sequence[ScoredElement]) -> list[Candidate]:
    """What the reader takes: the ranked elements with their similarity to the question."""
    return [Candidate(item.page, item.element, item.score, item.parts.get("element", 0.0)) for item in ranked]


def _summary(ranked: Sequence[ScoredElement]) -> dict[str, object]:
    best = [
        {"page": str(item.page), "anchor": item.element.anchor, "score": round(item.score, 4)} for item in ranked[:10]
    ]
    return {"retriever": "hybrid", "elements": len(ranked), "best": best}
