"""The form of a question: yes or no, or a span, and of which type."""

from __future__ import annotations

import pytest

from clausegraph.query.read.questions import AnswerType, QuestionKind, asking_sentence, question_form

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Can I claim?", QuestionKind.YES_NO),
        ("do i have to pay tax on it", QuestionKind.YES_NO),
        ("When I move, can I take it with me?", QuestionKind.YES_NO),
        ("I would like to know whether I am eligible?", QuestionKind.YES_NO),
        ("If I retire, will I lose it?", QuestionKind.YES_NO),
        ("What do I need?", QuestionKind.SPAN),
        ("For how long can I stay?", QuestionKind.SPAN),
        ("My visa ends in May. How much is a new one?", QuestionKind.SPAN),
        ("Can you tell me how much it costs?", QuestionKind.SPAN),
        ("Can I apply, and how much does it cost?", QuestionKind.SPAN),
    ],
)
def test_kind(question: str, kind: QuestionKind) -> None:
    assert question_form(question).kind is kind


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much does it cost?", AnswerType.AMOUNT),
        ("What amount of time off could I have?", AnswerType.DURATION),
        ("How much notice must I give?", AnswerType.DURATION),
        ("How long does it take?", AnswerType.DURATION),
        ("When must I apply?", AnswerType.DATE),
        ("How old must I be?", AnswerType.AGE),
        ("How many times may I try?", AnswerType.NUMBER),
        ("Who should I tell?", AnswerType.PERSON),
        ("Where do I send it?", AnswerType.PLACE),
        ("Which form do I fill in?", AnswerType.FORM),
        ("What documents do I need?", AnswerType.LIST),
        ("How do I apply?", AnswerType.METHOD),
    ],
)
def test_type(question: str, expected: AnswerType) -> None:
    assert question_form(question).type is expected


def test_the_last_question_counts() -> None:
    assert asking_sentence("What is it? Can I have it? I am 30.") == "Can I have it?"


@pytest.mark.parametrize("question", ["", "   ", "?!", "\x00", "🙂🙂"])
def test_garbage_has_a_form(question: str) -> None:
    assert question_form(question).reason
