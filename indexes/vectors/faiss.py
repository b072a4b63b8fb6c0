"""Immutable FAISS segments: flat inner product over normalised vectors, under our own int64 ids.

The only module that knows FAISS. A segment is written to a temporary file, synced and renamed, and never
changed afterwards; readers memory-map it and restrict the search to living ids with a selector.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from clausegraph.core.errors import ModelMismatchError, SegmentError
from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.files import write_whole

Ids = NDArray[np.int64]


def write_segment(path: Path, ids: Ids, matrix: Vectors) -> str:
    """Write a segment atomically; returns its SHA-256.

    Args:
        path: final name; an existing file is replaced.
        ids: shape (n,), unique. matrix: shape (n, d), rows of length 1.
    """
    index = faiss.IndexIDMap2(faiss.IndexFlatIP(matrix.shape[1]))
    index.add_with_ids(np.ascontiguousarray(matrix, dtype=np.float32), ids)
    return write_whole(path, faiss.serialize_index(index).tobytes())


def flat_index(matrix: Vectors) -> Any:
    """An index of FAISS in memory, by inner product: row i of ``matrix``, shape (n, d), is its entry i."""
    index = faiss.IndexFlatIP(matrix.shape[1])
    index.add(np.ascontiguousarray(matrix, dtype=np.float32))
    return index


class Segment:
    """A memory-mapped segment."""

    def __init__(self, path: Path) -> None:
        try:
            index: Any = faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
        except RuntimeError as error:
            raise SegmentError(f"segment {path} cannot be read ({str(error)[:200]})") from error
        self.ids: Ids = faiss.vector_to_array(index.id_map)
        self._flat: Any = faiss.downcast_index(index.index)
        self._owner = index  # freed with it, the flat index beneath would dangle

    def search(self, vector: Vectors, limit: int, living: NDArray[np.bool_]) -> tuple[Ids, Vectors]:
        """The ``limit`` best living entries: ids and inner products, best first.

        ``living`` is parallel to ``ids``.

        Raises:
            ModelMismatchError: the vector has another length than those of the segment.
        """
        if vector.shape[-1] != self._flat.d:
            raise ModelMismatchError(
                f"a vector of {vector.shape[-1]} numbers was given, but those of the segment have {self._flat.d}: "
                "another model embedded the corpus; ask with that one"
            )
        count = min(limit, int(living.sum()))
        if count == 0:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        parameters = None
        if not living.all():
            packed = np.packbits(living, bitorder="little")
            selector = faiss.IDSelectorBitmap(living.size, faiss.swig_ptr(packed))
            # the flat index beneath the id map sees positions, which is what the bitmap is about
            make: Any = faiss.SearchParameters
            parameters = make(sel=selector)
        scores, positions = self._flat.search(vector.reshape(1, -1), count, params=parameters)
        return self.ids[positions[0]], scores[0]

    def vectors(self, positions: Iterable[int]) -> Vectors:
        """The stored vectors at these positions: shape (n, d)."""
        rows = [self._flat.reconstruct(int(position)) for position in positions]
        return np.asarray(rows, dtype=np.float32).reshape(len(rows), self._flat.d)
