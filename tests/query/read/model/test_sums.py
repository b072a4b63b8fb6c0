"""A sum counts only as the value that code computes."""

from __future__ import annotations

from datetime import date

import pytest

from clausegraph.core.language.known_values import KnownValues
from clausegraph.core.types import SentenceRole
from clausegraph.query.read.model.schema import DraftSentence
from clausegraph.query.read.model.shown import shown_of
from clausegraph.query.read.model.support import CitedSupport, computed_sums
from tests.query.read.conftest import Pages

pytestmark = pytest.mark.unit

KNOWN = frozenset({420, date(2026, 11, 28)})  # what sums of the sentences before came to


@pytest.mark.parametrize(
    ("value", "expression", "accepted"),
    [
        ("£420", "2 * 210", True),
        ("£430", "2 * 210", False),
        ("£999", "210 < 999 / 1", False),  # 999 is nobody's number
        ("£999", "1 < 210", False),  # a comparison is no value
        ("£420", "2 * 210 +", False),
        ("£420", "210 * 2 if 1 < 2 else 1 / 0", True),
        ("£189", "210 * 90 / 100", True),  # 10% less
        ("£168", "210 * 80 / 100", False),  # nobody said 20%
        ("5p", "5", True),
        ("10 December", "later(date('2026-11-26'), 14, 'day')", True),  # from the Thursday that was told
        ("9 December", "later(date('2026-11-25'), 14, 'day')", False),
        ("30 November", "month_end(date('2026-11-24'))", True),
        ("27 November", "later(date('2026-11-28'), -1, 'working day')", True),  # the Friday before a Saturday
        ("£630", "420 + 210", True),  # 420 is what the sentence before came to
        ("28 December", "later(date('2026-11-30'), 4, 'week')", False),  # a day that nobody states
    ],
)
def test_a_sum_is_recomputed(grant: Pages, value: str, expression: str, *, accepted: bool) -> None:
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
    assert (value in sums.values, not sums.problems) == (accepted, accepted)


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
