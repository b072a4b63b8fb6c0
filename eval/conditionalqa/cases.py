"""The questions that went wrong, each with all that is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.conditionalqa.mistakes import mistakes
from clausegraph.eval.metrics import element_text
from clausegraph.eval.page import Case, Item, Side
from clausegraph.eval.records import QuestionRecord, Quote
from clausegraph.eval.retrieval import BudgetFigures
from clausegraph.eval.tables import METRIC_NAMES, METRICS, percent_text


def error_cases(
    answers: Sequence[QuestionRecord], questions: Mapping[str, Question], evidence: Sequence[QuestionRecord]
) -> tuple[Case, ...]:
    """The questions without full marks, in the order of ``answers``.

    ``evidence`` has the same questions as the system's retriever did on them, or nothing where none was measured.
    """
    retrieved = {record.id: record.retrieval for record in evidence}
    cases = []
    for record in answers:
        retrieval = retrieved.get(record.id, ())
        kinds = mistakes(record, retrieval)
        if kinds:
            cases.append(_case(record, questions[record.id], kinds, retrieval))
    return tuple(cases)


def _case(
    record: QuestionRecord, question: Question, kinds: tuple[str, ...], retrieval: Sequence[BudgetFigures]
) -> Case:
    folded = [("Scenario", (question.scenario,)), ("Gold evidence", tuple(map(element_text, question.evidences)))]
    figures = [(METRIC_NAMES[metric], f"{100 * getattr(record.scores, metric):.0f}") for metric in METRICS]
    for row in retrieval:
        if row.recall is not None:
            found = "yes" if row.complete else f"{percent_text(row.recall)}% of it" if row.recall else "no"
            figures.append((f"evidence within {row.budget:,} tokens", found))
    nothing = f"failed: {record.error}" if record.error else "not answerable" if record.has_prediction else "none"
    predicted = record.predicted or ()
    return Case(
        id=record.id,
        question=question.question,
        kinds=kinds,
        figures=tuple(figures),
        sides=(
            Side("Gold", _items(record.gold, predicted, ()), "not answerable"),
            Side("Predicted", _items(predicted, record.gold, record.quotes), nothing),
        ),
        folded=(*((title, lines) for title, lines in folded if any(lines)), ("Page", (question.url,))),
    )


def _items(
    answers: Sequence[ConditionalAnswer], other: Sequence[ConditionalAnswer], quotes: Sequence[Sequence[Quote]]
) -> tuple[Item, ...]:
    shared = {condition for answer in other for condition in answer.conditions}
    of_each = [*quotes, *[()] * (len(answers) - len(quotes))]
    return tuple(
        Item(answer.text, tuple((element_text(c), c in shared) for c in answer.conditions), tuple(quoted))
        for answer, quoted in zip(answers, of_each, strict=True)
    )
