"""Which chunks share a call: about equal groups, no more of them than are needed."""

from __future__ import annotations

import pytest

from clausegraph.core.extraction import ExtractionInput
from clausegraph.ingestion.extract.llm.numbering import grouped
from tests.ingestion.llm.calls import element

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
