"""Replies of the condition-aware prompt: what a condition's words leave open is said in full."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausegraph.core.extraction import Extraction, ExtractionInput
from clausegraph.core.language.wording import condition_words
from clausegraph.core.serial import condition_from_json, condition_to_json
from clausegraph.core.types import AnyOf, Leaf, Literal, leaves
from clausegraph.ingestion.extract.llm.conditional import CONDITIONAL_SCHEMA, parse_conditional
from clausegraph.ingestion.extract.llm.numbering import Call, number_call
from tests.ingestion.llm.calls import TITLE, element, reply, triple

pytestmark = pytest.mark.unit
WORK = "If you think the job is suitable but they do not take it within 4 weeks, they might lose their redundancy pay."
LEAD = "You must apply for a new permit if any of these things change:"


def permit_call() -> Call:
    """Numbers 1-4 are of one chunk, 2 and 3 items of 1."""
    elements = (
        element("e0", LEAD),
        element("e1", "name", "li", "e0"),
        element("e2", "nationality", "li", "e0"),
        element("e3", WORK),
    )
    return number_call([ExtractionInput(TITLE, ("Permits of an employee",), elements)])


def read(condition: Any, number: int = 4, **more: Any) -> Extraction:
    one = {
        "subject": "employee", "subject_type": "role", "relation": "loses", "object": "redundancy pay",
        "object_type": "benefit", "elements": [number], "holds": True, "modality": "can", "if": condition,
        "in_force": None, "doubt": "",
    }  # fmt: skip
    text = reply(one | more)
    Draft202012Validator(CONDITIONAL_SCHEMA).validate(json.loads(text))
    (found,) = parse_conditional(text, permit_call(), cut_off=False)
    assert found is not None
    return found


def quoted(quote: str, means: str) -> dict[str, Any]:
    return {"element": 4, "quote": quote, "means": means}


def test_a_leaf_keeps_the_words_of_the_page_and_says_what_they_mean() -> None:
    """It read "you think the job is suitable" of an employee, whose employer is meant."""
    meaning = "the employer thinks that the job is suitable"
    (made,) = read(quoted("you think the job is suitable", meaning)).statements
    assert made.condition == Leaf("e3", 3, 32, "you think the job is suitable", meaning)
    assert condition_words(made.condition) == meaning
    assert condition_from_json(condition_to_json(made.condition)) == made.condition


def test_an_item_can_be_said_in_full() -> None:
    items = [{"element": 2, "means": "the name changes"}, {"element": 3, "means": "the nationality changes"}]
    (made,) = read({"any": items}, 1).statements
    assert condition_words(made.condition) == "(the name changes or the nationality changes)"
    assert [leaf.text for leaf in leaves(made.condition)] == ["name", "nationality"]


def test_a_meaning_that_only_repeats_the_words_is_none() -> None:
    (made,) = read(quoted("the job is suitable", "The job is suitable")).statements
    assert [leaf.meaning for leaf in leaves(made.condition)] == [""]


@pytest.mark.parametrize(
    ("quote", "means", "reason"),
    [
        ("they do not take it within 4 weeks", "the employee takes the job within 4 weeks", "turns"),
        ("the job is suitable", "the job is not suitable", "turns"),
        ("they do not take it within 4 weeks", "the employee does not take the job within weeks", "lacks a number"),
        ("the job is suitable", "the court confirms an appointment of a guardian", "not stated"),
        ("you think the job is suitable", "the employee loses redundancy pay", "is not what"),
        ("the job is suitable", " ", "no text, empty or too long"),
        ("the job is suitable", "the job is suitable " * 40, "no text, empty or too long"),
    ],
)
def test_a_meaning_that_says_something_else_is_rejected(quote: str, means: str, reason: str) -> None:
    found = read(quoted(quote, means))
    assert not found.statements
    assert reason in found.rejects[0].reason


@pytest.mark.parametrize(
    ("text", "quote", "means"),
    [
        ("Add your number, if you have one.", "you have one", "the applicant has a number"),
        ("You may get other help. If not, add your number.", "If not", "the applicant does not get other help"),
        ("Tell us your number. If this happens, wait.", "this happens", "the applicant does not tell their number"),
        ("Add another number if asked.", "another number", "the applicant adds a number that is not the first"),
    ],
)
def test_words_that_only_lean_on_others_ask_for_none_of_theirs(text: str, quote: str, means: str) -> None:
    call = number_call([ExtractionInput(TITLE, ("Applicants",), (element("e0", text),))])
    one = triple("applicant", "adds", "number", **{"if": {"element": 1, "quote": quote, "means": means}})
    (found,) = parse_conditional(reply(one), call, cut_off=False)
    assert found is not None and not found.rejects
    assert condition_words(found.statements[0].condition) == means


def test_what_a_lead_in_denies_may_be_denied_in_the_meaning() -> None:
    (made,) = read({"element": 2, "means": "the name does not change"}, 1).statements
    assert condition_words(made.condition) == "the name does not change"


def test_a_lead_in_that_points_to_its_items_is_left_out_beside_them() -> None:
    """Both were said: any of these things change, and the name changes."""
    pointer = {"element": 1, "quote": "any of these things change"}
    (made,) = read({"all": [pointer, {"any": [2, 3]}]}, 1).statements
    assert made.condition == AnyOf((Leaf("e1", 0, 4, "name"), Leaf("e2", 0, 11, "nationality")))
    found = read(pointer, 1)
    assert not found.statements
    assert found.rejects[0].reason == "its condition only points to other lines: 'any of these things change'"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("other pay", False),
        ("any other job", False),
        ("pay other than redundancy pay", True),
        ("other pay besides redundancy pay", True),
        ("other party to the redundancy", True),
    ],
)
def test_another_thing_says_than_which(name: str, kept: bool) -> None:
    found = read(None, object=name)
    assert bool(found.statements) is kept
    assert kept or "other than what" in found.rejects[0].reason


def test_a_date_in_figures_is_the_date_that_the_page_writes() -> None:
    """A model that is asked for types writes "2021-02-04" for "4 February 2021", which was rejected as not stated."""
    line = element("e0", "Ask for a review of A levels by 4 February 2021.")
    call = number_call([ExtractionInput(TITLE, ("Reviews",), (line,))])
    days = [triple("review of A levels", "is asked for by", f"2021-02-0{i}", object_type="date") for i in (4, 5)]
    (stated,), (other,) = (parse_conditional(reply(day), call, cut_off=False) for day in days)
    assert stated is not None and stated.statements[0].object == Literal("4 February 2021", "date")
    assert other is not None and not other.statements and "not stated" in other.rejects[0].reason
