"""The vector stores under contract: FAISS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from clausegraph.indexes.vectors.faiss import FaissIndex
from clausegraph.indexes.vectors.protocol import VectorIndex


@dataclass(frozen=True)
class Store:
    """A store, opened anew at each call, and how a segment of it comes to harm from outside."""

    open: Callable[[], VectorIndex]
    damage: Callable[[int, str], None]


def _faiss(root: Path) -> Store:
    def damage(corpus_id: int, name: str) -> None:
        path = root / str(corpus_id) / name
        path.write_bytes(path.read_bytes()[:-9] + b"corrupted")

    return Store(lambda: FaissIndex(root), damage)


@pytest.fixture(params=["faiss"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return {"faiss": _faiss}[request.param](tmp_path / "vectors")
