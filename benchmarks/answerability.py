"""``python -m benchmarks.answerability HOME QUESTIONS``: what ends as unknown or not answerable, with its page or not.

HOME has the 59 pages as the corpus ``pages59`` (``python -m benchmarks.typed run`` reads them); QUESTIONS is
ConditionalQA's ``dev.json``. A page is taken out of all scores before anything is ranked, as if it had never been
read. What people get is counted: the reader that asserts what it is sure of.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from clausegraph.app.library import open_corpus
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import AnswerStatus, PageKey
from clausegraph.indexes.views import View
from clausegraph.query.engines.answers import reader_of
from clausegraph.query.engines.bank import EngineOptions
from clausegraph.query.engines.single_pass import SinglePass
from clausegraph.query.rank.hits import Hit, within
from clausegraph.query.rank.score import DEFAULT_WEIGHTS, Place, Signals, page_priors, rank
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.retrieve.hybrid import gather

T = TypeVar("T")
_NO_ANSWER = (AnswerStatus.UNKNOWN, AnswerStatus.NOT_ANSWERABLE)


@dataclass(frozen=True, slots=True)
class HybridWithout:
    """The hybrid retriever of a corpus that has all pages but one."""

    view: View
    embedder: Embedder
    page: PageKey | None

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """As of the hybrid."""
        signals = self._without(gather(self.view, self.embedder, inquiry, DEFAULT_WEIGHTS))
        readings = {page: self.view.reading(page) for page in page_priors(signals)}
        return within(rank(readings, signals), budget, limit)

    def _without(self, signals: Signals) -> Signals:
        def kept(scores: Mapping[Place, T]) -> dict[Place, T]:
            return {place: score for place, score in scores.items() if place[0] != self.page}

        return replace(
            signals,
            elements=kept(signals.elements),
            chunks=kept(signals.chunks),
            keywords=kept(signals.keywords),
            facts=kept(signals.facts),
            rules=frozenset(place for place in signals.rules if place[0] != self.page),
            joined={page: joined for page, joined in signals.joined.items() if page != self.page},
        )


def main() -> None:
    """Print how many of the questions end so."""
    home, questions = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    ended: dict[str, Counter[str]] = {"with its page": Counter(), "without": Counter()}
    with open_corpus("pages59", home=home) as corpus:
        view, embedder = corpus.view, corpus.embedder
        by_url = {view.reading(page).url: page for page in view.page_keys()}
        options = EngineOptions(reader=ExtractiveReader(embedder))
        for one in questions:
            for name, page in (("with its page", None), ("without", by_url[one["url"]])):
                if name == "with its page" and not one["answers"]:
                    continue
                engine = SinglePass(view, HybridWithout(view, embedder, page), reader_of(embedder, options), options)
                answer = engine.ask(Inquiry(one["question"], one["scenario"]))
                ended[name][answer.status.value] += 1
    for name, found in ended.items():
        share = sum(found[status.value] for status in _NO_ANSWER) / found.total()
        print(f"{name:14} {found.total():4} questions, {share:6.1%} unknown or not answerable  {dict(found)}")


if __name__ == "__main__":
    main()
