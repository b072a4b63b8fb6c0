"""What a store of vectors does for the ledger (the contract suite holds every store to it), and vectors in memory.

Vectors come in segments, each written once by a publish or a merge and never changed. The ledger says which segments
there are and which ids an epoch shows, and has what is needed to write each segment again.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from clausegraph.core.errors import ModelMismatchError
from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.ledger.store import Reads

Ids = NDArray[np.int64]
SCORE_DIGITS = 6  # of an inner product; what agrees so far is as near
SegmentState = Literal["sound", "missing", "corrupt"]


class VisibleVectors(Protocol):
    """Those vectors of a segment that one epoch shows. Readable until it is let go of, whatever becomes of the
    segment meanwhile."""

    @property
    def ids(self) -> Ids:
        """The ids of all of them, shape (n,)."""

    def search(self, vector: Vectors, limit: int, least: float = -math.inf) -> tuple[Ids, NDArray[np.float64]]:
        """Ids and inner products of the ``limit`` nearest to a vector, shape (d,), length 1, best first, and of all
        others that are as near as the last of them: who comes first of these is for the names of the ids to say. In a
        large segment some of the nearest may be missed. What is farther than ``least`` may be left out.

        Equal vectors have equal products, wherever they are stored; products have ``SCORE_DIGITS``.
        """

    def everything(self) -> tuple[Ids, Vectors]:
        """All of them: ids, shape (n,), and vectors, shape (n, d), in the same order."""


class VectorIndex(Protocol):
    """Segments of vectors by corpus and name. A method that writes can be repeated."""

    def write(self, corpus_id: int, name: str, ids: Ids, matrix: Vectors) -> str:
        """Write a segment, in place of one of that name: durable when this returns, and there as a whole or not at all.

        ``ids`` are unique, shape (n,), n > 0; ``matrix`` has shape (n, d), rows of length 1. Returns a checksum of what
        was written, at most 64 characters.
        """

    def state(self, corpus_id: int, name: str, checksum: str) -> SegmentState:
        """Whether the segment is there and is what ``write`` returned this checksum for."""

    def open(self, corpus_id: int, name: str, hidden: Ids, checksum: str = "") -> VisibleVectors:
        """Open those vectors of a segment whose ids are not ``hidden``, which may have ids of other segments too.

        Raises:
            SegmentError: it is missing, or, as far as can be told without reading all of it each time, not what
                ``write`` returned this checksum for.
        """

    def ids(self, corpus_id: int, name: str) -> Ids:
        """The ids of all vectors of a segment, shape (n,)."""

    def corpora(self) -> set[int]:
        """The corpora of which anything is stored."""

    def names(self, corpus_id: int) -> set[str]:
        """Whatever is stored of a corpus: its segments, and what killed writes have left."""

    def remove(self, corpus_id: int, names: Collection[str]) -> None:
        """Remove segments; those that are not there are left out."""

    def drop(self, corpus_id: int) -> None:
        """Remove everything of a corpus."""


@runtime_checkable
class EpochIndex(Protocol):
    """A ``VectorIndex`` in the ledger's own database: it sees by itself what an epoch shows."""

    def open_epoch(self, reads: Reads, corpus_id: int, epoch: int, model: str, kind: str) -> VisibleVectors:
        """The vectors of a kind that an epoch shows, whichever segments they are in."""

    def quicken(self, corpus_id: int) -> None:
        """Make searches quick that would not be: called after a publish, when readers have the epoch already."""


class MemoryVectors:
    """``VisibleVectors`` that are stored nowhere: ids, shape (n,), and unit vectors, shape (n, d)."""

    def __init__(self, ids: Ids, matrix: Vectors) -> None:
        self._ids = ids
        self._matrix = matrix

    @property
    def ids(self) -> Ids:
        return self._ids

    def search(self, vector: Vectors, limit: int, least: float = -math.inf) -> tuple[Ids, NDArray[np.float64]]:
        check_dimension(vector, self._matrix.shape[1])
        return with_ties(self._ids, products(self._matrix, vector), limit)

    def everything(self) -> tuple[Ids, Vectors]:
        return self._ids, self._matrix


def products(matrix: Vectors, vector: Vectors) -> NDArray[np.float64]:
    """The rounded inner products of rows, shape (n, d), with a vector. Row by row: a product of matrices adds up in an
    order that depends on where a row stands."""
    found: NDArray[np.float64] = (matrix * vector.astype(np.float32, copy=False)).sum(axis=1, dtype=np.float64)
    return found.round(SCORE_DIGITS)


def with_ties(ids: Ids, scores: NDArray[np.float64], limit: int) -> tuple[Ids, NDArray[np.float64]]:
    """The ``limit`` best, and what is as good as the last of them, best first; shapes (n,)."""
    order = np.argsort(-scores, kind="stable")
    if limit < len(order):
        order = order[scores[order] >= scores[order[limit - 1]]] if limit > 0 else order[:0]
    return ids[order], scores[order]


def check_dimension(vector: Vectors, dimension: int) -> None:
    """Refuse a vector that cannot be compared."""
    if vector.shape[-1] != dimension:
        raise ModelMismatchError(
            f"a vector of {vector.shape[-1]} numbers was given, but those of the segment have {dimension}: "
            "another model embedded the corpus; ask with that one"
        )
