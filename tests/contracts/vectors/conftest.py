"""The vector stores under contract: FAISS, exact and approximate, the store of ``examples/extending``, and pgvector."""

import runpy
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from clausegraph.indexes.vectors.faiss import APPROXIMATE_FROM, FaissIndex
from clausegraph.indexes.vectors.pgvector import PgVectorIndex
from clausegraph.indexes.vectors.protocol import VectorIndex
from tests.harness.postgres import run_sql, shared_ledger


@dataclass(frozen=True)
class Store:
    """A store, opened anew at each call, and how a segment of it comes to harm from outside."""

    open: Callable[[], VectorIndex]
    damage: Callable[[int, str], None]


def _faiss(root: Path, approximate_from: int = APPROXIMATE_FROM) -> Store:
    def damage(corpus_id: int, name: str) -> None:
        path = root / str(corpus_id) / name
        path.write_bytes(path.read_bytes()[:-9] + b"corrupted")

    return Store(lambda: FaissIndex(root, approximate_from), damage)


def _approximate(root: Path) -> Store:
    """All lists are searched, as there are few: so the nearest are found, as a segment that is not approximate has."""
    return _faiss(root, approximate_from=2)


def _mirrored(root: Path) -> Store:
    made = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "extending" / "store.py"))["MirroredIndex"]
    first, second = _faiss(root / "first"), _faiss(root / "second")
    return replace(first, open=lambda: made(first.open(), second.open()))


def _pgvector(root: Path) -> Store:
    ledger, address = shared_ledger()
    run_sql(address, "DELETE FROM vector_data")

    def damage(corpus_id: int, name: str) -> None:
        of = f"corpus_id = {corpus_id} AND name = '{name}' AND place = 3"
        run_sql(address, f"UPDATE vector_data SET data = data + data WHERE {of}")

    return Store(lambda: PgVectorIndex(ledger), damage)


@pytest.fixture(params=[_faiss, _approximate, _mirrored, pytest.param(_pgvector, marks=pytest.mark.integration)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    made: Callable[[Path], Store] = request.param
    return made(tmp_path / "vectors")
