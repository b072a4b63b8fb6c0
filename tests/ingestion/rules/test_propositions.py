"""The light clause split, and the values in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.language.values import effective_dates, find_values, value_kind
from clausegraph.core.types import Modality
from tests.harness.tables import rows


@pytest.mark.parametrize(
    ("text", "subject", "relation", "target", "modality", "polarity"),
    rows(__file__, "a clause: subject, relation, object, modality, and whether it affirms"),
)
def test_a_clause_is_split(text: str, subject: str, relation: str, target: str, modality: str, polarity: str) -> None:
    found = split_proposition(text)
    assert (found.subject, found.relation, found.object) == (subject, relation, target)
    assert (found.modality, found.polarity) == (Modality(modality), polarity == "yes")


@given(st.text(max_size=80))
def test_any_text_is_split(text: str) -> None:
    found = split_proposition(text)
    assert found.relation
    assert len(found.subject.split()) <= 12
    assert len(found.object.split()) <= 12
    assert all(text[value.start : value.end] == value.text for value in find_values(text))


@pytest.mark.parametrize(("text", "kind"), rows(__file__, "a value, and its kind"))
def test_values_have_kinds(text: str, kind: str) -> None:
    assert (value_kind(text) or "") == kind


def test_dates_of_effect() -> None:
    assert effective_dates("The rate is £5 from 6 April 2026 until 5 April 2027.") == ("2026-04-06", "2027-04-05")
    assert effective_dates("from 31 April 2026") == (None, None)
