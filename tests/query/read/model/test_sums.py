"""A sum counts only as the value that code computes."""

from datetime import date

import pytest

from clausegraph.core.language.known_values import KnownValues
from clausegraph.core.types import SentenceRole
from clausegraph.query.read.model.schema import DraftSentence
from clausegraph.query.read.model.shown import shown_of
from clausegraph.query.read.model.support import CitedSupport, computed_sums
from tests.harness.tables import rows
from tests.query.read.conftest import Pages

KNOWN = frozenset({420, date(2026, 11, 28)})  # what sums of the sentences before came to


@pytest.mark.parametrize(
    ("value", "expression", "accepted"), rows(__file__, "a value, how it is computed, and whether it is accepted")
)
def test_a_sum_is_recomputed(grant: Pages, value: str, expression: str, accepted: str) -> None:
    shown = shown_of(grant.hits(), grant.reading, 10_000)
    support = CitedSupport(
        (shown.by_label["e9"],),
        "How much in 2 years with 10% off, if I pay on Thursday in 5p coins, within 14 days?",
        date(2026, 11, 24),
        grant.reading,
    )
    sums = computed_sums(
        DraftSentence(f"{value}.", SentenceRole.ANSWER, ("e9",), ((value, expression),)), support, KNOWN
    )
    assert (value in sums.values) is (not sums.problems) is (accepted == "yes")


@pytest.mark.parametrize(
    ("typed", "written", "known"),
    [
        ("there is still 2 grand of it", "£2,000", True),
        ("if I lend it 20k", "£20,000", True),
        ("if I lend it 20k", "£25,000", False),
        ("my kids are 20", "£20,000", False),
    ],
)
def test_what_people_type_for_thousands_is_the_amount(typed: str, written: str, *, known: bool) -> None:
    values = KnownValues()
    values.add_typed(typed)
    assert (not list(values.missing(f"You have {written}."))) is known
