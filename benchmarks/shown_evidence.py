"""``python -m benchmarks.shown_evidence HOME QUESTIONS``: the gold evidence that a reader with a model is really shown.

HOME has ConditionalQA's pages (``clausegraph ingest documents.json``); QUESTIONS is its ``dev.json``. No model is
asked: hits are retrieved as for a reader with a model, and what ``shown_of`` makes of them is counted.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clausegraph.app.library import open_corpus
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.tokens import count_tokens
from clausegraph.eval.conditionalqa.dataset import Question, load_questions
from clausegraph.eval.elements import element_key
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.model.reader import BUDGET, HITS
from clausegraph.query.read.model.shown import shown_of
from clausegraph.query.read.protocol import Pages
from clausegraph.query.retrieve.bank import make_retriever


@dataclass(frozen=True, slots=True)
class ShownFigures:
    """One question: share of its gold evidence that is shown (none without evidence), and what was shown in all."""

    recall: float | None
    tokens: int
    pages: int
    nearest_is_right: bool
    milliseconds: float


def shown_figures(question: Question, hits: Sequence[Hit], pages: Pages, budget: int) -> ShownFigures:
    """Count what is shown of the hits of one question."""
    start = time.perf_counter()
    shown = shown_of(hits, pages, budget)
    took = (time.perf_counter() - start) * 1000
    gold = {element_key(element) for element in question.evidences}
    seen = {element_key(one.element.plain_html) for one in shown.elements}
    first = next(iter(shown.titles), None)
    is_right = first is not None and pages(first).url == question.url
    recall = len(gold & seen) / len(gold) if gold else None
    return ShownFigures(recall, count_tokens(shown.text), len(shown.titles), is_right, took)


def summary(figures: Sequence[ShownFigures], budget: int) -> list[str]:
    """Lines of means over the questions."""
    recalls = [one.recall for one in figures if one.recall is not None]
    return [
        f"budget {budget}, {len(figures)} questions, {len(recalls)} with evidence",
        f"evidence shown           {statistics.mean(recalls):.4f}",
        f"all evidence shown       {statistics.mean(recall == 1 for recall in recalls):.4f}",
        f"tokens of the text       {statistics.mean(one.tokens for one in figures):.0f}",
        f"most tokens of a text    {max(one.tokens for one in figures)}",
        f"pages                    {statistics.mean(one.pages for one in figures):.2f}",
        f"right page stands first  {statistics.mean(one.nearest_is_right for one in figures):.4f}",
        f"median milliseconds      {statistics.median(one.milliseconds for one in figures):.1f}",
    ]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shown_evidence", description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--corpus", default="default")
    parser.add_argument("--budget", type=int, action="append", help=f"tokens; {BUDGET} if none is given")
    options = parser.parse_args()
    questions = load_questions(options.questions)
    with open_corpus(options.corpus, home=options.home) as corpus:
        retriever = make_retriever("hybrid", corpus.view, corpus.embedder)
        found = [retriever.retrieve(Inquiry(one.question, one.scenario), limit=HITS) for one in questions]
        for budget in options.budget or [BUDGET]:
            pairs = zip(questions, found, strict=True)
            figures = [shown_figures(question, hits, corpus.view.reading, budget) for question, hits in pairs]
            print("\n".join(summary(figures, budget)))


if __name__ == "__main__":
    main()
