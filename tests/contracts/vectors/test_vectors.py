"""What every store of vectors must do. One suite; each test runs against each store."""

from pathlib import Path

import numpy as np
import pytest

from clausegraph.core.errors import ModelMismatchError, SegmentError
from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.vectors.faiss import FaissIndex
from clausegraph.indexes.vectors.protocol import Ids
from tests.contracts.vectors.conftest import Store

pytestmark = pytest.mark.contract


def made(count: int, first_id: int = 1, seed: int = 0, dimension: int = 8) -> tuple[Ids, Vectors]:
    """So many ids, not in order, and unit vectors."""
    random = np.random.default_rng(seed)
    ids = random.permutation(np.arange(first_id, first_id + count, dtype=np.int64))
    matrix = random.standard_normal((count, dimension)).astype(np.float32)
    return ids, matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


NONE = np.empty(0, dtype=np.int64)


def nearest(ids: Ids, matrix: Vectors, visible: Ids, vector: Vectors, limit: int) -> list[int]:
    """The same search, by hand."""
    scores = {int(one): float(row @ vector) for one, row in zip(ids, matrix, strict=True) if one in visible}
    return sorted(scores, key=lambda one: -scores[one])[:limit]


def test_the_nearest_of_all(store: Store) -> None:
    ids, matrix = made(300)
    store.open().write(1, "a", ids, matrix)
    found, scores = store.open().open(1, "a", NONE).search(matrix[7], 10)
    assert found.tolist() == nearest(ids, matrix, ids, matrix[7], 10)
    assert found[0] == ids[7]
    np.testing.assert_allclose(scores, [matrix[ids.tolist().index(one)] @ matrix[7] for one in found], atol=1e-6)


@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_the_nearest_of_those_that_are_visible(store: Store, share: float) -> None:
    """The selector restricts the search itself: as many are found as were asked for, however many are hidden."""
    ids, matrix = made(300)
    visible = np.sort(ids[: round(300 * share)])
    store.open().write(1, "a", ids, matrix)
    opened = store.open().open(1, "a", np.setdiff1d(ids, visible))
    for limit in (1, 3, 1000):
        found, scores = opened.search(matrix[299], limit)
        assert found.tolist() == nearest(ids, matrix, visible, matrix[299], limit)
        assert scores.tolist() == sorted(scores.tolist(), reverse=True)


def test_what_is_as_near_as_the_last_comes_too(store: Store) -> None:
    """Who comes first of equal ones is not said by the store. Equal vectors have equal products, wherever they are."""
    ids, matrix = made(300)
    matrix[::3] = matrix[0]
    store.open().write(1, "a", ids, matrix)
    for visible in (np.sort(ids), np.sort(ids[:150])):
        shown = set(visible.tolist())
        alike = {one for one in ids[::3].tolist() if one in shown}
        for limit in (1, 40):
            found, scores = store.open().open(1, "a", np.setdiff1d(ids, visible)).search(matrix[0], limit)
            assert set(found.tolist()) == alike and len(set(scores.tolist())) == 1
        found, _ = store.open().open(1, "a", np.setdiff1d(ids, visible)).search(matrix[0], len(alike) + 1)
        assert len(found) == len(alike) + 1 and set(found[: len(alike)].tolist()) == alike


def test_ids_of_other_segments_are_no_matter(store: Store) -> None:
    ids, matrix = made(20, first_id=2**62)
    store.open().write(1, "a", ids, matrix)
    opened = store.open().open(1, "a", np.concatenate([np.arange(5, dtype=np.int64), ids[2:]]))
    assert set(opened.search(matrix[0], 10)[0].tolist()) == set(ids[:2].tolist())


def test_nothing_visible_is_nothing_found(store: Store) -> None:
    ids, matrix = made(20)
    store.open().write(1, "a", ids, matrix)
    opened = store.open().open(1, "a", ids)
    for found in (opened.search(matrix[0], 5), opened.everything()):
        assert [len(part) for part in found] == [0, 0]
    assert opened.everything()[1].shape == (0, 8)


def test_vectors_are_read_back(store: Store) -> None:
    ids, matrix = made(50)
    store.open().write(1, "a", ids, matrix)
    found, rows = store.open().open(1, "a", ids[30:]).everything()
    assert sorted(found.tolist()) == sorted(ids[:30].tolist())
    by_id = dict(zip(ids.tolist(), matrix, strict=True))
    for one, row in zip(found.tolist(), rows, strict=True):
        np.testing.assert_array_equal(row, by_id[one])


def test_a_question_of_another_model(store: Store) -> None:
    ids, matrix = made(5)
    store.open().write(1, "a", ids, matrix)
    with pytest.raises(ModelMismatchError, match=r"16 numbers.*have 8"):
        store.open().open(1, "a", NONE).search(np.ones(16, dtype=np.float32), 1)


def test_a_segment_is_written_again_in_place(store: Store) -> None:
    (ids, matrix), (others, other_matrix) = made(20), made(30, seed=1)
    first = store.open().write(1, "a", ids, matrix)
    assert store.open().write(1, "a", ids, matrix) == first
    second = store.open().write(1, "a", others, other_matrix)
    assert first != second
    assert max(len(first), len(second)) <= 64
    assert [store.open().state(1, "a", checksum) for checksum in (first, second)] == ["corrupt", "sound"]
    assert len(store.open().open(1, "a", NONE).everything()[0]) == 30


def test_damage_and_loss_are_seen_and_mended_by_writing_again(store: Store) -> None:
    ids, matrix = made(20)
    checksum = store.open().write(1, "a", ids, matrix)
    assert store.open().state(1, "a", checksum) == "sound"
    store.damage(1, "a")
    assert store.open().state(1, "a", checksum) == "corrupt"
    store.open().remove(1, ["a"])
    assert store.open().state(1, "a", checksum) == "missing"
    with pytest.raises(SegmentError):
        store.open().open(1, "a", NONE)
    store.open().write(1, "a", ids, matrix)
    assert store.open().state(1, "a", checksum) == "sound"


def test_what_is_open_outlives_its_segment(store: Store) -> None:
    """A view goes on while a vacuum merges what it reads."""
    ids, matrix = made(2000)
    index = store.open()
    index.write(1, "a", ids, matrix)
    opened = index.open(1, "a", NONE)
    index.write(1, "merged", *made(10, seed=1))
    index.remove(1, ["a"])
    assert opened.search(matrix[5], 1)[0].tolist() == [ids[5]]
    assert len(opened.everything()[0]) == 2000


def test_names_and_removal(store: Store) -> None:
    index = store.open()
    assert index.names(1) == set()
    for name in ("a", "b", "c"):
        index.write(1, name, *made(3))
    index.remove(1, ["a", "c", "never there"])
    assert store.open().names(1) == {"b"}
    index.remove(1, [])
    assert store.open().names(1) == {"b"}


def test_the_ids_of_a_segment(store: Store) -> None:
    index = store.open()
    assert index.corpora() == set()
    ids, matrix = made(20)
    index.write(7, "a", ids, matrix)
    assert store.open().ids(7, "a").tolist() == ids.tolist()
    with pytest.raises(SegmentError):
        index.ids(7, "b")
    assert store.open().corpora() == {7}


def test_corpora_side_by_side(store: Store) -> None:
    (ids, matrix), (others, other_matrix) = made(20), made(30, seed=1)
    index = store.open()
    index.write(1, "a", ids, matrix)
    index.write(2, "a", others, other_matrix)
    index.drop(1)
    index.drop(3)
    assert (index.names(1), index.names(2)) == (set(), {"a"})
    assert len(index.open(2, "a", NONE).everything()[0]) == 30


def test_a_large_segment_finds_nearly_all(tmp_path: Path) -> None:
    """The threshold is small; vectors are near each other as those of texts are. What is found has its exact score."""
    draw = np.random.default_rng(3)
    topics = draw.standard_normal((40, 32))
    matrix = topics[draw.integers(40, size=4000)] + 0.6 * draw.standard_normal((4000, 32))
    matrix = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)
    ids = np.arange(1, 4001, dtype=np.int64)
    made = [FaissIndex(tmp_path / name, 1000).write(1, "a", ids, matrix) for name in ("first", "second")]
    assert made[0] == made[1]
    hidden = ids[::7]
    opened = FaissIndex(tmp_path / "first").open(1, "a", hidden, made[0])
    shown = np.setdiff1d(ids, hidden)
    found = 0
    for question in matrix[:50]:
        near, scores = opened.search(question, 20)
        exact = dict(zip(shown.tolist(), (matrix[shown - 1] @ question).tolist(), strict=True))
        np.testing.assert_allclose(scores, [exact[one] for one in near.tolist()], atol=1e-6)
        found += len(set(near.tolist()) & set(sorted(exact, key=lambda one: -exact[one])[:20]))
    assert found / 1000 >= 0.95
