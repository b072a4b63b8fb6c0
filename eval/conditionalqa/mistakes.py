"""What went wrong with a question: kinds of error, and how a report shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.conditionalqa.figures import METRIC_NAMES, METRICS
from clausegraph.eval.conditionalqa.records import BudgetFigures, QuestionRecord, Quote
from clausegraph.eval.metrics import element_text, normalise_answer
from clausegraph.eval.report import Case, Item, Side, percent_text


def polarity(answers: Sequence[ConditionalAnswer]) -> set[str]:
    """Which of yes and no are among answers; both, where each is given under conditions of its own."""
    return {normalise_answer(answer.text) for answer in answers} & {"yes", "no"}


def mistakes(record: QuestionRecord, retrieval: Sequence[BudgetFigures] = ()) -> tuple[str, ...]:
    """The kinds of error of one question; none for full marks (F1 with conditions of 1)."""
    if record.has_prediction and record.scores.f1_with_conditions == 1.0:
        return ()
    late = [f"evidence not within {row.budget:,}" for row in retrieval if row.recall is not None and row.recall < 1]
    return (*_of_answers(record), *late)


def _of_answers(record: QuestionRecord) -> tuple[str, ...]:
    if record.predicted is None:
        return ("failed",) if record.error else ("no prediction",)
    if not record.gold:
        return ("missed abstention",)
    if not record.predicted:
        return ("wrong abstention",)
    kinds = [_of_texts(record)] if record.scores.f1 < 1 else []
    if len(record.predicted) != len(record.gold):
        kinds.append("answer missing" if len(record.predicted) < len(record.gold) else "answer too many")
    if record.scores.f1_with_conditions < record.scores.f1:
        kinds.append("wrong conditions")
    return tuple(kind for kind in kinds if kind)


def _of_texts(record: QuestionRecord) -> str:
    """What is wrong with the texts themselves; empty where only their number is."""
    predicted = record.predicted or ()
    gold, said, as_many = polarity(record.gold), polarity(predicted), len(record.gold) == len(predicted)
    if bool(gold) != bool(said):
        return "wrong form"
    if gold != said:
        return "wrong polarity" if as_many or not gold & said else ""
    if record.scores.f1 > record.scores.em:
        return "inexact span"
    return "wrong span" if as_many or record.scores.f1 == 0 else ""


MEANINGS = {
    "failed": "an error instead of an answer",
    "no prediction": "never answered",
    "missed abstention": "answered, though the pages do not say",
    "wrong abstention": "not answered, though the pages say",
    "wrong form": "yes or no for a phrase, or a phrase for yes or no",
    "wrong polarity": "yes for no, or no for yes",
    "wrong span": "a phrase without a word of the gold one",
    "inexact span": "a phrase that shares words with the gold one, but is not it",
    "answer missing": "fewer answers than gold has",
    "answer too many": "more answers than gold has",
    "wrong conditions": "an answer that fits, under other conditions than gold's",
}
"""The kinds in the order of the report; "evidence not within N" (tokens) follow them."""


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
