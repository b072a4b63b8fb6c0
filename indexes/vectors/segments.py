"""The vector segments of a corpus: written by a publish, rebuilt when damaged, merged, opened by readers.

The ledger lists them; ``vector_index`` chooses where they are stored. A segment that is listed may be gone a moment
later, when a vacuum has merged it: then a reader asks the ledger again. What is really missing or damaged it reads from
the stored embeddings, into memory, until a writer mends it. Readers write nothing.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Row, Select, delete, insert, select

from clausegraph.core.errors import SegmentError, StorageError
from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.schema import corpora, seen_at, segments, vectors
from clausegraph.indexes.ledger.store import Ledger, Reads
from clausegraph.indexes.truth import load_embeddings
from clausegraph.indexes.vectors.protocol import (
    EpochIndex,
    Ids,
    MemoryVectors,
    SegmentState,
    VectorIndex,
    VisibleVectors,
)


def vector_index(ledger: Ledger) -> VectorIndex:
    """Where the vectors of a ledger are stored."""
    if ledger.database.kind == "postgresql":
        from clausegraph.indexes.vectors.pgvector import PgVectorIndex

        return PgVectorIndex(ledger)
    from clausegraph.indexes.vectors.faiss import FaissIndex  # slow to load, and looking things up needs no vectors

    return FaissIndex(ledger.home / "segments")


def quicken_search(ledger: Ledger, corpus_id: int) -> None:
    """Make what quick searches need of a corpus that has grown; without it they are slow, and right."""
    index = vector_index(ledger)
    if isinstance(index, EpochIndex):
        try:
            index.quicken(corpus_id)
        except StorageError as error:
            log.warning("searches stay slow until the next publish: %s", error)


def write_new_segment(ledger: Ledger, corpus_id: int, number: int, kind: str) -> dict[str, Any] | None:
    """Write the vectors of a kind that epoch ``number`` opens; returns the row to list it by, None for none."""
    opened = (vectors.c.corpus_id == corpus_id, vectors.c.kind == kind, vectors.c.since == number)
    model = ledger.value(select(vectors.c.model).where(*opened))
    if model is None:
        return None
    query = select(vectors.c.id, vectors.c.text_hash).where(*opened).order_by(vectors.c.id)
    return _write(ledger, corpus_id, model, kind, f"{kind}-{number:08d}", query) | {"since": number}


def listed_segments(ledger: Ledger, corpus_id: int, model: str = "", kind: str = "") -> Sequence[Row[Any]]:
    """The ledger's rows about segments, of a model and kind if one is given, oldest first."""
    query = select(segments).where(segments.c.corpus_id == corpus_id).order_by(segments.c.id)
    if kind:
        query = query.where(segments.c.model == model, segments.c.kind == kind)
    return ledger.rows(query)


def segment_state(ledger: Ledger, row: Row[Any]) -> SegmentState:
    """Whether the segment of a row is what the ledger says."""
    return vector_index(ledger).state(row.corpus_id, row.file, row.checksum)


def merge_segments(ledger: Ledger, lease: RunLease, model: str, kind: str) -> None:
    """Replace all segments of a kind by one that holds what the ledger still lists, or by none when that is nothing; it
    is made of the stored embeddings, whether they are sound or not.

    A view that has opened the old ones keeps them until it closes.
    """
    with ledger.publishing(lambda connection: check_fence(connection, lease)):
        old = listed_segments(ledger, lease.corpus_id, model, kind)
        made = write_listed(ledger, lease.corpus_id, model, kind)
        with ledger.write() as connection:
            check_fence(connection, lease)
            connection.execute(delete(segments).where(segments.c.id.in_([row.id for row in old])))
            if made is not None:
                connection.execute(insert(segments).values(**made, since=min((row.since for row in old), default=0)))
        vector_index(ledger).remove(lease.corpus_id, [row.file for row in old])


def write_listed(ledger: Ledger, corpus_id: int, model: str, kind: str) -> dict[str, Any] | None:
    """Write one segment of all vectors of a kind that the ledger lists, from the stored embeddings, under a new name:
    readers may be opening others. Returns what its row says, but for ``since``; None where there are none."""
    query = _rows_of(corpus_id, model, kind)
    if ledger.value(query) is None:
        return None
    return _write(ledger, corpus_id, model, kind, f"{kind}-merged-{uuid.uuid4().hex[:12]}", query)


def holds_strangers(ledger: Ledger, row: Row[Any]) -> bool:
    """Whether a segment holds a vector that no row of the ledger lists any more, or is not what the ledger says."""
    if segment_state(ledger, row) != "sound":
        return True
    listed = _ids(ledger, _rows_of(row.corpus_id, row.model, row.kind))
    return not np.isin(vector_index(ledger).ids(row.corpus_id, row.file), listed).all()


def remove_unlisted(ledger: Ledger, corpus_id: int) -> None:
    """Remove what is stored of a corpus and no row lists: what killed publishes and merges have left."""
    index = vector_index(ledger)
    index.remove(corpus_id, index.names(corpus_id) - {row.file for row in listed_segments(ledger, corpus_id)})


def listed_ids(ledger: Ledger, corpus_id: int, model: str, kind: str) -> Ids:
    """Ids of the vectors of a kind that any epoch shows, ascending."""
    return _ids(ledger, _rows_of(corpus_id, model, kind))


def _rows_of(corpus_id: int, model: str, kind: str) -> Select[tuple[int, str]]:
    """The vector rows of a kind that belong to an epoch that was flipped."""
    newest = select(corpora.c.newest).where(corpora.c.id == corpus_id).scalar_subquery()
    return _of_kind(corpus_id, model, kind).where(vectors.c.since <= newest)


def _of_kind(corpus_id: int, model: str, kind: str) -> Select[tuple[int, str]]:
    mine = (vectors.c.corpus_id == corpus_id, vectors.c.kind == kind, vectors.c.model == model)
    return select(vectors.c.id, vectors.c.text_hash).where(*mine).order_by(vectors.c.id)


def _write(
    ledger: Ledger, corpus_id: int, model: str, kind: str, name: str, query: Select[tuple[int, str]]
) -> dict[str, Any]:
    """Write a segment of the stored embeddings of a query's rows; returns what its row says, but for ``since``."""
    rows = ledger.rows(query)
    said = f"vector segment {name} of corpus {corpus_id} cannot be written: {{}} embeddings"
    matrix = _embeddings_of(ledger, corpus_id, model, [row.text_hash for row in rows], said)
    checksum = vector_index(ledger).write(corpus_id, name, np.array([row.id for row in rows], dtype=np.int64), matrix)
    return {"corpus_id": corpus_id, "model": model, "kind": kind, "file": name, "checksum": checksum}


def _embeddings_of(reads: Reads, corpus_id: int, model: str, hashes: Sequence[str], said: str) -> Vectors:
    """The stored embeddings of these text hashes, shape (n, d); ``said`` begins the message where one is gone."""
    found = load_embeddings(reads, corpus_id, model, hashes)
    gone = sum(value not in found for value in hashes)
    if gone:
        lost = said.format(f"{gone} of {len(hashes)}")
        raise SegmentError(f"{lost} are gone; run `clausegraph ingest SOURCE --force`")
    return np.stack([found[value] for value in hashes])


log = logging.getLogger(__name__)

_TRIES = 5  # merges that may come while segments are opened


def open_segments(
    ledger: Ledger, reads: Reads, corpus_id: int, epoch: int, model: str, kind: str
) -> list[VisibleVectors]:
    """Open and check the vectors of a kind that an epoch shows: each of them is in exactly one of what is returned.
    ``reads`` of the ledger fail when the epoch is gone."""
    index = vector_index(ledger)
    if isinstance(index, EpochIndex):
        return [index.open_epoch(reads, corpus_id, epoch, model, kind)]
    visible = visible_ids(reads, corpus_id, epoch, model, kind)
    for _ in range(_TRIES):
        rows = listed_segments(ledger, corpus_id, model, kind)
        opened, lost = _open_listed(ledger, [row for row in rows if row.since <= epoch], visible)
        if not lost.size:
            return opened
        if listed_segments(ledger, corpus_id, model, kind) == rows:
            break
    damaged = ", ".join(f"{row.file} ({state})" for row in rows if (state := segment_state(ledger, row)) != "sound")
    log.warning(
        "%d vectors of kind %s are in no sound segment (%s): they are read from the ledger, which takes longer; "
        "`clausegraph audit --repair` writes the segments again",
        lost.size, kind, damaged or "none is damaged",
    )  # fmt: skip
    return [*opened, _from_ledger(reads, corpus_id, model, lost)]


def visible_ids(reads: Reads, corpus_id: int, epoch: int, model: str, kind: str) -> Ids:
    """Ids of the vectors of a kind that are visible at an epoch, ascending."""
    return _ids(reads, _of_kind(corpus_id, model, kind).where(seen_at(vectors, epoch)))


def _ids(reads: Reads, query: Select[tuple[int, str]]) -> Ids:
    with reads.read() as connection:  # as they come: there may be a million
        return np.fromiter(connection.execute(query.with_only_columns(vectors.c.id)).scalars(), dtype=np.int64)


def _open_listed(ledger: Ledger, rows: Sequence[Row[Any]], visible: Ids) -> tuple[list[VisibleVectors], Ids]:
    """The sound ones among the segments, each with what no earlier one has; and the ids that none of them has."""
    index = vector_index(ledger)
    opened: list[VisibleVectors] = []
    for row in rows:
        if segment_state(ledger, row) != "sound":
            continue
        try:
            found = index.open(row.corpus_id, row.file, visible)
        except SegmentError:  # removed since it was looked at
            continue
        opened.append(found)
        visible = np.setdiff1d(visible, found.ids, assume_unique=True)
    return opened, visible


def _from_ledger(reads: Reads, corpus_id: int, model: str, ids: Ids) -> MemoryVectors:
    query = select(vectors.c.id, vectors.c.text_hash)
    hashes = {row.id: row.text_hash for row in reads.rows_of(query, vectors.c.id, ids.tolist())}
    said = f"a vector segment of corpus {corpus_id} is damaged, and {{}} embeddings to read in its place"
    return MemoryVectors(ids, _embeddings_of(reads, corpus_id, model, [hashes[one] for one in ids.tolist()], said))
