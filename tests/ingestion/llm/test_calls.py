"""What a call has: chunks in about equal groups, and types and relations to prefer."""

from __future__ import annotations

import pytest

from clausegraph.core.extraction import ExtractionInput
from clausegraph.ingestion.extract.llm.numbering import grouped, number_call, page_text
from tests.ingestion.llm.calls import element, heating_call

pytestmark = pytest.mark.unit


def chunk_of(tokens: int) -> ExtractionInput:
    return ExtractionInput("T", (), (element("e0", "x" * 4 * (tokens - 3)),))


@pytest.mark.parametrize(
    ("sizes", "limit", "expected"),
    [
        ([200, 600, 600, 300, 400], 2000, [2, 3]),  # a third group of one would be a call for what there is room for
        ([500] * 7, 2000, [4, 3]),
        ([3000, 100, 100], 2000, [1, 2]),  # above the limit: alone
        ([500, 500], 0, [1, 1]),
        ([], 2000, []),
    ],
)
def test_groups(sizes: list[int], limit: int, expected: list[int]) -> None:
    found = list(grouped([chunk_of(size) for size in sizes], limit))
    assert [len(group) for group in found] == expected
    assert [one for group in found for one in group] == [chunk_of(size) for size in sizes]


def test_headings_have_numbers_and_levels_and_are_printed_once() -> None:
    call = heating_call()
    assert page_text(call).splitlines() == [
        "1# Eligibility",
        "2. You can get the Heating Grant if you are adopting a child.",
        "3. You should apply within 3 months of the decision.",
        "4. We pay £210 a year. It might take 6 weeks.",
        "5. Use form HG1.",
        "6| Single | £12 (columns: Household | Each week)",
        "7. You cannot claim after 31 March 2026.",
        "8## If you rent",
        "9. You can get the grant if:",
        "10- your landlord agrees",
    ]
    assert call.labels[1] == {1: "h0", 8: "e0", 9: "e1", 10: "e2"}
    below = page_text(number_call(call.inputs[1:]))  # a call that begins below a heading prints it first
    assert below.splitlines()[:2] == ["1# Eligibility", "2## If you rent"]
    bare = ExtractionInput("T", ("Rates", "2026"), (element("e0", "It pays £5."),))  # a path that no element gives
    assert page_text(number_call([bare])) == "## Rates > 2026\n1. It pays £5."
