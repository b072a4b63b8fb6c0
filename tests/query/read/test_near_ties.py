"""Which of two places the search has first by a hair decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.spans import nearness
from clausegraph.query.read.statements import candidates
from tests.query.read.conftest import Pages

pytestmark = pytest.mark.unit
READER = ExtractiveReader(asserted=0.0)
OTHERS = tuple(f"<p>Rule {number} is about bins.</p>" for number in range(9))


def near_tie(found: Pages, first: int, second: int) -> list[Hit]:
    """All elements, two of them nearly equal at the top, the others far below."""
    hits = found.hits()
    scores = {first: 2.001, second: 2.0}
    scored = [replace(hit, score=scores.get(i, 1.8 - 0.02 * i)) for i, hit in enumerate(hits)]
    return sorted(scored, key=lambda hit: -hit.score)


def test_near_ties_give_one_answer(page: Callable[..., Any]) -> None:
    sends = "<p>You must send your birth certificate with the claim.</p>"
    found = page(sends, "<p>Claims take time to be read.</p>", *OTHERS)
    asked = Inquiry("What do I have to send with the claim?")
    read = [READER.read(asked, near_tie(found, *order), found) for order in ((0, 1), (1, 0))]
    assert [result.alternatives[0].evidence[0].html for result in read] == [sends, sends]


def test_nearness_has_no_scale_of_its_own(page: Callable[..., Any]) -> None:
    found = page(*OTHERS, "<p>Ten.</p>", "<p>Eleven.</p>")
    hits = found.hits()
    by_hundred = [replace(hit, score=hit.score / 100) for hit in hits]
    one, other = (nearness(candidates(scored, found.reading)) for scored in (hits, by_hundred))
    assert one == pytest.approx(other)
    assert one[0] == 1.0
    assert sorted(one, reverse=True) == one
    assert nearness(candidates([replace(hit, score=1.0) for hit in hits], found.reading)) == [1.0] * len(hits)
    assert nearness([]) == []
