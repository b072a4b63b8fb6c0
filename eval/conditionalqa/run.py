"""Run the engine and every retriever over ConditionalQA questions: records first, figures from them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clausegraph.core.errors import ClauseGraphError
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import Answer
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question, write_questions
from clausegraph.eval.conditionalqa.predictions import Prediction, write_predictions
from clausegraph.eval.conditionalqa.report import ANSWERS_FILE, QUESTIONS_FILE, TRIVIAL_FILE, retrieval_file
from clausegraph.eval.records import QUESTION_RECORD, QuestionRecord, Quote, make_record, write_records
from clausegraph.eval.retrieval import evidence_at_budgets
from clausegraph.indexes.views import View
from clausegraph.query.engine import AskEngine
from clausegraph.query.rank.signals import ScoredElement
from clausegraph.query.read.questions import QuestionKind, question_form
from clausegraph.query.retrieve.elements import rank_elements
from clausegraph.query.retrieve.question import Inquiry
from clausegraph.query.retrieve.single import (
    ScoredChunk,
    fact_elements,
    keyword_chunks,
    nearest_chunks,
    nearest_elements,
)

_DEPTH = 300  # ranked units measured: more than the largest budget can hold
_ORACLE = {"yesno": QuestionKind.YES_NO, "extractive": QuestionKind.SPAN}
BASELINE, SYSTEM = "dense chunks", "hybrid"

Units = list[list[str]]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """Records of the answers, of a trivial reader and of each retriever; only answers where predictions were scored."""

    answers: tuple[QuestionRecord, ...]
    trivial: tuple[QuestionRecord, ...] = ()
    retrieval: dict[str, tuple[QuestionRecord, ...]] = field(default_factory=dict)
    epoch: int | None = None  # that was asked


def evaluate(
    view: View,
    embedder: Embedder,
    questions: Sequence[Question],
    *,
    oracle_type: bool = False,
    progress: Callable[[str, int, int], None] = lambda _stage, _done, _total: None,
) -> EvaluationResult:
    """Answer every question and measure every retriever on the pages of ``view``, all pooled.

    Args:
        oracle_type: tell the engine the gold answer kind, only to compare with papers that do.
    """
    engine = AskEngine(view, embedder)
    answers = []
    for done, question in enumerate(questions, 1):
        answers.append(answer_record(engine, question, oracle_type))
        progress("answer", done, len(questions))
    retrieval = {}
    for name, retrieve in retrievers(view, embedder).items():
        records = []
        for done, question in enumerate(questions, 1):
            records.append(retrieval_record(retrieve, question))
            progress(f"retrieve: {name}", done, len(questions))
        retrieval[name] = tuple(records)
    trivial = tuple(trivial_record(view, embedder, question) for question in questions)
    return EvaluationResult(tuple(answers), trivial, retrieval, view.epoch)


def answer_record(engine: AskEngine, question: Question, oracle_type: bool) -> QuestionRecord:
    """Ask one question; a failure is recorded as such and stays in every denominator."""
    start = time.perf_counter()
    try:
        kind = _ORACLE.get(question.kind) if oracle_type else None
        answer = engine.ask(question.question, question.scenario, kind)
    except ClauseGraphError as error:
        return make_record(question, None, error=str(error))
    milliseconds = (time.perf_counter() - start) * 1000
    return make_record(question, predicted(answer), milliseconds=milliseconds, quotes=quotes(answer))


def trivial_record(view: View, embedder: Embedder, question: Question) -> QuestionRecord:
    """What the answers are to be measured against: "yes" to every yes/no question, else the nearest element."""
    if question_form(question.question).kind is QuestionKind.YES_NO:
        text = "yes"
    else:
        nearest = nearest_elements(view, embedder, Inquiry(question.question, question.scenario), 1)
        text = nearest[0].element.text if nearest else ""
    return make_record(question, (ConditionalAnswer(text, ()),))


def predicted(answer: Answer) -> tuple[ConditionalAnswer, ...]:
    """The answer in ConditionalQA's form: texts with the elements of their open conditions."""
    return tuple(ConditionalAnswer(option.text, option.open_conditions) for option in answer.alternatives)


def quotes(answer: Answer) -> list[tuple[Quote, ...]]:
    """What each alternative rests on, each quote once."""
    return [
        tuple(dict.fromkeys(Quote(evidence.title, evidence.quote) for evidence in option.evidence))
        for option in answer.alternatives
    ]


def retrievers(view: View, embedder: Embedder) -> dict[str, Callable[[Inquiry], Units]]:
    """The rows of the retrieval table: name → ranked units, each a list of serialised elements."""

    def hybrid(inquiry: Inquiry) -> Units:
        return _elements(rank_elements(view, embedder, inquiry.question, inquiry.scenario, limit=_DEPTH))

    return {
        BASELINE: lambda inquiry: _chunks(view, nearest_chunks(view, embedder, inquiry, _DEPTH)),
        "dense elements": lambda inquiry: _elements(nearest_elements(view, embedder, inquiry, _DEPTH)),
        "BM25 chunks": lambda inquiry: _chunks(view, keyword_chunks(view, inquiry, _DEPTH)),
        "graph": lambda inquiry: _elements(fact_elements(view, embedder, inquiry, _DEPTH)),
        SYSTEM: hybrid,
    }


def retrieval_record(retrieve: Callable[[Inquiry], Units], question: Question) -> QuestionRecord:
    """Evidence found within each budget for one question."""
    start = time.perf_counter()
    units = retrieve(Inquiry(question.question, question.scenario))
    milliseconds = (time.perf_counter() - start) * 1000
    figures = evidence_at_budgets(units, question.evidences, count_tokens)
    return make_record(question, None, retrieval=figures, milliseconds=milliseconds)


def write_evaluation(folder: Path, result: EvaluationResult, questions: Sequence[Question]) -> None:
    """Write the questions, the records and the predictions in the official format into ``folder``."""
    write_questions(folder / QUESTIONS_FILE, questions)
    write_records(folder / ANSWERS_FILE, result.answers, QUESTION_RECORD)
    if result.trivial:
        write_records(folder / TRIVIAL_FILE, result.trivial, QUESTION_RECORD)
    for name, records in result.retrieval.items():
        write_records(folder / retrieval_file(name), records, QUESTION_RECORD)
    made = {r.id: Prediction(r.id, r.predicted) for r in result.answers if r.predicted is not None}
    write_predictions(folder / "predictions.json", made, questions)


def _elements(ranked: Sequence[ScoredElement]) -> Units:
    return [[item.element.html] for item in ranked]


def _chunks(view: View, ranked: Sequence[ScoredChunk]) -> Units:
    units = []
    for item in ranked:
        by_anchor = {element.anchor: element.html for element in view.reading(item.page).elements}
        units.append([by_anchor[anchor] for anchor in item.chunk.anchors])
    return units
