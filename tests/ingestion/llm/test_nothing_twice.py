"""Replies of the condition-aware prompt: what subject or object say is no condition."""

from __future__ import annotations

from typing import Any

import pytest

from clausegraph.core.extraction import ExtractionInput
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not, Statement, leaves
from clausegraph.ingestion.extract.llm.condition_reader import without_repeated
from clausegraph.ingestion.extract.llm.conditional import parse_conditional
from clausegraph.ingestion.extract.llm.numbering import Call, number_call
from tests.ingestion.llm.calls import TITLE, element, reply

pytestmark = pytest.mark.unit


def leaf(text: str) -> Leaf:
    return Leaf("e0", 0, len(text), text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("limited company", "limited company"),
        ("if you’re a limited company", "limited company"),
        ("You are a Limited Company", "limited company"),
        ("outside the UK to Great Britain", "all goods sent from outside the UK to Great Britain"),
        ("who are foster parents", "foster parents"),
    ],
)
def test_what_a_name_says_is_no_condition(text: str, name: str) -> None:
    other = leaf("you live alone")
    assert without_repeated(leaf(text), ("applicant", name)) is None
    assert without_repeated(All((leaf(text), other)), (name, "grant")) == other
    assert without_repeated(All((other, leaf("it rains"), leaf(text))), (name,)) == All((other, leaf("it rains")))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("you have a passport", "passport"),  # says more than the name
        ("passport", "passport holder"),  # one word of several
        ("a work visa", "passport or a work visa"),  # which of the two
        ("you are not a limited company", "limited company"),
        ("under 16", "child of 16 or under"),
    ],
)
def test_what_may_say_more_stays(text: str, name: str) -> None:
    assert without_repeated(leaf(text), (name,)) == leaf(text)


@pytest.mark.parametrize("operation", [Not, lambda one: AnyOf((one, leaf("you live alone")))])
def test_an_exception_or_a_choice_stays_whole(operation: Any) -> None:
    condition: Condition = operation(leaf("limited company"))
    assert without_repeated(condition, ("limited company",)) == condition
    assert without_repeated(All((condition, leaf("x"))), ("limited company",)) == All((condition, leaf("x")))


def company_call() -> Call:
    text = "If you’re a limited company and you have staff, tell the council."
    return number_call([ExtractionInput(TITLE, ("Duties",), (element("e0", text),))])


def made(target: str, *quotes: str) -> Statement:
    condition = {"all": [{"element": 1, "quote": quote} for quote in quotes]}
    one = {
        "subject": "limited company", "subject_type": "organisation", "relation": "tells", "object": target,
        "object_type": "organisation", "elements": [1], "holds": True, "modality": "must", "if": condition,
        "in_force": None,
    }  # fmt: skip
    (found,) = parse_conditional(reply(one), company_call(), cut_off=False)
    assert found is not None and not found.rejects
    (statement,) = found.statements
    return statement


def test_the_parser_takes_repeated_leaves_out() -> None:
    kept = made("council", "you’re a limited company", "you have staff").condition
    assert [one.text for one in leaves(kept)] == ["you have staff"]
    assert made("council", "If you’re a limited company").condition is None
