"""The vector segments of a corpus: written by a publish, rebuilt when damaged, merged, opened by readers.

The ledger lists them; ``vector_index`` chooses where they are stored. A segment has at most ``SEGMENT_ROWS`` vectors,
so that writing and merging take as much memory however many there are. A segment that is listed may be gone a moment
later, when a vacuum has merged it: then a reader asks the ledger again. What is really missing or damaged it reads from
the stored embeddings, into memory, until a writer mends it. Readers write nothing.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Collection, Sequence
from contextlib import suppress
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


SEGMENT_ROWS = 50_000
Rows = list[dict[str, Any]]  # that list segments


def write_new_segments(ledger: Ledger, corpus_id: int, number: int, kind: str) -> Rows:
    """Write the vectors of a kind that epoch ``number`` opens; returns the rows to list them by."""
    opened = (vectors.c.corpus_id == corpus_id, vectors.c.kind == kind, vectors.c.since == number)
    model = ledger.value(select(vectors.c.model).where(*opened))
    if model is None:
        return []
    ids = _ids(ledger, select(vectors.c.id, vectors.c.text_hash).where(*opened).order_by(vectors.c.id))
    made = _write(ledger, corpus_id, model, kind, f"{kind}-{number:08d}", ids)
    return [row | {"since": number} for row in made]


def listed_segments(ledger: Ledger, corpus_id: int, model: str = "", kind: str = "") -> Sequence[Row[Any]]:
    """The ledger's rows about segments, of a model and kind if one is given, oldest first."""
    query = select(segments).where(segments.c.corpus_id == corpus_id).order_by(segments.c.id)
    if kind:
        query = query.where(segments.c.model == model, segments.c.kind == kind)
    return ledger.rows(query)


def segment_state(ledger: Ledger, row: Row[Any]) -> SegmentState:
    """Whether the segment of a row is what the ledger says."""
    return vector_index(ledger).state(row.corpus_id, row.file, row.checksum)


def merge_segments(ledger: Ledger, lease: RunLease, model: str, kind: str, keep: Collection[str] = ()) -> None:
    """Replace all segments of a kind but those to ``keep`` (files) by as few as hold what else the ledger still lists;
    they are made of the stored embeddings, whether the old ones are sound or not.

    A view that has opened the old ones keeps them until it closes.
    """
    with ledger.publishing(lambda connection: check_fence(connection, lease)):
        rows = listed_segments(ledger, lease.corpus_id, model, kind)
        old = [row for row in rows if row.file not in keep]
        index = vector_index(ledger)
        kept = [index.ids(lease.corpus_id, row.file) for row in rows if row.file in keep]
        made = write_listed(ledger, lease.corpus_id, model, kind, kept)
        since = min((row.since for row in old), default=0)
        with ledger.write() as connection:
            check_fence(connection, lease)
            connection.execute(delete(segments).where(segments.c.id.in_([row.id for row in old])))
            if made:
                connection.execute(insert(segments), [row | {"since": since} for row in made])
        index.remove(lease.corpus_id, [row.file for row in old])


def write_listed(ledger: Ledger, corpus_id: int, model: str, kind: str, kept: Sequence[Ids] = ()) -> Rows:
    """Write segments of all vectors of a kind that the ledger lists, but for those that are kept, from the stored
    embeddings, under new names: readers may be opening others. Returns what their rows say, but for ``since``."""
    ids = listed_ids(ledger, corpus_id, model, kind)
    if kept:
        ids = np.setdiff1d(ids, np.concatenate(kept), assume_unique=True)
    return _write(ledger, corpus_id, model, kind, f"{kind}-merged-{uuid.uuid4().hex[:12]}", ids)


def is_large(ledger: Ledger, row: Row[Any]) -> bool:
    """Whether a segment is so large that merging it with others saves nothing."""
    return vector_index(ledger).ids(row.corpus_id, row.file).size > SEGMENT_ROWS // 2


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


def _write(ledger: Ledger, corpus_id: int, model: str, kind: str, name: str, ids: Ids) -> Rows:
    """Write segments of the stored embeddings of these vectors; returns what their rows say, but for ``since``."""
    made = []
    said = f"vector segment {name} of corpus {corpus_id} cannot be written: {{}} embeddings"
    for start in range(0, ids.size, SEGMENT_ROWS):
        part = ids[start : start + SEGMENT_ROWS]
        file = f"{name}-{start // SEGMENT_ROWS:03d}" if ids.size > SEGMENT_ROWS else name
        matrix = _embeddings_of(ledger, corpus_id, model, part, said)
        checksum = vector_index(ledger).write(corpus_id, file, part, matrix)
        made.append({"corpus_id": corpus_id, "model": model, "kind": kind, "file": file, "checksum": checksum})
    return made


def _embeddings_of(reads: Reads, corpus_id: int, model: str, ids: Ids, said: str) -> Vectors:
    """The stored embeddings of these vectors, shape (n, d); ``said`` begins the message where one is gone."""
    matrix: Vectors | None = None
    gone = 0
    for start in range(0, ids.size, _AT_ONCE):
        part = ids[start : start + _AT_ONCE].tolist()
        query = select(vectors.c.id, vectors.c.text_hash)
        hashes = {row.id: row.text_hash for row in reads.rows_of(query, vectors.c.id, part)}
        found = load_embeddings(reads, corpus_id, model, list(hashes.values()))
        for place, one in enumerate(part, start):
            vector = found.get(hashes.get(one, ""))
            if vector is None:
                gone += 1
                continue
            if matrix is None:
                matrix = np.empty((ids.size, vector.size), dtype=np.float32)
            matrix[place] = vector
    if gone or matrix is None:
        lost = said.format(f"{gone} of {ids.size}")
        raise SegmentError(f"{lost} are gone; run `clausegraph ingest SOURCE --force`")
    return matrix


log = logging.getLogger(__name__)

_AT_ONCE = 5_000  # embeddings read
_TRIES = 5  # merges that may come while segments are opened


def open_segments(
    ledger: Ledger, reads: Reads, corpus_id: int, epoch: int, model: str, kind: str, *, compared: bool = False
) -> list[VisibleVectors]:
    """Open the vectors of a kind that an epoch shows: each of them is in exactly one of what is returned. ``reads`` of
    the ledger fail when the epoch is gone.

    It takes what changed in the retained epochs, not what there is: a vector of a segment is shown unless its row has
    ended or is of a later epoch. So one whose row a vacuum has removed, which was killed before it came to the segment,
    is shown too, unless all are ``compared`` with the rows.
    """
    index = vector_index(ledger)
    if isinstance(index, EpochIndex):
        return [index.open_epoch(reads, corpus_id, epoch, model, kind)]
    for _ in range(_TRIES):
        rows = listed_segments(ledger, corpus_id, model, kind)
        shown = [row for row in rows if row.since <= epoch]
        opened = [] if compared else _open_listed(index, shown, _hidden_ids(reads, corpus_id, epoch, kind))
        if not compared and len(opened) == len(shown):
            return opened
        if listed_segments(ledger, corpus_id, model, kind) == rows:
            break
    return _open_compared(ledger, reads, corpus_id, epoch, model, kind)


def _open_listed(index: VectorIndex, rows: Sequence[Row[Any]], hidden: Ids) -> list[VisibleVectors]:
    """The sound ones among the segments, the largest first, as the first is searched most thoroughly; one may have been
    removed since it was listed."""
    opened: list[VisibleVectors] = []
    for row in rows:
        with suppress(SegmentError):
            opened.append(index.open(row.corpus_id, row.file, hidden, row.checksum))
    return sorted(opened, key=lambda one: -len(one.ids))


def _open_compared(
    ledger: Ledger, reads: Reads, corpus_id: int, epoch: int, model: str, kind: str
) -> list[VisibleVectors]:
    """The vectors that the ledger's rows list: of each sound segment what no earlier one has, the others from the
    ledger."""
    index = vector_index(ledger)
    lost = _ids(reads, _of_kind(corpus_id, model, kind).where(seen_at(vectors, epoch)))
    opened: list[VisibleVectors] = []
    rows = listed_segments(ledger, corpus_id, model, kind)
    for row in rows:
        with suppress(SegmentError):
            hidden = np.setdiff1d(index.ids(row.corpus_id, row.file), lost, assume_unique=True)
            opened.append(index.open(row.corpus_id, row.file, hidden, row.checksum))
            lost = np.setdiff1d(lost, opened[-1].ids, assume_unique=True)
    if not lost.size:
        return opened
    damaged = ", ".join(f"{row.file} ({state})" for row in rows if (state := segment_state(ledger, row)) != "sound")
    log.warning(
        "%d vectors of kind %s are in no sound segment (%s): they are read from the ledger, which takes longer; "
        "`clausegraph audit --repair` writes the segments again",
        lost.size, kind, damaged or "none is damaged",
    )  # fmt: skip
    said = f"a vector segment of corpus {corpus_id} is damaged, and {{}} embeddings to read in its place"
    return [*opened, MemoryVectors(lost, _embeddings_of(reads, corpus_id, model, lost, said))]


def _hidden_ids(reads: Reads, corpus_id: int, epoch: int, kind: str) -> Ids:
    """Ids of the vectors of a kind that an epoch does not show, though their rows are there."""
    of_kind = (vectors.c.corpus_id == corpus_id, vectors.c.kind == kind)
    mine = select(vectors.c.id, vectors.c.text_hash)
    # each by its own index: what has ended by that on until, what is later by that on since
    ended = mine.where(vectors.c.corpus_id == corpus_id, vectors.c.kind.concat("") == kind, vectors.c.until <= epoch)
    return np.concatenate([_ids(reads, ended), _ids(reads, mine.where(*of_kind, vectors.c.since > epoch))])


def _ids(reads: Reads, query: Select[tuple[int, str]]) -> Ids:
    with reads.read() as connection:  # as they come: there may be a million
        return np.fromiter(connection.execute(query.with_only_columns(vectors.c.id)).scalars(), dtype=np.int64)
