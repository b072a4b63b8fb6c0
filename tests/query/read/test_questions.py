"""The form of a question, which part of it asks, and words that meet those of a page."""

import pytest

from clausegraph.query.read.questions import AnswerType, QuestionKind, question_form
from clausegraph.query.read.word_match import same_word
from tests.harness.tables import rows


@pytest.mark.parametrize(
    ("question", "expected"),
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
        *((garbage, QuestionKind) for garbage in ("", "   ", "?!", "\x00", "🙂🙂")),
    ],
)
def test_the_form_of_a_question(question: str, expected: QuestionKind | AnswerType | type[QuestionKind]) -> None:
    form = question_form(question)
    assert form.reason
    assert expected is QuestionKind or expected in (form.kind, form.type)


@pytest.mark.parametrize(("first", "second", "same"), rows(__file__, "two words, and whether they meet"))
def test_words_meet_by_their_endings_and_groups_and_not_by_how_they_begin(first: str, second: str, same: str) -> None:
    assert same_word(first, second) is same_word(second, first) is (same == "yes")
