"""Conditions that are told in other words: another rate, no benefits, where one lives, a partner's own affairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import ConditionState, Element, leaves
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.told import of_partner, told_otherwise
from tests.query.read.conftest import Pages
from tests.query.read.test_quoting import asked

pytestmark = pytest.mark.unit
MET, UNMET = ConditionState.MET, ConditionState.UNMET
ONE_OF = "you or your partner get one of these benefits:"


@pytest.mark.parametrize(
    ("condition", "lead", "told", "state"),
    [
        ("Harbour Credit at the middle or higher rate", "", "My mum has Harbour Credit at the lower rate.", UNMET),
        ("Harbour Credit at the middle or higher rate", "", "My mum gets the higher rate of Harbour Credit.", MET),
        ("Harbour Credit at the middle or higher rate", "", "My mum gets Tide Credit at the lower rate.", None),
        ("Harbour Credit at the middle or higher rate", "", "I pay the standard rate of duty.", None),
        ("Tide Credit", ONE_OF, "I am 70. I get no benefits.", UNMET),
        ("Tide Credit", ONE_OF, "I don't get any benefits.", UNMET),
        ("Tide Credit", ONE_OF, "I have no children.", None),
        ("your main home is in the Far Isles", "", "I am 70 and live in the Far Isles.", MET),
        ("your main home is in the Far Isles", "", "I do not live in the Far Isles.", None),
        ("your main home is in the Far Isles", "", "I moor in the Far Isles.", None),
    ],
)
def test_what_is_told_in_other_words(condition: str, lead: str, told: str, state: ConditionState | None) -> None:
    assert told_otherwise(condition, lead, told) is state


def test_who_gets_no_benefits_is_not_asked_for_each(page: Callable[..., Any]) -> None:
    found = page(
        "<p>You can get the berth grant if you are over 60 and your main home is in the Far Isles.</p>",
    )
    told = Inquiry("Can I get the berth grant?", "I am 70 and live in the Far Isles.")
    (answer,) = ExtractiveReader().read(told, found.hits(), found).alternatives
    assert answer.text == "yes" and not answer.open_conditions
    assert {one.state for one in leaves(answer.condition)} <= {MET}


def test_what_one_need_not_have_is_no_no_to_who_gets_it(page: Callable[..., Any]) -> None:
    found = page("<p>You do not need to get one of these benefits if your main home is in the Far Isles.</p>")
    told = Inquiry("Do I get it even if not on benefits?", "I live in the Far Isles.")
    result = ExtractiveReader().read(told, found.hits(), found)
    assert [one.text for one in result.alternatives] != ["no"]


def test_what_a_partner_has_done_is_no_fact_of_the_one_who_asks(page: Callable[..., Any]) -> None:
    assert of_partner("you have never owned a boat", "My wife owned a boat before we met.") == "My wife"
    assert of_partner("you or your partner have owned a boat", "My wife owned a boat before we met.") == ""
    found: Pages = page("<p>You can claim the berth grant if you have never owned a boat.</p>")
    inquiry = Inquiry("Can we claim the berth grant?", "My wife owned a boat before, I never owned a boat.")
    result = ExtractiveReader().read(inquiry, found.hits(), found)
    assert not result.alternatives
    assert any("My wife" in doubt for doubt in result.reasons["doubts"])  # type: ignore[attr-defined]


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
