"""Retrieval of supporting passages for multi-hop questions: each retriever that ranks chunks, and a run's report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from pydantic import TypeAdapter

from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import PageKey
from clausegraph.eval.files import read_json_list, read_records
from clausegraph.eval.metrics import ConfidenceInterval, paired_difference
from clausegraph.eval.provenance import Provenance
from clausegraph.eval.report import (
    RESAMPLED,
    Case,
    Report,
    Section,
    about,
    differences,
    headline,
    interval_table,
)
from clausegraph.indexes.views import View
from clausegraph.ingestion.sources.records import squeezed
from clausegraph.query.retrieve.bank import Retriever, make_retriever

AT = 5  # passages looked at
BASELINE, SYSTEM = "vector-chunks", "hybrid-pagerank"
ROWS = ("bm25", BASELINE, "pagerank", SYSTEM)  # of the bank, in the order of the table
RECORDS_FILE = "passages.jsonl"
_DEPTH = 30  # chunks ranked: more than the best AT pages have
_ADVICE = 'give a list of objects with "question" and "supporting_titles_texts": [[title, text], …]'
_RECALL, _COMPLETE = "recall", "all found"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class PassageQuestion:
    """A question and the passages that support its answer, each as (title, text)."""

    question: str
    supporting_titles_texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PassageRecord:
    """How each ranking did on one multi-hop question, over its best pages.

    ``supporting`` are the titles of the supporting passages; ``missing`` says of each whether the corpus lacks it;
    ``found`` by ranking whether it is among the best pages, whose titles are ``best``, in order.
    """

    id: str
    question: str
    supporting: tuple[str, ...]
    missing: tuple[bool, ...]
    found: dict[str, tuple[bool, ...]]
    best: dict[str, tuple[str, ...]]
    milliseconds: dict[str, float]

    def recall(self, ranking: str) -> float:
        """Share of the supporting passages that were found; those the corpus lacks count as not found."""
        return sum(self.found[ranking]) / len(self.supporting)


@dataclass(frozen=True, slots=True)
class RankingFigures:
    """One retriever: mean share of the supporting passages among the best ``AT``, share of the questions with all of
    them, median milliseconds of a question."""

    recall: float
    complete: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class PassageResult:
    """Figures by retriever; ``unmatched`` supporting passages are not in the corpus and count as not found."""

    questions: int
    supporting: int
    unmatched: int
    figures: Mapping[str, RankingFigures]
    recall_difference: ConfidenceInterval
    complete_difference: ConfidenceInterval
    records: tuple[PassageRecord, ...]
    epoch: int


_QUESTIONS = TypeAdapter(tuple[PassageQuestion, ...])
PASSAGE_RECORD = TypeAdapter(PassageRecord)


def load_questions(path: Path) -> tuple[PassageQuestion, ...]:
    """Read a question file, in its order."""
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
    """Rank the pages of ``view`` for every question with each retriever of ``ROWS``."""
    gold, unmatched = match(view, questions)
    retrievers = {name: make_retriever(name, view, embedder) for name in ROWS}
    records = []
    for number, (question, wanted) in enumerate(zip(questions, gold, strict=True)):
        records.append(_record(view, retrievers, str(number), question, wanted))
        progress("retrieve", number + 1, len(questions))
    values = {name: _values(records, name) for name in ROWS}
    times = {name: median(record.milliseconds[name] for record in records) for name in ROWS}
    return PassageResult(
        questions=len(questions),
        supporting=sum(map(len, gold)),
        unmatched=unmatched,
        figures={
            name: RankingFigures(fmean(found[_RECALL].values()), fmean(found[_COMPLETE].values()), times[name])
            for name, found in values.items()
        },
        recall_difference=paired_difference(values[BASELINE][_RECALL], values[SYSTEM][_RECALL]),
        complete_difference=paired_difference(values[BASELINE][_COMPLETE], values[SYSTEM][_COMPLETE]),
        records=tuple(records),
        epoch=view.epoch,
    )


def _record(
    view: View,
    retrievers: Mapping[str, Retriever],
    name: str,
    question: PassageQuestion,
    wanted: Sequence[PageKey | None],
) -> PassageRecord:
    """How each retriever does on one question."""
    best, times = dict[str, list[PageKey]](), dict[str, float]()
    for by, retriever in retrievers.items():
        start = time.perf_counter()
        hits = retriever.retrieve(Inquiry(question.question), limit=_DEPTH)
        best[by] = list(dict.fromkeys(hit.page for hit in hits))[:AT]  # each page once
        times[by] = (time.perf_counter() - start) * 1000
    return PassageRecord(
        id=name,
        question=question.question,
        supporting=tuple(title for title, _ in question.supporting_titles_texts),
        missing=tuple(page is None for page in wanted),
        found={by: tuple(page in pages for page in wanted) for by, pages in best.items()},
        best={by: tuple(view.reading(page).title for page in pages) for by, pages in best.items()},
        milliseconds=times,
    )


def match(view: View, questions: Sequence[PassageQuestion]) -> tuple[list[list[PageKey | None]], int]:
    """For each question the pages of its supporting passages, ``None`` where the corpus has none, and how many."""
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


def _values(records: Sequence[PassageRecord], ranking: str) -> dict[str, dict[str, float]]:
    recall = {record.id: record.recall(ranking) for record in records}
    return {_RECALL: recall, _COMPLETE: {name: float(value == 1) for name, value in recall.items()}}


def make_report(folder: Path, run: Provenance) -> Report:
    """Read the folder of a run and put the report together."""
    records = read_records(folder / RECORDS_FILE, PASSAGE_RECORD)
    if not records:
        raise InputError(f"{folder / RECORDS_FILE} has no record; run the evaluation again")
    return Report(
        title="Supporting passages of multi-hop questions",
        about=about(run),
        headline=tuple(
            headline(f"{what}, percent ({run.system})", values) for what, values in _values(records, run.system).items()
        ),
        sections=(_rankings(records, run),),
        cases=tuple(_case(record, run) for record in records if record.recall(run.system) < 1),
        questions=len(records),
    )


def _rankings(records: Sequence[PassageRecord], run: Provenance) -> Section:
    columns = {what: {name: _values(records, name)[what] for name in run.retrievers} for what in (_RECALL, _COMPLETE)}
    note = (
        f"Percent of the supporting passages among the best {AT} pages, and of questions with all of them. {RESAMPLED} "
        "A supporting passage that the corpus lacks counts as not found."
    )
    return Section("Rankings", note, (interval_table("ranking", columns), differences(columns, run.system)))


def _case(record: PassageRecord, run: Provenance) -> Case:
    supporting = []
    for number, (title, missing) in enumerate(zip(record.supporting, record.missing, strict=True)):
        by = [name for name in run.retrievers if record.found[name][number]]
        state = "not in the corpus" if missing else f"found by {', '.join(by)}" if by else "found by none"
        supporting.append(f"{title}: {state}")
    figures = tuple((f"recall, {name}", f"{100 * record.recall(name):.0f}") for name in run.retrievers)
    return Case(f"question {record.id}", record.question, tuple(supporting), record.best[run.system], figures)
