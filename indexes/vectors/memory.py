"""Vectors in memory, searched by NumPy: what a reader makes of the ledger's embeddings where a segment is damaged."""

from __future__ import annotations

import numpy as np

from clausegraph.core.errors import ModelMismatchError
from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.vectors.protocol import Ids


class MemoryVectors:
    """``VisibleVectors`` that are stored nowhere: ids, shape (n,), and unit vectors, shape (n, d)."""

    def __init__(self, ids: Ids, matrix: Vectors) -> None:
        self._ids = ids
        self._matrix = matrix

    @property
    def ids(self) -> Ids:
        """As ``VisibleVectors.ids``."""
        return self._ids

    def search(self, vector: Vectors, limit: int) -> tuple[Ids, Vectors]:
        """As ``VisibleVectors.search``."""
        check_dimension(vector, self._matrix.shape[1])
        scores: Vectors = self._matrix @ vector.astype(np.float32, copy=False)
        best = np.lexsort((self._ids, -scores))[:limit]
        return self._ids[best], scores[best]

    def everything(self) -> tuple[Ids, Vectors]:
        """As ``VisibleVectors.everything``."""
        return self._ids, self._matrix


def check_dimension(vector: Vectors, dimension: int) -> None:
    """Refuse a vector that cannot be compared.

    Raises:
        ModelMismatchError: it has another length than those of the segment.
    """
    if vector.shape[-1] != dimension:
        raise ModelMismatchError(
            f"a vector of {vector.shape[-1]} numbers was given, but those of the segment have {dimension}: "
            "another model embedded the corpus; ask with that one"
        )
