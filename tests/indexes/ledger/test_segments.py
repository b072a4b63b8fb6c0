"""Segments that the ledger lists: merged by vacuum, read from the ledger where they are lost, mended by writers."""

from collections.abc import Iterator

import numpy as np
import pytest
from sqlalchemy import Engine, delete, event

from clausegraph.core.errors import LeaseLostError, ModelMismatchError
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.schema import OPEN, run_leases
from clausegraph.indexes.ledger.schema import vectors as vector_rows
from clausegraph.indexes.vectors import segments as stored_segments
from clausegraph.indexes.vectors.segments import listed_segments, merge_segments, segment_state, vector_index
from clausegraph.indexes.views import View, open_view
from tests.contracts.graph.scripted import Town


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


def vectors_of(view: View) -> dict[object, list[float]]:
    return {(kind, *name): row.tolist() for kind in ("chunk", "element", "fact")
            for name, row in zip(*view.vectors(kind), strict=True)}  # fmt: skip


def vectors(town: Town) -> dict[object, list[float]]:
    with open_view(town.ledger, town.corpus) as view:
        return vectors_of(view)


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


def test_a_vector_whose_row_went_is_not_shown(town: Town) -> None:
    """As after a vacuum that was killed between the rows and the segments."""
    before = vectors(town)
    with town.ledger.write() as connection:
        gone = delete(vector_rows).where(vector_rows.c.until < OPEN)
        assert connection.execute(gone).rowcount
    assert vectors(town) == before
    with open_view(town.ledger, town.corpus) as view:
        for kind in ("chunk", "element", "fact"):
            names, matrix = view.vectors(kind)
    with open_view(town.ledger, town.corpus) as view:
        hits = view.search("fact", matrix[0], 99)
        assert sorted((hit.page, hit.ref) for hit in hits) == sorted(names)


def test_a_segment_has_so_many_vectors_and_full_ones_are_left_alone(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_segments, "SEGMENT_ROWS", 2)
    before = vectors(town)
    town.vacuum(keep=1)
    first = {row.file for row in listed_segments(town.ledger, town.id) if row.kind == "chunk"}
    index = vector_index(town.ledger)
    assert sorted(index.ids(town.id, file).size for file in first) == [1, 2]
    assert vectors(town) == before
    town.write("d", "grant d | pays | =£200")
    town.publish()
    after = vectors(town)
    town.vacuum(keep=1)
    now = {row.file for row in listed_segments(town.ledger, town.id) if row.kind == "chunk"}
    assert sorted(index.ids(town.id, file).size for file in now) == [2, 2]
    assert len(first & now) == 1
    assert vectors(town) == after


def test_a_copy_of_a_home_is_read_though_its_files_are_of_another_time(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    before = vectors(town)
    for path in (town.ledger.home / "segments" / str(town.id)).iterdir():
        path.write_bytes(path.read_bytes())
    assert vectors(town) == before and not caplog.text


def files(town: Town) -> dict[str, bytes]:
    folder = town.ledger.home / "segments" / str(town.id)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("damage", ["missing", "corrupt"])
def test_a_reader_reads_damaged_segments_from_the_ledger_and_writes_nothing(
    town: Town, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    before = vectors(town)
    for row in listed_segments(town.ledger, town.id)[::2]:
        path = town.ledger.home / "segments" / str(town.id) / row.file
        path.unlink() if damage == "missing" else path.write_bytes(b"x")
        assert segment_state(town.ledger, row) == damage
    left = files(town)
    assert vectors(town) == before
    assert files(town) == left
    assert f"({damage})" in caplog.text and "audit --repair" in caplog.text
    with open_view(town.ledger, town.corpus) as view:
        names, matrix = view.vectors("chunk")
        for name, row in zip(names, matrix, strict=True):
            assert any((hit.page, hit.ref) == name for hit in view.search("chunk", row, 2))
        with pytest.raises(ModelMismatchError):
            view.search("chunk", np.ones(9, dtype=np.float32), 1)


def test_what_a_writer_rebuilds_is_what_it_was(town: Town) -> None:
    before = vectors(town)
    rows = listed_segments(town.ledger, town.id)
    vector_index(town.ledger).remove(town.id, [row.file for row in rows])
    with run_lease(town.ledger, town.id, "mend") as lease:
        for row in rows:
            merge_segments(town.ledger, lease, row.model, row.kind)
    mended = listed_segments(town.ledger, town.id)
    assert {segment_state(town.ledger, row) for row in mended} == {"sound"}
    assert set(files(town)) == {row.file for row in mended}
    assert vectors(town) == before


def test_only_who_has_the_corpus_rebuilds(town: Town) -> None:
    row, *_ = listed_segments(town.ledger, town.id)
    left = files(town)
    with pytest.raises(LeaseLostError), run_lease(town.ledger, town.id, "late") as lease:
        with town.ledger.write() as connection:
            connection.execute(run_leases.update().values(run_id="other"))
        merge_segments(town.ledger, lease, row.model, row.kind)
    assert left.items() <= files(town).items()
    assert row in listed_segments(town.ledger, town.id)


@pytest.mark.parametrize("merges", [1, 3, 50])
def test_a_merge_between_the_list_and_the_files(town: Town, merges: int, caplog: pytest.LogCaptureFixture) -> None:
    """The ledger is asked again, and nothing is rebuilt: not even where merges never end."""
    before = vectors(town)
    left = [merges]

    def merge(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "FROM segments" in statement and statement.startswith("SELECT") and left[0]:
            left[0], again = 0, left[0] - 1
            with run_lease(town.ledger, town.id, "merge") as lease:
                for kind in ("chunk", "element", "fact"):
                    merge_segments(town.ledger, lease, view.model, kind)
            left[0] = again

    with open_view(town.ledger, town.corpus) as view:
        event.listen(Engine, "after_cursor_execute", merge)
        try:
            found = vectors_of(view)
        finally:
            event.remove(Engine, "after_cursor_execute", merge)
    assert found == before
    assert set(files(town)) == {row.file for row in listed_segments(town.ledger, town.id)}
    assert bool(caplog.text) == (merges == 50)
