"""Engines and retrievers over ConditionalQA's questions: a record of each question first, figures from the records."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from clausegraph.core.errors import ClauseGraphError, InputError, ReplyMissing, SettingsError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.models.reranking import Reranker
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import Answer, AnswerStatus
from clausegraph.eval.conditionalqa.dataset import (
    ConditionalAnswer,
    Prediction,
    Question,
    write_predictions,
    write_questions,
)
from clausegraph.eval.conditionalqa.records import (
    QUESTION_RECORD,
    QuestionRecord,
    evidence_at_budgets,
    make_record,
)
from clausegraph.eval.files import RECORDS_FILE, recorded, write_records
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import Engine, make_engine
from clausegraph.query.engines.prompt import AnswerForm, FormOf
from clausegraph.query.read.extractive import ExtractiveReader, FormRule, form_by_words
from clausegraph.query.read.questions import QuestionForm, QuestionKind, question_form
from clausegraph.query.retrieve.bank import Hit, Retriever, make_retriever
from clausegraph.query.retrieve.spelling import corrected

QUESTIONS_FILE, ANSWERS_FILE, TRIVIAL_FILE = "questions.json", RECORDS_FILE, "trivial.jsonl"
BASELINE, SYSTEM = "vector-chunks", "hybrid"
ROWS = (BASELINE, "vector-elements", "bm25", "facts", SYSTEM)  # of the bank, in the order of the table
MOST_ANSWERS = 5  # that annotators of ConditionalQA give
SHOTS = 4  # as the paper
_READ = 60  # elements an answer is read from
_DEPTH = 300  # ranked units measured: more than the largest budget can hold
_ORACLE = {"yesno": QuestionKind.YES_NO, "extractive": QuestionKind.SPAN}

Progress = Callable[[str, int, int], None]


def asked(engine: Engine, question: Question) -> QuestionRecord:
    """Ask one question; a failure is recorded and stays in every denominator."""
    start = time.perf_counter()
    try:
        answer = engine.ask(Inquiry(question.question, question.scenario))
    except (SettingsError, ReplyMissing):
        raise
    except ClauseGraphError as error:
        return make_record(question, None, error=str(error))
    milliseconds = (time.perf_counter() - start) * 1000
    made = make_record(question, predicted(answer), milliseconds=milliseconds)
    return replace(made, **usage_of(answer))


def usage_of(answer: Answer) -> dict[str, Any]:
    """What a question used of a model, by the fields of a record, as its trace says; nothing where none was asked.

    A cached reply is priced as a new one: what was asked before must not make an engine cheap.
    """
    for step in reversed(answer.trace):
        detail: dict[str, Any] = step.detail
        if isinstance(detail.get("calls"), int):
            prompt, output = detail["prompt_tokens"], detail["output_tokens"]
            return {
                "calls": detail["calls"],
                "prompt_tokens": prompt,
                "model_tokens": prompt + output,
                "money": detail["money"] + detail["saved"],
            }
    return {}


def predicted(answer: Answer) -> tuple[ConditionalAnswer, ...]:
    """The answer in ConditionalQA's form: at most five texts with the elements of their open conditions; nothing where
    nothing is asserted."""
    if answer.status in (AnswerStatus.UNKNOWN, AnswerStatus.QUOTED):
        return ()
    found = (ConditionalAnswer(option.text, option.open_conditions) for option in answer.alternatives)
    return tuple(found)[:MOST_ANSWERS]


def trivial_record(view: View, embedder: Embedder, question: Question) -> QuestionRecord:
    """What the answers are to be measured against: "yes" to every yes/no question, else the nearest element."""
    if question_form(question.question).kind is QuestionKind.YES_NO:
        text = "yes"
    else:
        inquiry = Inquiry(question.question, question.scenario)
        nearest = make_retriever("vector-elements", view, embedder).retrieve(inquiry, limit=1)
        text = nearest[0].text if nearest else ""
    return make_record(question, (ConditionalAnswer(text, ()),))


def retrieval_record(view: View, retriever: Retriever, question: Question) -> QuestionRecord:
    """Evidence found within each budget for one question."""
    start = time.perf_counter()
    hits = retriever.retrieve(Inquiry(question.question, question.scenario), limit=_DEPTH)
    milliseconds = (time.perf_counter() - start) * 1000
    figures = evidence_at_budgets(units_of(view, hits), question.evidences, count_tokens)
    return make_record(question, None, retrieval=figures, milliseconds=milliseconds)


def units_of(view: View, hits: Sequence[Hit]) -> list[list[str]]:
    """The serialised elements of each hit."""
    html = {
        (page, element.anchor): element.html
        for page in {hit.page for hit in hits}
        for element in view.reading(page).elements
    }
    return [[html[hit.page, anchor] for anchor in hit.anchors] for hit in hits]


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """Records of the answers, of a trivial reader and of each retriever; only answers where predictions were scored."""

    answers: tuple[QuestionRecord, ...]
    trivial: tuple[QuestionRecord, ...] = ()
    retrieval: dict[str, tuple[QuestionRecord, ...]] = field(default_factory=dict)
    epoch: int | None = None  # that was asked
    asserted: tuple[QuestionRecord, ...] = ()  # answers that people get; in place of the others the pages are quoted


def evaluate(
    view: View,
    embedder: Embedder,
    questions: Sequence[Question],
    *,
    reranker: Reranker | None = None,
    oracle_type: bool = False,
    progress: Progress = lambda _stage, _done, _total: None,
) -> EvaluationResult:
    """Answer every question and measure every retriever on the pages of ``view``, all pooled.

    Args:
        reranker: measured as a row of its own, over the hybrid list.
        oracle_type: tell the reader the gold answer kind, only to compare with papers that do.
    """
    form = _told(questions, lambda text: corrected(view, text)[0]) if oracle_type else form_by_words
    reader = ExtractiveReader(embedder, form=form, asserted=0.0)  # the scorer knows no quotes
    engine = make_engine(view, embedder, reader=reader, limit=_READ, commits=True)
    people = make_engine(view, embedder, reader=ExtractiveReader(embedder, form=form), limit=_READ)
    answers, asserted = [], []
    for done, question in enumerate(questions, 1):
        answers.append(asked(engine, question))
        shown = asked(people, question)
        asserted += [shown] if shown.predicted else []
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


def retrieval_file(name: str) -> str:
    """The file of a retriever's records."""
    return f"retrieval-{name.replace(' ', '-')}.jsonl"


def write_evaluation(folder: Path, result: EvaluationResult, questions: Sequence[Question]) -> None:
    """Write the questions, the records and the predictions in the official format into ``folder``."""
    write_questions(folder / QUESTIONS_FILE, questions)
    write_records(folder / ANSWERS_FILE, result.answers, QUESTION_RECORD)
    if result.trivial:
        write_records(folder / TRIVIAL_FILE, result.trivial, QUESTION_RECORD)
    for name, records in result.retrieval.items():
        write_records(folder / retrieval_file(name), records, QUESTION_RECORD)
    made = (Prediction(one.id, one.predicted) for one in result.answers if one.predicted is not None)
    write_predictions(folder / "predictions.json", made)


def ask_all(
    engine: Engine,
    questions: Sequence[Question],
    path: Path | None,
    progress: Progress,
    at_once: int = 1,
) -> tuple[QuestionRecord, ...]:
    """The records of all questions, in their order."""
    found = recorded(
        questions, partial(asked, engine), QUESTION_RECORD, path, failed=lambda record: record.error, at_once=at_once,
        told=lambda done: progress("answer", done, len(questions)),
    )  # fmt: skip
    return tuple(found)


def drawn(questions: Sequence[Question], count: int | None, seed: int) -> tuple[Question, ...]:
    """So many of the questions, drawn by a seed, in their order; all without a count."""
    if count is None:
        return tuple(questions)
    if not 1 <= count <= len(questions):
        raise InputError(f"a sample of {count} cannot be drawn from {len(questions)} questions; draw fewer")
    chosen = {question.id for question in random.Random(seed).sample(list(questions), count)}
    return tuple(question for question in questions if question.id in chosen)


def oracle(questions: Sequence[Question], read: Callable[[str], str] = str) -> FormOf:
    """The form of the gold answer, as the published system is told; not answerable ones by their words."""
    told = {(read(q.question), q.scenario): gold_form(q) for q in questions}
    return lambda inquiry: told[inquiry.question, inquiry.scenario]


def gold_form(question: Question) -> AnswerForm:
    """The form of a question's answers."""
    yes_no = question.kind == "yesno"
    if question.kind == "not_answerable":
        yes_no = question_form(question.question).kind is QuestionKind.YES_NO
    if question.conditional:
        return AnswerForm.YES_NO_CONDITIONS if yes_no else AnswerForm.SPAN_CONDITIONS
    return AnswerForm.YES_NO if yes_no else AnswerForm.SPAN


def shots(training: Sequence[Question], asked_too: Sequence[Question], count: int = SHOTS) -> dict[AnswerForm, str]:
    """The first training questions of each form, with their evidence as context."""
    forbidden = {question.id for question in asked_too} | {(q.question, q.scenario) for q in asked_too}
    made: dict[AnswerForm, list[str]] = {form: [] for form in AnswerForm}
    for question in training:
        if question.id in forbidden or (question.question, question.scenario) in forbidden:
            raise InputError(
                f"question {question.id!r} is asked and given as an example; give other training questions"
            )
        if question.answers and question.evidences and len(made[gold_form(question)]) < count:
            answer, asked = question.answers[0], f"Scenario: {question.scenario}\nQuestion: {question.question}"
            shown = [*question.evidences, asked, "Answer:", answer.text, *answer.conditions]
            made[gold_form(question)].append("\n".join(shown))
    return {form: "Examples:\n" + "\n\n".join(blocks) for form, blocks in made.items() if blocks}
