"""Retrieval of supporting passages for multi-hop questions: each retriever that ranks chunks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import PageKey
from clausegraph.eval.comparison import ConfidenceInterval, paired_difference
from clausegraph.eval.json_files import read_json_list
from clausegraph.eval.records import PassageRecord
from clausegraph.indexes.views import View
from clausegraph.ingestion.sources.passages import squeezed
from clausegraph.query.retrieve.bank import Retriever, make_retriever

AT = 5  # passages looked at
BASELINE, SYSTEM = "vector-chunks", "hybrid-pagerank"
ROWS = ("bm25", BASELINE, "pagerank", SYSTEM)  # of the bank, in the order of the table
_DEPTH = 30  # chunks ranked: more than the best AT pages have
_ADVICE = 'give a list of objects with "question" and "supporting_titles_texts": [[title, text], …]'

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class PassageQuestion:
    """A question and the passages that support its answer, each as (title, text)."""

    question: str
    supporting_titles_texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """One retriever over all questions: share of the supporting passages among the best ``AT``, by question
    number, and the median of the milliseconds a question took."""

    recalls: Mapping[str, float]
    milliseconds: float

    @property
    def recall(self) -> float:
        """Mean share of the supporting passages that were found."""
        return sum(self.recalls.values()) / len(self.recalls)

    @property
    def complete(self) -> float:
        """Share of the questions with every supporting passage found."""
        return sum(value == 1.0 for value in self.recalls.values()) / len(self.recalls)


@dataclass(frozen=True, slots=True)
class PassageResult:
    """Figures by retriever; ``unmatched`` supporting passages are not in the corpus and count as not found."""

    questions: int
    supporting: int
    unmatched: int
    figures: Mapping[str, Figures]
    recall_difference: ConfidenceInterval
    complete_difference: ConfidenceInterval
    records: tuple[PassageRecord, ...]
    epoch: int


_QUESTIONS = TypeAdapter(tuple[PassageQuestion, ...])


def load_questions(path: Path) -> tuple[PassageQuestion, ...]:
    """Read a question file, in its order.

    Raises:
        InputError: the file is unreadable or empty, or a question has another form or no supporting passage.
    """
    questions = read_json_list(path, _QUESTIONS, advice=_ADVICE)
    if not questions:
        raise InputError(f"{path} has no question; {_ADVICE}")
    for index, question in enumerate(questions):
        if not question.question.strip() or not question.supporting_titles_texts:
            raise InputError(f"{path}: record {index} has an empty question or no supporting passage; {_ADVICE}")
    return questions


def evaluate(
    view: View,
    embedder: Embedder,
    questions: Sequence[PassageQuestion],
    *,
    progress: Progress = lambda _stage, _done, _total: None,
) -> PassageResult:
    """Rank the pages of ``view`` for every question with each retriever of ``ROWS``.

    Raises:
        InputError: not one supporting passage is in the corpus.
    """
    gold, unmatched = match(view, questions)
    figures: dict[str, Figures] = {}
    best: dict[str, list[list[PageKey]]] = {name: [] for name in ROWS}
    times: dict[str, list[float]] = {}
    for name in ROWS:
        retriever = make_retriever(name, view, embedder)
        recalls: dict[str, float] = {}
        took: list[float] = []
        for number, question in enumerate(questions):
            start = time.perf_counter()
            found = best_pages(retriever, Inquiry(question.question))
            took.append((time.perf_counter() - start) * 1000)
            best[name].append(found)
            wanted = gold[number]
            recalls[str(number)] = sum(page in found for page in wanted) / len(wanted)
            progress(f"retrieve: {name}", number + 1, len(questions))
        times[name] = took
        figures[name] = Figures(recalls, sorted(took)[len(took) // 2])
    first, second = figures[BASELINE].recalls, figures[SYSTEM].recalls
    return PassageResult(
        questions=len(questions),
        supporting=sum(len(wanted) for wanted in gold),
        unmatched=unmatched,
        figures=figures,
        recall_difference=paired_difference(first, second),
        complete_difference=paired_difference(_completed(first), _completed(second)),
        records=tuple(
            PassageRecord(
                id=str(number),
                question=question.question,
                supporting=tuple(title for title, _ in question.supporting_titles_texts),
                missing=tuple(page is None for page in wanted),
                found={by: tuple(page in best[by][number] for page in wanted) for by in ROWS},
                best={by: tuple(view.reading(page).title for page in best[by][number]) for by in ROWS},
                milliseconds={by: times[by][number] for by in ROWS},
            )
            for number, (question, wanted) in enumerate(zip(questions, gold, strict=True))
        ),
        epoch=view.epoch,
    )


def best_pages(retriever: Retriever, inquiry: Inquiry) -> list[PageKey]:
    """The pages of the best chunks, each once, at most ``AT``."""
    return list(dict.fromkeys(hit.page for hit in retriever.retrieve(inquiry, limit=_DEPTH)))[:AT]


def match(view: View, questions: Sequence[PassageQuestion]) -> tuple[list[list[PageKey | None]], int]:
    """For each question the pages of its supporting passages, ``None`` where the corpus has none, and how many.

    Raises:
        InputError: none is there at all.
    """
    by_content: dict[tuple[str, str], PageKey] = {}
    for page in view.page_keys():
        reading = view.reading(page)
        text = " ".join(element.text for element in reading.elements)
        by_content[squeezed(reading.title), squeezed(text)] = page
    found = [
        [by_content.get((squeezed(title), squeezed(text))) for title, text in question.supporting_titles_texts]
        for question in questions
    ]
    unmatched = sum(page is None for pages in found for page in pages)
    if unmatched == sum(map(len, found)):
        title = questions[0].supporting_titles_texts[0][0]
        raise InputError(
            f"none of the {unmatched} supporting passages (first: {title!r}) is in corpus {view.corpus!r}; give the "
            "questions that belong to the passages"
        )
    return found, unmatched


def _completed(recalls: Mapping[str, float]) -> dict[str, float]:
    return {name: float(value == 1.0) for name, value in recalls.items()}
