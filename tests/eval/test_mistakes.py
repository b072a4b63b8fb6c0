"""Classes of answers and kinds of error, by hand."""

from __future__ import annotations

import pytest

from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.conditionalqa.mistakes import MEANINGS, AnswerClass, answer_class, confusion, mistakes
from clausegraph.eval.records import QuestionRecord, make_record
from clausegraph.eval.retrieval import BudgetFigures

pytestmark = pytest.mark.unit

A = ConditionalAnswer
YES, NO, IF = A("yes"), A("no"), "<p>If you rent</p>"


def _record(gold: list[A], predicted: list[A] | None, error: str | None = None) -> QuestionRecord:
    return make_record(Question("q", "u", "", "?", not gold, tuple(gold), ()), predicted, error=error)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (None, "no prediction"),
        ([], "not answerable"),
        ([YES], "yes"),
        ([A("No.")], "no"),
        ([YES, A("no", (IF,))], "yes and no"),
        ([A("10 days"), YES], "yes"),
        ([A("yesterday")], "other"),
    ],
)
def test_classes(answers: list[A] | None, expected: str) -> None:
    assert answer_class(answers) == expected


def test_the_confusion_counts_every_question_once() -> None:
    records = [_record([YES], [NO]), _record([YES], [YES]), _record([], [YES]), _record([YES, NO], None)]
    counts = confusion(records)
    assert list(counts) == ["yes", "no", "yes and no", "other", "not answerable"]
    assert list(counts[AnswerClass.YES]) == ["yes", "no", "other", "not answerable", "no prediction"]
    assert counts[AnswerClass.YES][AnswerClass.NO] == counts[AnswerClass.YES][AnswerClass.YES] == 1
    assert counts[AnswerClass.NOT_ANSWERABLE][AnswerClass.YES] == 1
    assert counts[AnswerClass.YES_AND_NO][AnswerClass.NO_PREDICTION] == 1
    assert sum(sum(row.values()) for row in counts.values()) == len(records)


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ([YES], [YES], ()),
        ([], [], ()),
        ([YES], [NO], ("wrong polarity",)),
        ([YES, A("no", (IF,))], [YES], ("answer missing",)),
        ([YES], [YES, NO], ("answer too many",)),
        ([YES], [A("10 days")], ("wrong form",)),
        ([A("10 days")], [NO], ("wrong form",)),
        ([A("10 days")], [A("a fee")], ("wrong span",)),
        ([A("10 days")], [A("within 10 days")], ("inexact span",)),
        ([A("10 days"), A("a fee")], [A("10 days"), A("nothing")], ("wrong span",)),
        ([A("10 days"), A("a fee")], [A("10 days")], ("answer missing",)),
        ([A("yes", (IF,))], [YES], ("wrong conditions",)),
        ([YES], [A("no", (IF,))], ("wrong polarity",)),
        ([], [YES], ("missed abstention",)),
        ([YES], [], ("wrong abstention",)),
        ([YES], None, ("no prediction",)),
    ],
)
def test_kinds_of_error(gold: list[A], predicted: list[A] | None, expected: tuple[str, ...]) -> None:
    assert mistakes(_record(gold, predicted)) == expected
    assert set(expected) <= set(MEANINGS)


def test_a_failure_is_a_kind_of_its_own() -> None:
    assert mistakes(_record([YES], None, error="no reply")) == ("failed",)


def test_missed_evidence_counts_only_where_the_answer_is_wrong() -> None:
    found = (BudgetFigures(650, 600, 4, 0.5), BudgetFigures(1300, 1200, 8, 1.0), BudgetFigures(2600, 1, 1, None))
    assert mistakes(_record([YES], [NO]), found) == ("wrong polarity", "evidence not within 650")
    assert mistakes(_record([YES], [YES]), found) == ()
