"""Run the engine and every retriever over ConditionalQA questions: records first, figures from them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from clausegraph.core.errors import ClauseGraphError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.models.reranking import Reranker
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import Answer
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question, write_questions
from clausegraph.eval.conditionalqa.predictions import Prediction, write_predictions
from clausegraph.eval.conditionalqa.report import ANSWERS_FILE, QUESTIONS_FILE, TRIVIAL_FILE, retrieval_file
from clausegraph.eval.records import QUESTION_RECORD, QuestionRecord, Quote, make_record, write_records
from clausegraph.eval.retrieval import evidence_at_budgets
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import Engine, make_engine
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.extractive import ExtractiveReader, FormRule, form_by_words
from clausegraph.query.read.questions import QuestionForm, QuestionKind, question_form
from clausegraph.query.retrieve.bank import Retriever, make_retriever
from clausegraph.query.retrieve.spelling import corrected

_DEPTH = 300  # ranked units measured: more than the largest budget can hold
_ORACLE = {"yesno": QuestionKind.YES_NO, "extractive": QuestionKind.SPAN}
BASELINE, SYSTEM = "vector-chunks", "hybrid"
ROWS = (BASELINE, "vector-elements", "bm25", "facts", SYSTEM)  # of the bank, in the order of the table

Units = list[list[str]]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """Records of the answers, of a trivial reader and of each retriever; only answers where predictions were scored."""

    answers: tuple[QuestionRecord, ...]
    trivial: tuple[QuestionRecord, ...] = ()
    retrieval: dict[str, tuple[QuestionRecord, ...]] = field(default_factory=dict)
    epoch: int | None = None  # that was asked
    asserted: tuple[
        QuestionRecord, ...
    ] = ()  # the answers that people get; in place of the others the pages are quoted


def evaluate(
    view: View,
    embedder: Embedder,
    questions: Sequence[Question],
    *,
    reranker: Reranker | None = None,
    oracle_type: bool = False,
    read_elements: int = 60,
    progress: Callable[[str, int, int], None] = lambda _stage, _done, _total: None,
) -> EvaluationResult:
    """Answer every question and measure every retriever on the pages of ``view``, all pooled.

    Args:
        reranker: measured as a row of its own, over the hybrid list.
        oracle_type: tell the reader the gold answer kind, only to compare with papers that do.
        read_elements: elements an answer is read from.
    """
    form = _told(questions, lambda text: corrected(view, text)[0]) if oracle_type else form_by_words
    reader = ExtractiveReader(embedder, form=form, asserted=0.0)  # the scorer knows no quotes
    engine = make_engine(view, embedder, reader=reader, limit=read_elements, commits=True)
    people = make_engine(view, embedder, reader=ExtractiveReader(embedder, form=form), limit=read_elements)
    answers, asserted = [], []
    for done, question in enumerate(questions, 1):
        answers.append(answer_record(engine, question)[0])
        record, is_asserted = answer_record(people, question)
        asserted += [record] if is_asserted else []
        progress("answer", done, len(questions))
    retrieval = {}
    retrievers = {name: make_retriever(name, view, embedder) for name in ROWS}
    if reranker is not None:
        retrievers[f"{SYSTEM}-reranked"] = make_retriever(SYSTEM, view, embedder, reranker=reranker)
    for name, retriever in retrievers.items():
        records = []
        for done, question in enumerate(questions, 1):
            records.append(retrieval_record(view, retriever, question))
            progress(f"retrieve: {name}", done, len(questions))
        retrieval[name] = tuple(records)
    trivial = tuple(trivial_record(view, embedder, question) for question in questions)
    return EvaluationResult(tuple(answers), trivial, retrieval, view.epoch, tuple(asserted))


def _told(questions: Sequence[Question], read: Callable[[str], str]) -> FormRule:
    """The form of a question, as the engine reads its misspelt words, with the gold kind in place of what these say."""
    kinds = {(read(q.question), q.scenario): _ORACLE[q.kind] for q in questions if q.kind in _ORACLE}

    def form(inquiry: Inquiry) -> QuestionForm:
        said = question_form(inquiry.question)
        kind = kinds.get((inquiry.question, inquiry.scenario))
        return said if kind is None else replace(said, kind=kind, reason="told by the caller")

    return form


MOST_ANSWERS = 5  # that annotators of ConditionalQA give


def answer_record(engine: Engine, question: Question) -> tuple[QuestionRecord, bool]:
    """Ask one question, and whether something is asserted; a failure is recorded and stays in every denominator."""
    start = time.perf_counter()
    try:
        answer = engine.ask(Inquiry(question.question, question.scenario))
    except ClauseGraphError as error:
        return make_record(question, None, error=str(error)), False
    milliseconds = (time.perf_counter() - start) * 1000
    record = make_record(question, predicted(answer), milliseconds=milliseconds, quotes=quotes(answer))
    return record, bool(answer.alternatives)


def trivial_record(view: View, embedder: Embedder, question: Question) -> QuestionRecord:
    """What the answers are to be measured against: "yes" to every yes/no question, else the nearest element."""
    if question_form(question.question).kind is QuestionKind.YES_NO:
        text = "yes"
    else:
        inquiry = Inquiry(question.question, question.scenario)
        nearest = make_retriever("vector-elements", view, embedder).retrieve(inquiry, limit=1)
        text = nearest[0].text if nearest else ""
    return make_record(question, (ConditionalAnswer(text, ()),))


def predicted(answer: Answer) -> tuple[ConditionalAnswer, ...]:
    """The answer in ConditionalQA's form: at most five texts with the elements of their open conditions."""
    found = (ConditionalAnswer(option.text, option.open_conditions) for option in answer.alternatives)
    return tuple(found)[:MOST_ANSWERS]


def quotes(answer: Answer) -> list[tuple[Quote, ...]]:
    """What each alternative rests on, each quote once."""
    return [
        tuple(dict.fromkeys(Quote(evidence.title, evidence.quote) for evidence in option.evidence))
        for option in answer.alternatives[:MOST_ANSWERS]
    ]


def retrieval_record(view: View, retriever: Retriever, question: Question) -> QuestionRecord:
    """Evidence found within each budget for one question."""
    start = time.perf_counter()
    hits = retriever.retrieve(Inquiry(question.question, question.scenario), limit=_DEPTH)
    milliseconds = (time.perf_counter() - start) * 1000
    figures = evidence_at_budgets(units_of(view, hits), question.evidences, count_tokens)
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


def units_of(view: View, hits: Sequence[Hit]) -> Units:
    """The serialised elements of each hit."""
    html = {
        (page, element.anchor): element.html
        for page in {hit.page for hit in hits}
        for element in view.reading(page).elements
    }
    return [[html[hit.page, anchor] for anchor in hit.anchors] for hit in hits]
