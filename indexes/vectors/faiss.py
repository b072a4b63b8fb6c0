"""Vectors in FAISS: one file a segment, flat inner product over normalised vectors, under our own int64 ids.

The only module that knows FAISS. Readers memory-map a segment's file and restrict the search to visible ids with a
selector.
"""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from clausegraph.core.errors import SegmentError
from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.files import checksum as file_checksum
from clausegraph.indexes.files import file_errors, write_whole
from clausegraph.indexes.vectors.protocol import Ids, SegmentState, check_dimension, products, with_ties

_BEYOND = 8  # further vectors that a search looks at, to see whether some are as near as the last one
_APART = 3e-6  # scores of FAISS are within 1e-6 of the rounded ones


class FaissIndex:
    """A ``VectorIndex``, which documents the methods: a folder for each corpus; checksums are SHA-256 of the files."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def write(self, corpus_id: int, name: str, ids: Ids, matrix: Vectors) -> str:
        index = faiss.IndexIDMap2(faiss.IndexFlatIP(matrix.shape[1]))
        index.add_with_ids(np.ascontiguousarray(matrix, dtype=np.float32), ids)
        return write_whole(self._path(corpus_id, name), faiss.serialize_index(index).tobytes())

    def state(self, corpus_id: int, name: str, checksum: str) -> SegmentState:
        """Reads the whole file."""
        found = file_checksum(self._path(corpus_id, name))
        if found is None:
            return "missing"
        return "sound" if found == checksum else "corrupt"

    def open(self, corpus_id: int, name: str, visible: Ids) -> MappedVectors:
        return MappedVectors(self._path(corpus_id, name), visible)

    def ids(self, corpus_id: int, name: str) -> Ids:
        index = _mapped(self._path(corpus_id, name))  # freed before its ids are copied, they would dangle
        found: Ids = faiss.vector_to_array(index.id_map)
        return found

    def corpora(self) -> set[int]:
        with file_errors(self._root):
            found = self._root.iterdir() if self._root.exists() else ()
            return {int(path.name) for path in found if path.name.isdecimal()}

    def names(self, corpus_id: int) -> set[str]:
        folder = self._root / str(corpus_id)
        with file_errors(folder):
            return {path.name for path in folder.iterdir()} if folder.exists() else set()

    def remove(self, corpus_id: int, names: Collection[str]) -> None:
        for name in names:
            path = self._path(corpus_id, name)
            with file_errors(path):
                path.unlink(missing_ok=True)

    def drop(self, corpus_id: int) -> None:
        folder = self._root / str(corpus_id)
        with file_errors(folder):
            if folder.exists():
                shutil.rmtree(folder)

    def _path(self, corpus_id: int, name: str) -> Path:
        return self._root / str(corpus_id) / name


class MappedVectors:
    """The ``VisibleVectors`` of a memory-mapped segment."""

    def __init__(self, path: Path, visible: Ids) -> None:
        index = _mapped(path)
        self._ids: Ids = faiss.vector_to_array(index.id_map)
        self._flat: Any = faiss.downcast_index(index.index)
        self._owner = index  # freed with it, the flat index beneath would dangle
        self._visible = np.isin(self._ids, visible, assume_unique=True)

    @property
    def ids(self) -> Ids:
        found: Ids = self._ids[self._visible]
        return found

    def search(self, vector: Vectors, limit: int) -> tuple[Ids, NDArray[np.float64]]:
        check_dimension(vector, self._flat.d)
        most = int(self._visible.sum())
        parameters = None
        if most < self._visible.size:
            packed = np.packbits(self._visible, bitorder="little")
            selector = faiss.IDSelectorBitmap(self._visible.size, faiss.swig_ptr(packed))
            # the flat index beneath the id map sees positions, which is what the bitmap is about
            make: Any = faiss.SearchParameters
            parameters = make(sel=selector)
        count = min(limit, most)
        if count < 1:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        query = vector.reshape(1, -1)
        scores, found = self._flat.search(query, min(most, count + _BEYOND), params=parameters)
        positions, least = found[0], scores[0, count - 1] - _APART
        if scores[0, -1] >= least and len(positions) < most:  # there may be more of them
            _, _, positions = self._flat.range_search(query, float(least), params=parameters)
        rows = self._flat.reconstruct_batch(positions)
        return with_ties(self._ids[positions], products(rows, vector), limit)

    def everything(self) -> tuple[Ids, Vectors]:
        positions = np.flatnonzero(self._visible)
        rows = [self._flat.reconstruct(int(position)) for position in positions]
        return self._ids[positions], np.asarray(rows, dtype=np.float32).reshape(len(rows), self._flat.d)


def _mapped(path: Path) -> Any:
    try:
        return faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
    except RuntimeError as error:
        raise SegmentError(f"segment {path} cannot be read ({str(error)[:200]})") from error


def flat_index(matrix: Vectors) -> Any:
    """An index of FAISS in memory, by inner product: row i of ``matrix``, shape (n, d), is its entry i."""
    index = faiss.IndexFlatIP(matrix.shape[1])
    index.add(np.ascontiguousarray(matrix, dtype=np.float32))
    return index
