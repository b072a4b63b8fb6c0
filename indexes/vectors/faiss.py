"""Vectors in FAISS: one file a segment, inner product over normalised vectors, under our own int64 ids.

The only module that knows FAISS. Readers memory-map a segment's file and restrict the search to visible ids with a
selector. From ``APPROXIMATE_FROM`` vectors on a segment has lists of vectors that are near each other, in 8 bits a
number (FAISS's IVF with a scalar quantiser), beside the vectors themselves. A search looks through the nearest lists,
and the best of what it finds get their exact products, so scores and the order of equals are as in a small segment.

A file's time of change is set from its checksum. One that still has it was not written since, and is not read whole to
be opened; any other is, once in a process.
"""

from __future__ import annotations

import errno
import math
import os
import shutil
from collections.abc import Collection
from functools import partial
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

APPROXIMATE_FROM = 20_000  # vectors: an exact search of so many takes some 10 ms
_TRAINED_BY, _ROUNDS = 24, 5  # vectors a list, from which the middle of each is computed, and how often
_FIRST, _FURTHER = 256, 64  # lists of the segment searched first, and of those asked for what is nearer than its last
_WIDE = 3  # times as many as asked for get their exact products
_BEYOND = 8  # further vectors that a search looks at, to see whether some are as near as the last one
_APART = 3e-6  # scores of FAISS are within 1e-6 of the rounded ones
_APART_IN_8_BITS = 3e-3

_read_whole: dict[Path, tuple[str, int, int]] = {}  # files found sound by this process: checksum, size, time of change


class FaissIndex:
    """A ``VectorIndex``, which documents the methods: a folder for each corpus; checksums are SHA-256 of the files."""

    def __init__(self, root: Path, approximate_from: int = APPROXIMATE_FROM) -> None:
        self._root = root
        self._approximate_from = approximate_from

    def write(self, corpus_id: int, name: str, ids: Ids, matrix: Vectors) -> str:
        rows = np.ascontiguousarray(matrix, dtype=np.float32)
        inner = _with_lists(rows) if len(rows) >= self._approximate_from else faiss.IndexFlatIP(rows.shape[1])
        index = faiss.IndexIDMap(inner)
        index.add_with_ids(rows, np.ascontiguousarray(ids, dtype=np.int64))
        path = self._path(corpus_id, name)
        checksum = write_whole(path, partial(_to_disk, index))
        with file_errors(path):
            os.utime(path, ns=(_time_of(checksum), _time_of(checksum)))
        return checksum

    def state(self, corpus_id: int, name: str, checksum: str) -> SegmentState:
        """Reads the whole file."""
        found = file_checksum(self._path(corpus_id, name))
        if found is None:
            return "missing"
        return "sound" if found == checksum else "corrupt"

    def open(self, corpus_id: int, name: str, hidden: Ids, checksum: str = "") -> MappedVectors:
        path = self._path(corpus_id, name)
        if checksum and not _is_sound(path, checksum):
            raise SegmentError(f"segment {path} is not the one that was written; run `clausegraph audit --repair`")
        return MappedVectors(path, hidden)

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

    def __init__(self, path: Path, hidden: Ids) -> None:
        index = _mapped(path)
        self._ids: Ids = faiss.vector_to_array(index.id_map)
        inner = faiss.downcast_index(index.index)
        self._lists: Any = None
        if isinstance(inner, faiss.IndexRefine):
            self._lists, inner = faiss.downcast_index(inner.base_index), faiss.downcast_index(inner.refine_index)
        self._flat: Any = inner
        self._owner = index  # freed with it, the indexes beneath would dangle
        self._hidden = _places(self._ids, hidden)
        self._count = len(self._ids) - len(self._hidden)
        self._selector: Any = None
        if self._hidden.size:
            self._packed = np.packbits(self._shown(), bitorder="little")  # the selector has a pointer to it
            # the indexes beneath the id map see positions, which is what the bitmap is about
            self._selector = faiss.IDSelectorBitmap(len(self._ids), faiss.swig_ptr(self._packed))

    @property
    def ids(self) -> Ids:
        found: Ids = self._ids[self._shown()]
        return found

    def search(self, vector: Vectors, limit: int, least: float = -math.inf) -> tuple[Ids, NDArray[np.float64]]:
        check_dimension(vector, self._flat.d)
        count = min(limit, self._count)
        if count < 1:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64)
        query = np.ascontiguousarray(vector.reshape(1, -1), dtype=np.float32)
        near = None if self._lists is None else self._in_lists(query, count, least)
        positions = self._in_all(query, count) if near is None else near
        rows = self._flat.reconstruct_batch(positions)
        return with_ties(self._ids[positions], products(rows, vector), limit)

    def everything(self) -> tuple[Ids, Vectors]:
        positions = np.flatnonzero(self._shown())
        if not positions.size:
            return self._ids[positions], np.empty((0, self._flat.d), dtype=np.float32)
        return self._ids[positions], self._flat.reconstruct_batch(positions)

    def _shown(self) -> NDArray[np.bool_]:
        shown = np.ones(len(self._ids), dtype=bool)
        shown[self._hidden] = False
        return shown

    def _in_all(self, query: Vectors, count: int) -> Ids:
        """The positions of the ``count`` nearest, and of what may be as near as the last of them."""
        make: Any = faiss.SearchParameters
        parameters = make(sel=self._selector) if self._selector is not None else None
        scores, found = self._flat.search(query, min(self._count, count + _BEYOND), params=parameters)
        positions, least = found[0], scores[0, count - 1] - _APART
        if scores[0, -1] >= least and len(positions) < self._count:  # there may be more of them
            _, _, positions = self._flat.range_search(query, float(least), params=parameters)
        return np.asarray(positions, dtype=np.int64)

    def _in_lists(self, query: Vectors, count: int, least: float) -> Ids | None:
        """The same by the nearest lists; None where these have too few that are visible, and nothing else is found that
        is nearer than ``least``."""
        make: Any = faiss.SearchParametersIVF
        parameters = make(nprobe=_FIRST if least == -math.inf else _FURTHER, sel=self._selector)
        if least > -math.inf:
            _, scores, positions = self._lists.range_search(query, least - _APART_IN_8_BITS, params=parameters)
        wide = _WIDE * count + _BEYOND
        while least == -math.inf:
            (scores,), (positions,) = self._lists.search(query, min(wide, self._count), params=parameters)
            scores, positions = scores[positions >= 0], positions[positions >= 0]
            if len(positions) < count:
                return None
            if len(positions) < wide or scores[count - 1] - scores[-1] > _APART_IN_8_BITS:
                break
            wide *= 4
        if len(scores) > count:
            positions = positions[scores >= np.partition(scores, -count)[-count] - _APART_IN_8_BITS]
        return np.asarray(positions, dtype=np.int64)


def _to_disk(index: Any, path: Path) -> None:
    try:
        faiss.write_index(index, str(path))
    except RuntimeError as error:  # it opened before: there is no room
        raise OSError(errno.ENOSPC, str(error)[:200]) from error


def _with_lists(rows: Vectors) -> Any:
    """An index that is still empty, with lists around the middles of rows: the same rows make the same ones."""
    lists = 2 ** min(round(math.log2(4 * math.sqrt(len(rows)))), int(math.log2(len(rows))))
    around = faiss.IndexFlatIP(rows.shape[1])
    made = faiss.IndexIVFScalarQuantizer(
        around, rows.shape[1], lists, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    for name, value in (("niter", _ROUNDS), ("min_points_per_centroid", 1)):
        setattr(made.cp, name, value)
    made.train(np.ascontiguousarray(rows[:: max(1, len(rows) // (lists * _TRAINED_BY))]))
    return faiss.IndexRefineFlat(made)


def _places(ids: Ids, wanted: Ids) -> Ids:
    """The positions of those of the wanted ids that are among ``ids``, which are ascending as a rule."""
    if not wanted.size:
        return np.empty(0, dtype=np.int64)
    order = None if (ids[1:] > ids[:-1]).all() else np.argsort(ids)
    at = np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)
    places = at if order is None else order[at]
    return np.unique(places[ids[places] == wanted])


def _time_of(checksum: str) -> int:
    """The time of change, in nanoseconds, of a file with this checksum: a day between 2001 and 2004."""
    return 10**18 + int(checksum[:16], 16) % 10**17


def _is_sound(path: Path, checksum: str) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    if found.st_mtime_ns == _time_of(checksum):
        return True
    stamp = checksum, found.st_size, found.st_mtime_ns
    if _read_whole.get(path) != stamp:
        if file_checksum(path) != checksum:
            return False
        _read_whole[path] = stamp
    return True


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
