"""What is told of figures and conditions, however it is typed, and what is asserted from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.types import AnswerStatus, ConditionState, Element, PageKey, Reading
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.figures import is_one_of
from clausegraph.query.read.question_context import judge
from clausegraph.query.read.word_match import as_sentences
from tests.query.read.conftest import Pages
from tests.query.read.test_quoting import asked

pytestmark = pytest.mark.unit
MET, UNMET = ConditionState.MET, ConditionState.UNMET


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (("i owe rent. im 25", "can i stay"), "i owe rent. Im 25. can i stay."),
        (("", "Can I stay?"), "Can I stay?"),
        (("I have £1.5k, see gov.uk. they said no!", ""), "I have £1.5k, see gov.uk. They said no!"),
    ],
)
def test_what_is_told_is_told_in_sentences_however_it_is_typed(texts: tuple[str, ...], told: str) -> None:
    assert as_sentences(*texts).lower() == told.lower()
    assert len(sentence_spans(as_sentences(*texts))) == told.count(". ") + 1


@pytest.mark.parametrize(
    "told", ["I owe one month of rent.", "i owe one month of rent", "im 40. i owe one month of rent."]
)
def test_a_figure_of_the_story_is_not_lost_beside_one_of_the_question(told: str) -> None:
    both = as_sentences(told, "can landlord give me 2 weeks notice")
    assert judge("the tenant owes at least 2 months' rent", both) is UNMET


@pytest.mark.parametrize(
    ("told", "sure"),
    [
        ("My son wants to fish. He is 12.", True),
        ("My daughter is 12.", True),
        ("My son wants to fish. He is 14.", False),
        ("I am 12.", False),  # of a child of the teller nothing is told
        ("My son and my wife fish. She is 12.", False),
    ],
)
def test_whoever_is_told_to_be_of_an_age_is_one_of_those_it_is_said_of(told: str, sure: bool) -> None:
    assert is_one_of("Children under 13", told) is sure


def test_a_rule_for_some_is_no_other_way_to_get_it(page: Callable[..., Any]) -> None:
    found = page(
        "<p>You can join the register if you live in the Isles.</p>",
        "<p>If you are 16 or 17, you can join the register only if a social worker supports you.</p>",
        "<p>You cannot join the register if your household income is more than £52,000 a year.</p>",
    )
    inquiry = Inquiry("Can I join the register?", "My household income is £55,000 a year.")
    read = ExtractiveReader().read(inquiry, found.hits(), found)
    assert [one.text for one in read.alternatives] == ["no"] and read.status is AnswerStatus.ANSWERED


def test_getting_is_no_word_that_would_have_to_be_told() -> None:
    assert judge("getting Tide Credit", "I rent a flat and get Tide Credit.") is MET


def test_what_one_need_not_have_is_no_no_to_who_gets_it(page: Callable[..., Any]) -> None:
    found = page("<p>You do not need to get one of these benefits if your main home is in the Far Isles.</p>")
    told = Inquiry("Do I get it even if not on benefits?", "I live in the Far Isles.")
    result = ExtractiveReader().read(told, found.hits(), found)
    assert [one.text for one in result.alternatives] != ["no"]


def test_a_limit_beside_what_is_quoted_is_shown_where_its_kind_of_figure_is_told() -> None:
    places = [
        Element(f"p{i}", "p", "", text)
        for i, text in enumerate(
            (
                "A harbour may give a mooring 2 weeks' notice if its owner owes rent.",
                "A mooring must have a number.",
                "A notice says why it is given.",
                "It is not valid within the first 4 months of the mooring.",
            )
        )
    ]
    question, scenario = "Can the harbour give 2 weeks' notice?", "The mooring began 2 months ago."
    shown = [
        one.quote for one in asked(places, question, "A harbour", "A mooring", "A notice", scenario=scenario).quotes
    ]
    assert shown[-1] == places[-1].text


@pytest.mark.parametrize(
    "question", ["How much is the winter berth grant for a couple?", "How much winter berth grant do couples get?"]
)
def test_a_value_of_all_is_not_that_of_those_for_whom_it_is_asked(page: Callable[..., Any], question: str) -> None:
    grant = "<p>The winter berth grant is between £90 and £310 a year.</p>"
    plain = page(grant, "<p>It is paid in May.</p>")
    found = page(grant, "<p>If your partner has a berth, too, you get £105.</p>")
    assert ExtractiveReader().read(Inquiry(question), plain.hits(), plain).status is AnswerStatus.ANSWERED
    assert ExtractiveReader().read(Inquiry(question), found.hits(), found).status is not AnswerStatus.ANSWERED


def test_a_value_of_a_place_that_says_none_of_the_question_is_doubted() -> None:
    text = "A locked account can be opened after 30 minutes."
    places = (
        Element("a", "p", "", text, ("Rules", "Passwords")),
        Element("b", "p", "", "Write to us.", ("Rules", "Us")),
    )
    found = Pages({PageKey("test", "it"): Reading("Rules", None, places)})
    read = ExtractiveReader().read(Inquiry("How long must my password be?"), found.hits(), found)
    assert read.status is not AnswerStatus.ANSWERED
    again = ExtractiveReader().read(Inquiry("How long until a locked account can be opened?"), found.hits(), found)
    assert [one.text for one in again.alternatives] == ["after 30 minutes"]
