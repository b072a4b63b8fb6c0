"""What a scenario says of a condition, and which conditions an answer shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import (
    All,
    ConditionState,
    Leaf,
    Mention,
    Modality,
    Span,
    Statement,
    Support,
    leaves,
)
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.figures import compare
from clausegraph.query.read.question_context import judge

pytestmark = pytest.mark.unit
READER = ExtractiveReader(asserted=0.0)
MET, UNMET, UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN


@pytest.mark.parametrize(
    ("condition", "scenario", "state"),
    [
        ("you are under 18", "I am 17 years old.", MET),
        ("you are 18 or over", "I am 17 years old.", UNMET),
        ("you have more than £16,000 in savings", "We have £20,000 in the bank.", MET),
        ("you have more than £16,000 in savings", "We have £9,000 in the bank.", UNMET),
        ("you have worked there for at least 26 weeks", "I have worked here for two years.", MET),
        ("you live in a care home", "My mother lives in a care home.", MET),
        ("you live in a care home", "My mother does not live in a care home.", UNMET),
        ("you live in a care home", "I like fishing.", UNKNOWN),
        ("", "", UNKNOWN),
    ],
)
def test_judge(condition: str, scenario: str, state: ConditionState) -> None:
    assert judge(condition, scenario) is state


def test_two_figures_of_a_kind_decide_nothing() -> None:
    assert compare("more than £100", "I paid £50 and got £200.") is None


LIST = (
    "<p>You can claim Carer Payment if all of these apply:</p>",
    "<li>you spend at least 35 hours a week caring</li>",
    "<li>you have been resident in Lethmoor since childhood</li>",
    "<li>nobody else claims for the same patient</li>",
    "<li>your own pension has not started</li>",
)


def test_several_untouched_requirements_are_open(page: Callable[..., Any]) -> None:
    found = page(*LIST)
    result = READER.read(Inquiry("Can I claim Carer Payment?", "I look after my uncle."), found.hits(), found)
    alternative = result.alternatives[0]
    assert alternative.text == "yes"
    assert isinstance(alternative.condition, All)
    assert {judged.source.html for judged in leaves(alternative.condition)} == set(LIST[1:])
    assert set(alternative.open_conditions) <= set(LIST)
    assert alternative.open_conditions


def test_one_open_condition_is_shown_but_not_decisive(page: Callable[..., Any]) -> None:
    found = page("<p>You can get the advance if your landlord has written to us.</p>")
    asked = (Inquiry("Can I get the advance?", "I am a tenant."), found.hits(), found)
    result = READER.read(*asked)
    assert result.alternatives[0].open_conditions == ()
    (shown,) = leaves(result.alternatives[0].condition)
    assert (shown.state, shown.decisive) == (UNKNOWN, False)
    assert result.reasons["conditions_taken_for_granted"] == ["your landlord has written to us"]


def test_a_met_condition_is_shown_and_not_open(page: Callable[..., Any]) -> None:
    found = page("<p>You can get the advance if you live in a care home.</p>")
    result = READER.read(Inquiry("Can I get the advance?", "I live in a care home."), found.hits(), found)
    assert [judged.state for judged in leaves(result.alternatives[0].condition)] == [MET]
    assert result.alternatives[0].open_conditions == ()


def test_conditions_of_extracted_facts_come_first(page: Callable[..., Any]) -> None:
    found = page("<p>You can get the advance.</p>", "<p>Advances are for people who live in a care home.</p>")
    key, reading = next(iter(found.readings.items()))
    leaf = Leaf(reading.elements[1].anchor, 17, 47, "people who live in a care home")

    you, advance = Mention("you", "you"), Mention("advance", "advance")
    cited = (Span(reading.elements[0].anchor, 0, 24),)
    statement = Statement(you, "can get", advance, cited, modality=Modality.MAY, condition=leaf)
    found = replace(found, supports=(Support("f", key, "c", statement, "test"),))
    ranked = found.hits("You can")
    result = READER.read(Inquiry("Can I get the advance?", "I live in a care home."), ranked, found)
    (judged,) = leaves(result.alternatives[0].condition)
    assert (judged.leaf, judged.source.html) == (leaf, "<p>Advances are for people who live in a care home.</p>")
