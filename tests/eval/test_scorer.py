"""The ConditionalQA scorer: by hand and against brute force."""

from __future__ import annotations

import math
from dataclasses import astuple
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.conditionalqa.predictions import Prediction, check_predictions
from clausegraph.eval.conditionalqa.scorer import (
    Scores,
    aggregate,
    conditions_f1,
    score_answers,
)
from clausegraph.eval.metrics import normalise_answer, token_f1
from clausegraph.eval.records import make_record

pytestmark = pytest.mark.unit

A = ConditionalAnswer
ONE = Scores(1.0, 1.0, 1.0, 1.0)
ZERO = Scores(0.0, 0.0, 0.0, 0.0)


def _close(scores: Scores, *expected: float) -> bool:
    return bool(astuple(scores) == pytest.approx(expected))


# --- texts and conditions -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Court's\tfee.", "courts fee"),
        ("a-n apple", "apple"),  # punctuation goes first and makes an article
        ("theatre and an anthem", "theatre and anthem"),
        ("£1,500.50", "£150050"),
        ("the £1…", "£1…"),  # only ASCII punctuation is dropped
        ("The", ""),
    ],
)
def test_normalised_answer(text: str, expected: str) -> None:
    assert normalise_answer(text) == expected


def test_token_f1_by_hand() -> None:
    # 2 common tokens of 3 and 4: P 2/4, R 2/3, F1 4/7.
    assert token_f1("within 10 days", "10 days of receipt") == pytest.approx(4 / 7)
    assert token_f1("no no yes", "no yes yes") == pytest.approx(2 / 3)
    assert token_f1("yes", "no") == 0.0
    assert token_f1("", "the") == 1.0
    assert token_f1("", "10") == 0.0


def test_conditions_are_compared_as_sets_of_exact_strings() -> None:
    assert conditions_f1(A("x"), A("x")) == 1.0
    assert conditions_f1(A("x", ("c",)), A("x")) == 0.0
    assert conditions_f1(A("x"), A("x", ("c",))) == 0.0
    assert conditions_f1(A("x", ("C",)), A("x", ("c",))) == 0.0
    assert conditions_f1(A("x", ("c", "d", "d")), A("x", ("c", "c"))) == pytest.approx(2 / 3)


# --- one question ---------------------------------------------------------------------------------


def test_not_answerable_is_right_only_when_nothing_is_predicted() -> None:
    assert score_answers([], []) == ONE
    assert score_answers([A("yes")], []) == ZERO
    assert score_answers([A("")], []) == ZERO


def test_a_right_answer_with_half_of_its_conditions() -> None:
    scores = score_answers([A("Yes.", ("c",))], [A("yes", ("c", "d"))])
    assert _close(scores, 1.0, 1.0, 2 / 3, 2 / 3)


def test_a_missing_answer_counts_as_an_empty_one() -> None:
    assert score_answers([], [A("yes")]) == ZERO
    scores = score_answers([A("10 days")], [A("20 days"), A("10 days"), A("5 weeks")])
    assert _close(scores, 1 / 3, 1 / 3, 1 / 3, 1 / 3)
    # The padding is a real answer to the scorer: it equals a gold text of articles only.
    assert score_answers([], [A("The")]) == ONE


def test_extra_answers_discount_every_metric() -> None:
    scores = score_answers([A("no"), A("yes", ("c",)), A("maybe")], [A("yes", ("c",))])
    assert _close(scores, *[math.exp(-2)] * 4)


def test_each_metric_has_its_own_best_assignment() -> None:
    gold = [A("10 days", ("c",)), A("20 days", ("d",))]
    predicted = [A("10 days", ("d",)), A("20 days", ("c",))]
    # Without conditions straight: 1. With conditions, EM needs equal texts, whose conditions are
    # wrong: 0; F1 crossed: each pair shares "days" (F1 1/2) and its conditions.
    assert _close(score_answers(predicted, gold), 1.0, 1.0, 0.0, 1 / 2)


_TEXTS = st.sampled_from(["yes", "no", "the", "", "10 days", "within 10 days", "10 weeks", "£5."])
_CONDITIONS = st.lists(st.sampled_from(["c", "d", "e"]), max_size=3).map(tuple)
_ANSWERS = st.lists(st.builds(A, _TEXTS, _CONDITIONS), max_size=5)


def _brute_force(predicted: list[A], gold: list[A]) -> list[float]:
    """The definition: try every order of the (padded) predictions for every metric."""
    padded = predicted + [A("")] * (len(gold) - len(predicted))
    best = [0.0] * 4
    for order in permutations(padded):
        sums = [0.0] * 4
        for ours, theirs in zip(order, gold, strict=False):
            em = float(normalise_answer(ours.text) == normalise_answer(theirs.text))
            f1 = token_f1(ours.text, theirs.text)
            conditions = conditions_f1(ours, theirs)
            values = (em, f1, em * conditions, f1 * conditions)
            sums = [total + value for total, value in zip(sums, values, strict=True)]
        best = [max(old, new) for old, new in zip(best, sums, strict=True)]
    discount = math.exp(1 - len(padded) / len(gold))
    return [discount * value / len(gold) for value in best]


@settings(deadline=None)  # a slow machine is no failure
@given(predicted=_ANSWERS, gold=_ANSWERS.filter(bool))
def test_assignment_equals_brute_force(predicted: list[A], gold: list[A]) -> None:
    assert _close(score_answers(predicted, gold), *_brute_force(predicted, gold))


@settings(deadline=None)  # a slow machine is no failure
@given(predicted=_ANSWERS, gold=_ANSWERS)
def test_scores_are_bounded_and_ordered(predicted: list[A], gold: list[A]) -> None:
    scores = score_answers(predicted, gold)
    assert 0 <= scores.em_with_conditions <= scores.em + 1e-12
    assert scores.em <= scores.f1 + 1e-12
    assert scores.f1_with_conditions <= scores.f1 + 1e-12
    assert scores.f1 <= 1 + 1e-12
    assert _close(score_answers(gold, gold), 1.0, 1.0, 1.0, 1.0)


def test_many_answers_take_polynomial_time() -> None:
    answers = [A(f"{number} days") for number in range(60)]  # 60! orders
    assert _close(score_answers(answers[::-1], answers), 1.0, 1.0, 1.0, 1.0)


# --- many questions -------------------------------------------------------------------------------


def _question(name: str, *answers: A) -> Question:
    return Question(name, "u", "", "?", not answers, answers, ())


def test_missing_predictions_leave_the_official_figure_but_not_ours() -> None:
    questions = [
        _question("a", A("yes", ("c",))),
        _question("b", A("no")),
        _question("c", A("10 days")),
        _question("d"),
    ]
    predictions = {"a": [A("yes", ("c",))], "c": [A("weeks")]}
    groups = aggregate(make_record(question, predictions.get(question.id)) for question in questions)

    total = groups["total"]
    assert (total.questions, total.predictions) == (4, 2)
    assert total.official == Scores(0.5, 0.5, 0.5, 0.5)
    assert total.ours == Scores(0.25, 0.25, 0.25, 0.25)
    assert groups["yesno"].official == ONE
    assert groups["yesno"].ours == Scores(0.5, 0.5, 0.5, 0.5)
    assert groups["conditional"].ours == ONE
    # A question that failed is not an answer "not answerable".
    assert groups["not_answerable"].official is None
    assert groups["not_answerable"].ours == ZERO


def test_an_unknown_prediction_and_no_questions() -> None:
    with pytest.raises(InputError, match="'x' is none of the 0 questions"):
        check_predictions([Prediction("x", ())], [], where="predictions")
    assert aggregate([])["total"].ours is None
