"""Segments that the ledger lists: merged by vacuum, written again when lost, strangers removed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from clausegraph.indexes.vectors.segments import listed_segments, segment_state, vector_index
from clausegraph.indexes.views import open_view
from tests.contracts.graph.scripted import Town

pytestmark = pytest.mark.unit


@pytest.fixture
def town() -> Iterator[Town]:
    """Three epochs, so three segments of a kind, and rows that have ended."""
    town = Town()
    for page in ("a", "b", "c"):
        town.write(page, f"grant {page} | pays | =£200")
        town.write("a", f"grant {page} | pays | =£300")
        town.publish()
    yield town
    town.close()


def vectors(town: Town) -> dict[object, list[float]]:
    with open_view(town.ledger, town.corpus) as view:
        return {(kind, *name): row.tolist() for kind in ("chunk", "element", "fact")
                for name, row in zip(*view.vectors(kind), strict=True)}  # fmt: skip


def test_a_vacuum_merges_and_leaves_nothing_behind(town: Town) -> None:
    before = vectors(town)
    index = vector_index(town.ledger)
    stray = "chunk-killed"
    index.write(town.id, stray, np.array([10**6]), np.ones((1, 8), dtype=np.float32))
    old = {row.file for row in listed_segments(town.ledger, town.id)}
    assert len(old) == 9
    with open_view(town.ledger, town.corpus) as held:
        held.vectors("chunk")
        town.vacuum(keep=1)
        assert len(held.vectors("chunk")[0]) == 3
    merged = {row.file for row in listed_segments(town.ledger, town.id)}
    assert len(merged) == 3
    assert not merged & old
    assert index.names(town.id) == merged
    assert vectors(town) == before


def test_lost_segments_are_written_again_from_the_ledger(town: Town) -> None:
    before = vectors(town)
    rows = listed_segments(town.ledger, town.id)
    vector_index(town.ledger).remove(town.id, [row.file for row in rows])
    assert {segment_state(town.ledger, row) for row in rows} == {"missing"}
    assert vectors(town) == before
    rows = listed_segments(town.ledger, town.id)
    assert {segment_state(town.ledger, row) for row in rows} == {"sound"}
