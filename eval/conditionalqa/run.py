"""Run the engine and every retriever over ConditionalQA questions: records first, figures from them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from clausegraph.core.errors import ClauseGraphError
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import Answer
from clausegraph.eval.comparison import PairedDifference, paired_difference
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.conditionalqa.predictions import Prediction, write_predictions
from clausegraph.eval.json_files import write_text
from clausegraph.eval.records import QuestionRecord, make_record, write_records
from clausegraph.eval.retrieval import BUDGETS, BudgetFigures, evidence_at_budgets, summarise_retrieval
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
    """Records of the answers, of a trivial reader and of each retriever; hybrid against dense by budget."""

    answers: tuple[QuestionRecord, ...]
    trivial: tuple[QuestionRecord, ...]
    retrieval: dict[str, tuple[QuestionRecord, ...]]
    differences: dict[int, PairedDifference]


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
    return EvaluationResult(tuple(answers), trivial, retrieval, compare(retrieval))


def answer_record(engine: AskEngine, question: Question, oracle_type: bool) -> QuestionRecord:
    """Ask one question; a failure is recorded as such and stays in every denominator."""
    start = time.perf_counter()
    try:
        kind = _ORACLE.get(question.kind) if oracle_type else None
        answer = engine.ask(question.question, question.scenario, kind)
    except ClauseGraphError as error:
        return make_record(question, None, error=str(error))
    milliseconds = (time.perf_counter() - start) * 1000
    return make_record(question, predicted(answer), milliseconds=milliseconds)


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


def compare(retrieval: dict[str, tuple[QuestionRecord, ...]]) -> dict[int, PairedDifference]:
    """Hybrid minus dense baseline in evidence recall, paired by question, with a bootstrap interval."""
    return {
        budget: paired_difference(_recalls(retrieval[BASELINE], budget), _recalls(retrieval[SYSTEM], budget))
        for budget in BUDGETS
    }


def write_evaluation(folder: Path, result: EvaluationResult, questions: Sequence[Question], notes: list[str]) -> None:
    """Records, official predictions, Markdown report and plots into ``folder``."""
    from clausegraph.eval.plots import plot_f1_by_kind, plot_recall_by_budget
    from clausegraph.eval.report import markdown_report

    write_records(folder / "answers.jsonl", result.answers)
    write_records(folder / "trivial.jsonl", result.trivial)
    for name, records in result.retrieval.items():
        write_records(folder / f"retrieval-{name.replace(' ', '-')}.jsonl", records)
    made = {r.id: Prediction(r.id, r.predicted) for r in result.answers if r.predicted is not None}
    write_predictions(folder / "predictions.json", made, questions)
    report = markdown_report(result.answers, title="ConditionalQA", notes=notes)
    sections = [report, _markdown_retrieval(result), "## Trivial reader\n\n" + _markdown_trivial(result.trivial)]
    write_text(folder / "report.md", "\n".join(sections))
    plot_f1_by_kind({"ClauseGraph": result.answers, "trivial": result.trivial}, folder / "f1-by-kind.png")
    plot_recall_by_budget(result.retrieval, folder / "recall-by-budget.png")


def _markdown_retrieval(result: EvaluationResult) -> str:
    """Evidence recall and share of questions with all evidence, by retriever and budget, and the comparison."""
    heads = "".join(f" recall at {budget} | all at {budget} |" for budget in BUDGETS)
    lines = ["## Retrieval", "", f"| retriever |{heads}", "| --- |" + " ---: | ---: |" * len(BUDGETS)]
    for name, records in result.retrieval.items():
        rows = summarise_retrieval(record.retrieval for record in records)
        lines.append(f"| {name} |" + "".join(f" {_share(row.recall)} | {_share(row.complete)} |" for row in rows))
    lines += ["", f"{SYSTEM} minus {BASELINE}, paired by question, 95% bootstrap interval:", ""]
    lines += [f"- at {budget} tokens: {_interval(found)}" for budget, found in result.differences.items()]
    return "\n".join([*lines, ""])


def _markdown_trivial(records: Sequence[QuestionRecord]) -> str:
    from clausegraph.eval.report import answer_table

    table = answer_table(records)
    lines = ['"yes" to every yes/no question, else the nearest element; F1, and with conditions, in percent:', ""]
    for group, row in table.iterrows():
        lines.append(f"- {group}: {100 * row['f1']:.2f}, {100 * row['f1_with_conditions']:.2f}")
    return "\n".join([*lines, ""])


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(difference: PairedDifference) -> str:
    return f"{difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"


def _recalls(records: Sequence[QuestionRecord], budget: int) -> dict[str, float]:
    found: dict[str, float] = {}
    for record in records:
        figure = _at(record.retrieval, budget)
        if figure.recall is not None:
            found[record.id] = figure.recall
    return found


def _at(figures: Sequence[BudgetFigures], budget: int) -> BudgetFigures:
    return next(figure for figure in figures if figure.budget == budget)


def _elements(ranked: Sequence[ScoredElement]) -> Units:
    return [[item.element.html] for item in ranked]


def _chunks(view: View, ranked: Sequence[ScoredChunk]) -> Units:
    units = []
    for item in ranked:
        by_anchor = {element.anchor: element.html for element in view.reading(item.page).elements}
        units.append([by_anchor[anchor] for anchor in item.chunk.anchors])
    return units
