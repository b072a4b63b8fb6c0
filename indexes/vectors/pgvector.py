"""Vectors in PostgreSQL with pgvector: rows of one table, searched by the epoch interval of the ledger's own rows.

Below ``HNSW_FROM`` vectors of a kind a search is exact. From there on there is an index (HNSW over half precision,
which takes half the memory) that is scanned until enough visible ones are found; the best of them are then ordered by
their inner products in single precision. A segment is a name: a search looks at a corpus' vectors of a kind.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, text

from clausegraph.core.errors import SegmentError
from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.ledger.store import Ledger, Reads
from clausegraph.indexes.vectors.protocol import SCORE_DIGITS, Ids, MemoryVectors, SegmentState, check_dimension

HNSW_FROM = 20_000  # vectors: an exact search of so many takes some 20 ms
_LONGEST_HALVES = 4000  # numbers that an index over half precision takes
_WIDE = 4  # times as many as asked for are ordered again
_SEARCHED, _MOST_SEARCHED = 400, 1000  # so many of the index, at least and at most (pgvector's limit)

_VALID = text(  # whether there is an index of that name, whole
    "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(current_schema() || '.' || :name)"
)
_SEGMENT = "FROM vector_data WHERE corpus_id = :corpus AND name = :name"
_SHOWN = """
    FROM vector_data d JOIN vectors v ON v.id = d.id
    WHERE d.corpus_id = :corpus AND d.part = :part AND v.model = :model AND v.since <= :epoch AND v.until > :epoch
"""


class PgVectorIndex:
    """A ``VectorIndex`` and ``EpochIndex``, which document the methods, in the database of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def write(self, corpus_id: int, name: str, ids: Ids, matrix: Vectors) -> str:
        part, dimension = name.partition("-")[0], matrix.shape[1]  # a name begins with the kind of its vectors
        rows = np.ascontiguousarray(matrix, dtype=np.float32)
        with self._ledger.write() as connection:
            self._remove(connection, corpus_id, [name])
            cursor = connection.connection.cursor()
            columns = "corpus_id, name, part, place, id, dimension, data"
            with cursor.copy(f"COPY vector_data ({columns}) FROM STDIN WITH (FORMAT BINARY)") as copy:
                copy.set_types(["int8", "text", "text", "int4", "int8", "int4", "vector"])
                for place, (identity, row) in enumerate(zip(ids.tolist(), rows, strict=True)):
                    copy.write_row((corpus_id, name, part, place, identity, dimension, row))
        return _checksum(np.asarray(ids, dtype=np.int64), rows)

    def state(self, corpus_id: int, name: str, checksum: str) -> SegmentState:
        """Reads the whole segment."""
        try:
            found = _checksum(*self._load(corpus_id, name))
        except SegmentError:
            return "missing"
        return "sound" if found == checksum else "corrupt"

    def open(self, corpus_id: int, name: str, hidden: Ids, checksum: str = "") -> MemoryVectors:
        ids, matrix = self._load(corpus_id, name)
        if checksum and _checksum(ids, matrix) != checksum:
            raise SegmentError(f"segment {name} of corpus {corpus_id} in {self._ledger.place} is damaged")
        shown = ~np.isin(ids, hidden)
        return MemoryVectors(ids[shown], matrix[shown])

    def open_epoch(self, reads: Reads, corpus_id: int, epoch: int, model: str, kind: str) -> EpochVectors:
        return EpochVectors(reads, {"corpus": corpus_id, "part": kind, "model": model, "epoch": epoch})

    def quicken(self, corpus_id: int) -> None:
        """Make the index of vectors of which there are many; others write meanwhile."""
        counted = text("SELECT part, dimension, count(*) FROM vector_data WHERE corpus_id = :corpus GROUP BY 1, 2")
        with self._ledger.read() as connection:
            found = connection.execute(counted, {"corpus": corpus_id}).all()
        for part, dimension, count in found:
            if count >= HNSW_FROM and dimension <= _LONGEST_HALVES:
                self._index(_index_name(corpus_id, part, dimension), dimension, _of_index(corpus_id, part, dimension))

    def _index(self, name: str, dimension: int, mine: str) -> None:
        with self._ledger.database.errors(), self._ledger.database.outside() as connection:
            if connection.execute(_VALID, {"name": name}).scalar():
                return
            connection.execute(text(f"DROP INDEX CONCURRENTLY IF EXISTS {name}"))  # whose making was killed
            by = f"hnsw ((data::halfvec({dimension})) halfvec_ip_ops) WITH (m = 24, ef_construction = 200)"
            connection.execute(text(f"CREATE INDEX CONCURRENTLY {name} ON vector_data USING {by} WHERE {mine}"))

    def ids(self, corpus_id: int, name: str) -> Ids:
        return self._load(corpus_id, name)[0]

    def corpora(self) -> set[int]:
        return self._values("SELECT DISTINCT corpus_id FROM vector_data WHERE place = 0", {})

    def names(self, corpus_id: int) -> set[str]:
        query = "SELECT name FROM vector_data WHERE place = 0 AND corpus_id = :corpus"
        return self._values(query, {"corpus": corpus_id})

    def remove(self, corpus_id: int, names: Collection[str]) -> None:
        if names:
            with self._ledger.write() as connection:
                self._remove(connection, corpus_id, names)

    def drop(self, corpus_id: int) -> None:
        with self._ledger.write() as connection:
            connection.execute(text("DELETE FROM vector_data WHERE corpus_id = :corpus"), {"corpus": corpus_id})
            made = text("SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND indexname LIKE :name")
            for name in connection.execute(made, {"name": f"vector\\_data\\_hnsw\\_{corpus_id}\\_%"}).scalars().all():
                connection.execute(text(f"DROP INDEX {name}"))

    def _remove(self, connection: Connection, corpus_id: int, names: Collection[str]) -> None:
        gone = text("DELETE FROM vector_data WHERE corpus_id = :corpus AND name = ANY(:names)")
        connection.execute(gone, {"corpus": corpus_id, "names": list(names)})

    def _values(self, query: str, values: dict[str, Any]) -> set[Any]:
        with self._ledger.read() as connection:
            return set(connection.execute(text(query), values).scalars())

    def _load(self, corpus_id: int, name: str) -> tuple[Ids, Vectors]:
        with self._ledger.read() as connection:
            query = text(f"SELECT id, data {_SEGMENT} ORDER BY place")
            rows = connection.execute(query, {"corpus": corpus_id, "name": name}).all()
        if not rows:
            raise SegmentError(f"segment {name} of corpus {corpus_id} is not in {self._ledger.place}")
        return _arrays(rows)


class EpochVectors:
    """The ``VisibleVectors`` of an epoch; nothing of them is in memory."""

    def __init__(self, reads: Reads, of: dict[str, Any]) -> None:
        self._reads, self._of = reads, of
        with reads.read() as connection:
            found = connection.execute(text(f"SELECT d.dimension {_SHOWN} LIMIT 1"), of).scalar()
            self._dimension = int(found or 0)
            index = {"name": _index_name(of["corpus"], of["part"], self._dimension)}
            self._has_index = bool(connection.execute(_VALID, index).scalar())

    @property
    def ids(self) -> Ids:
        with self._reads.read() as connection:
            found = connection.execute(text(f"SELECT d.id {_SHOWN} ORDER BY d.id"), self._of).scalars()
            return np.fromiter(found, dtype=np.int64)

    def search(self, vector: Vectors, limit: int, least: float = -math.inf) -> tuple[Ids, NDArray[np.float64]]:
        """Exact below ``HNSW_FROM`` vectors, and where the index finds too few that are visible."""
        rows: Sequence[Any] = ()
        if self._dimension:
            check_dimension(vector, self._dimension)
            asked = self._of | {"vector": np.asarray(vector, dtype=np.float32), "limit": limit}
            with self._reads.read() as connection:
                if self._has_index:
                    rows = self._near(connection, asked)
                if len(rows) < limit:
                    rows = connection.execute(text(_best(f"SELECT d.id, d.data {_SHOWN}")), asked).all()
        return np.array([row[0] for row in rows], dtype=np.int64), np.array([row[1] for row in rows], dtype=np.float64)

    def _near(self, connection: Connection, asked: dict[str, Any]) -> Sequence[Any]:
        """The best of those that the index finds first."""
        wide = min(_MOST_SEARCHED, max(_SEARCHED, _WIDE * asked["limit"]))
        for name, value in (("iterative_scan", "relaxed_order"), ("ef_search", str(wide))):
            connection.execute(text("SELECT set_config(:name, :value, true)"), {"name": f"hnsw.{name}", "value": value})
        halves = f"halfvec({self._dimension})"
        of_index = _of_index(self._of["corpus"], self._of["part"], self._dimension, "d.")
        found = f"SELECT d.id, d.data {_SHOWN} AND {of_index} ORDER BY d.data::{halves} <#> CAST(:vector AS {halves})"
        return connection.execute(text(_best(f"{found} LIMIT {wide}")), asked).all()

    def everything(self) -> tuple[Ids, Vectors]:
        with self._reads.read() as connection:
            rows = connection.execute(text(f"SELECT d.id, d.data {_SHOWN} ORDER BY d.id"), self._of).all()
        return _arrays(rows)


def _arrays(rows: Collection[Any]) -> tuple[Ids, Vectors]:
    ids = np.array([row[0] for row in rows], dtype=np.int64)
    return ids, np.array([row[1].to_numpy() for row in rows], dtype=np.float32).reshape(len(rows), -1 if rows else 0)


def _checksum(ids: Ids, matrix: Vectors) -> str:
    return hashlib.sha256(ids.astype("<i8").tobytes() + matrix.astype("<f4").tobytes()).hexdigest()


def _best(found: str) -> str:
    """The statement that orders what another one found by its inner product in single precision, rounded."""
    near = f"round((d.data <#> CAST(:vector AS vector)) * 1e{SCORE_DIGITS}) / 1e{SCORE_DIGITS}"
    return f"SELECT d.id, -({near}) FROM ({found}) AS d ORDER BY {near} FETCH FIRST :limit ROWS WITH TIES"  # noqa: S608


def _index_name(corpus_id: int, part: str, dimension: int) -> str:
    return f"vector_data_hnsw_{corpus_id}_{part}_{dimension}"


def _of_index(corpus_id: int, part: str, dimension: int, of: str = "") -> str:
    """The rows of an index: a definition takes no parameters, and a planner compares it word by word."""
    return f"{of}corpus_id = {corpus_id} AND {of}part = '{part}' AND {of}dimension = {dimension}"
