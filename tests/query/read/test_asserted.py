"""What is asserted without a model, and what is quoted because a check fails."""

from dataclasses import replace

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import AnswerStatus, Element, PageKey, Reading, leaves
from clausegraph.query.read.probability import ASSERTED, probability, with_counts
from tests.harness.tables import rows
from tests.query.read.conftest import READER, TODAY, Pages, ask, page


@pytest.mark.parametrize(
    ("lines", "question", "scenario", "answer"), rows(__file__, "lines of a page, question, scenario, what is asserted")
)
def test_what_one_place_surely_says_is_asserted(lines: str, question: str, scenario: str, answer: str) -> None:
    found = page(lines)
    result = READER.read(Inquiry(question, scenario, as_of=TODAY), found.hits(), found)
    assert [one.text for one in result.alternatives] == [answer], result.reasons
    assert (result.status, result.quotes, result.reasons["failed_checks"]) == (AnswerStatus.ANSWERED, (), [])


@pytest.mark.parametrize("case", rows(__file__, "the page is quoted: lines of it, question, and perhaps a scenario"))
def test_what_fails_a_check_is_quoted(case: tuple[str, ...]) -> None:
    found = page(case[0])
    result = READER.read(Inquiry(case[1], "".join(case[2:]), as_of=TODAY), found.hits(), found)
    assert result.status is not AnswerStatus.ANSWERED and not result.alternatives and result.quotes
    assert result.reasons.get("failed_checks", True), result.reasons


def test_what_one_need_not_have_is_no_no_to_who_gets_it() -> None:
    found = page("You do not need to get one of these benefits if your main home is in the Far Isles.")
    answer = ask(found, "Do I get it even if not on benefits?", "I live in the Far Isles.")
    assert [one.text for one in answer.alternatives] != ["no"]


@pytest.mark.parametrize(("scenario", "answer"), [("I pay my rent every week.", "4 weeks"), ("", None)])
def test_the_row_that_is_told_is_the_value(scenario: str, answer: str | None) -> None:
    rows = ("<tr>weekly | 4 weeks</tr>", "<tr>monthly | one calendar month</tr>")
    found = page("How much notice to give", *rows, headers=("You pay rent", "Notice you must give"))
    made = ask(found, "how much notice do i give", scenario).alternatives
    assert [one.text for one in made] == ([answer] if answer else [])


def test_a_value_of_a_place_that_says_none_of_the_question_is_doubted() -> None:
    text = "A locked account can be opened after 30 minutes."
    places = (
        Element("a", "p", "", text, ("Rules", "Passwords")),
        Element("b", "p", "", "Write to us.", ("Rules", "Us")),
    )
    found = Pages({PageKey("test", "it"): Reading("Rules", None, places)})
    assert ask(found, "How long must my password be?").status is not AnswerStatus.ANSWERED
    again = ask(found, "How long until a locked account can be opened?")
    assert [one.text for one in again.alternatives] == ["after 30 minutes"]


def test_the_case_of_a_section_that_is_asked_about_is_no_condition_to_show() -> None:
    found = page("<h2>If you go away</h2>", "If you go abroad, sail payments stop after 4 weeks.")
    key, made = next(iter(found.readings.items()))
    below = replace(made.elements[1], headings=("If you go away",))
    found = replace(found, readings={key: replace(made, elements=(made.elements[0], below))})
    (answer,) = ask(found, "How long until sail payments stop if I go abroad?").alternatives
    assert answer.text == "after 4 weeks"
    assert "you go away" not in [one.leaf.text for one in leaves(answer.condition)]


@pytest.mark.parametrize("kind", ["verdict", "value"])
def test_a_failed_check_never_raises_the_probability(kind: str) -> None:
    names = ("question words missing", "hedged", "figure not compared", "case is like an exception")
    chances = [
        probability(kind, with_counts({name: float(at < failed) for at, name in enumerate(names)}, 1.0))
        for failed in range(len(names) + 1)
    ]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] >= ASSERTED > chances[1]
