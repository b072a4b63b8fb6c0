"""The light clause split, and the values in a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.language.values import effective_dates, find_values, value_kind
from clausegraph.core.types import Modality

pytestmark = pytest.mark.unit

MAY, MUST, CANNOT, IS = Modality.MAY, Modality.MUST, Modality.CANNOT, Modality.IS


@pytest.mark.parametrize(
    ("text", "subject", "relation", "target", "modality", "polarity"),
    [
        ("You can claim Carer Payment", "You", "may claim", "Carer Payment", MAY, True),
        ("You are entitled to a refund", "You", "may get", "a refund", MAY, True),
        ("Your employer must give you a form", "Your employer", "must give", "you a form", MUST, True),
        ("You'll need a permit", "You", "must have", "a permit", MUST, True),
        ("You do not need to pay a fee", "You", "must pay", "a fee", MUST, False),
        ("You do not need a licence", "You", "must have", "a licence", MUST, False),
        ("Agencies cannot charge you a fee", "Agencies", "cannot charge", "you a fee", CANNOT, False),
        ("You must not fish", "You", "cannot fish", "", CANNOT, False),
        ("You may not claim", "You", "cannot claim", "", CANNOT, False),
        ("You do not qualify for the grant", "You", "cannot get", "the grant", CANNOT, False),
        ("Send the form to us", "you", "must send", "the form to us", MUST, True),
        ("Do not drive a car", "you", "cannot drive", "a car", CANNOT, False),
        ("No more than 4 weeks can be taken", "No more than 4 weeks", "cannot be taken", "", CANNOT, False),
        ("The residence rule does not apply to you", "The residence rule", "apply to", "you", IS, False),
        ("The pay threshold is £23,600", "The pay threshold", "is", "£23,600", IS, True),
        ("You'll be paid in December", "You", "will be paid in", "December", IS, True),
        ("Payments stop after 28 days", "Payments", "stop", "after 28 days", IS, True),
        ("In England, you can apply for a grant", "you", "may apply for", "a grant", MAY, True),
        ("The person you're caring for must get help", "The person you're caring for", "must get", "help", MUST, True),
        ("You can set up a business", "You", "may set up", "a business", MAY, True),
    ],
)
def test_a_clause_is_split(
    text: str, subject: str, relation: str, target: str, modality: Modality, polarity: bool
) -> None:
    found = split_proposition(text)
    assert (found.subject, found.relation, found.object) == (subject, relation, target)
    assert (found.modality, found.polarity) == (modality, polarity)


@given(st.text(max_size=80))
def test_any_text_is_split(text: str) -> None:
    found = split_proposition(text)
    assert found.relation
    assert len(found.subject.split()) <= 12
    assert len(found.object.split()) <= 12
    assert all(text[value.start : value.end] == value.text for value in find_values(text))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("£2,500", "amount"),
        ("up to £600 a year", "amount"),
        ("25%", "percent"),
        ("18 or over", "age"),
        ("aged 16 to 19", "age"),
        ("6 April 2026", "date"),
        ("at least 13 weeks", "duration"),
        ("44", "number"),
        ("a permit", None),
    ],
)
def test_values_have_kinds(text: str, kind: str | None) -> None:
    assert value_kind(text) == kind


def test_dates_of_effect() -> None:
    assert effective_dates("The rate is £5 from 6 April 2026 until 5 April 2027.") == ("2026-04-06", "2027-04-05")
    assert effective_dates("from 31 April 2026") == (None, None)


@pytest.mark.parametrize(
    ("text", "modality", "polarity"),
    [
        ("Employees shall travel by rail.", Modality.MUST, True),
        ("Managers shall not approve their own claims.", Modality.CANNOT, False),
    ],
)
def test_shall_is_a_duty(text: str, modality: Modality, polarity: bool) -> None:
    found = split_proposition(text)
    assert (found.modality, found.polarity) == (modality, polarity)
