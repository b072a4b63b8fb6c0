"""What a scenario says of a condition, however it is typed, and which conditions an answer shows."""

from dataclasses import replace
from datetime import date

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import All, ConditionState, Leaf, Mention, Modality, Span, Statement, Support, leaves
from clausegraph.query.read.figures import compare
from clausegraph.query.read.question_context import judge
from clausegraph.query.read.word_match import as_sentences
from tests.harness.tables import rows
from tests.query.read.conftest import ALWAYS, page

MET, UNMET, UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN
ARREARS = "the tenant owes at least 2 months' rent"
NOTICE = "can landlord give me 2 weeks notice"


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
        ("getting Tide Credit", "I rent a flat and get Tide Credit.", MET),
        ("", "", UNKNOWN),
        (ARREARS, as_sentences("I owe one month of rent.", NOTICE), UNMET),  # not lost beside the question's figure
        (ARREARS, as_sentences("i owe one month of rent", NOTICE), UNMET),
        (ARREARS, as_sentences("im 40. i owe one month of rent.", NOTICE), UNMET),
    ],
)
def test_judge(condition: str, scenario: str, state: ConditionState) -> None:
    assert judge(condition, scenario) is state


WITHIN = {"yes": True, "no": False, "": None}


@pytest.mark.parametrize(
    ("condition", "told", "within"), rows(__file__, "a condition, what is told, and whether it is within")
)
def test_figures_of_scenario_and_page_are_compared(condition: str, told: str, within: str) -> None:
    found = compare(condition, told, date(2026, 3, 3))
    assert (None if found is None else found.holds) is WITHIN[within]


CARER = (
    "<p>You can claim Carer Payment if all of these apply:</p>",
    "<li>you spend at least 35 hours a week caring</li>",
    "<li>you have been resident in Lethmoor since childhood</li>",
    "<li>nobody else claims for the same patient</li>",
    "<li>your own pension has not started</li>",
)
ADVANCE = "Can I get the advance?"


def test_several_untouched_requirements_are_open() -> None:
    found = page(*CARER)
    result = ALWAYS.read(Inquiry("Can I claim Carer Payment?", "I look after my uncle."), found.hits(), found)
    alternative = result.alternatives[0]
    assert alternative.text == "yes" and isinstance(alternative.condition, All)
    assert {judged.source.html for judged in leaves(alternative.condition)} == set(CARER[1:])
    assert alternative.open_conditions and set(alternative.open_conditions) <= set(CARER)


@pytest.mark.parametrize(
    ("condition", "scenario", "state"),
    [
        ("your landlord has written to us", "I am a tenant.", UNKNOWN),
        ("you live in a care home", "I live in a care home.", MET),
    ],
)
def test_one_condition_is_shown_but_not_decisive(condition: str, scenario: str, state: ConditionState) -> None:
    found = page(f"You can get the advance if {condition}.")
    result = ALWAYS.read(Inquiry(ADVANCE, scenario), found.hits(), found)
    assert result.alternatives[0].open_conditions == ()
    (shown,) = leaves(result.alternatives[0].condition)
    assert (shown.state, shown.decisive) == (state, False)
    assert result.reasons["conditions_taken_for_granted"] == ([condition] if state is UNKNOWN else [])


def test_conditions_of_extracted_facts_come_first() -> None:
    found = page("You can get the advance.", "Advances are for people who live in a care home.")
    key, reading = next(iter(found.readings.items()))
    leaf = Leaf(reading.elements[1].anchor, 17, 47, "people who live in a care home")
    you, advance = Mention("you", "you"), Mention("advance", "advance")
    cited = (Span(reading.elements[0].anchor, 0, 24),)
    statement = Statement(you, "can get", advance, cited, modality=Modality.MAY, condition=leaf)
    found = replace(found, supports=(Support("f", key, "c", statement, "test"),))
    result = ALWAYS.read(Inquiry(ADVANCE, "I live in a care home."), found.hits("You can"), found)
    (judged,) = leaves(result.alternatives[0].condition)
    assert (judged.leaf, judged.source.html) == (leaf, "<p>Advances are for people who live in a care home.</p>")
