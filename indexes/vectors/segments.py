"""The vector segments of an epoch: opened, checked, rebuilt from the ledger when damaged, and merged."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row, Select, delete, insert, select, update

from clausegraph.core.errors import SegmentError
from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.files import checksum, file_errors
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.schema import corpora, segments, vectors
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import load_embeddings
from clausegraph.indexes.vectors.faiss import Ids, Segment, write_segment

log = logging.getLogger(__name__)


class LivingSegment:
    """A segment and the mask of its entries that are visible at one epoch."""

    def __init__(self, segment: Segment, living: NDArray[np.bool_]) -> None:
        self._segment = segment
        self._living = living

    def search(self, vector: Vectors, limit: int) -> tuple[Ids, Vectors]:
        """Ids and inner products of the best visible entries, best first."""
        return self._segment.search(vector, limit, self._living)

    def everything(self) -> tuple[Ids, Vectors]:
        """All visible entries: ids (n,) and vectors (n, d)."""
        positions = np.flatnonzero(self._living)
        return self._segment.ids[positions], self._segment.vectors(positions.tolist())


def open_segments(ledger: Ledger, corpus_id: int, epoch: int, model: str, kind: str) -> list[LivingSegment]:
    """Open and check the segments that an epoch lists for a kind.

    Raises:
        SegmentError: a file is damaged and the embeddings to rebuild it are gone.
    """
    alive = visible_ids(ledger, corpus_id, epoch, model, kind)
    opened = []
    for row in listed_segments(ledger, corpus_id, model, kind):
        if row.since <= epoch:
            segment = Segment(_sound_file(ledger, row))
            opened.append(LivingSegment(segment, np.isin(segment.ids, alive, assume_unique=True)))
    return opened


def visible_ids(ledger: Ledger, corpus_id: int, epoch: int, model: str, kind: str) -> Ids:
    """Ids of the vectors of a kind that are visible at an epoch, ascending."""
    query = (
        select(vectors.c.id)
        .where(vectors.c.corpus_id == corpus_id, vectors.c.kind == kind, vectors.c.model == model)
        .where(vectors.c.since <= epoch, vectors.c.until > epoch)
        .order_by(vectors.c.id)
    )
    with ledger.read() as connection:
        return np.fromiter(connection.execute(query).scalars(), dtype=np.int64)


def listed_segments(
    ledger: Ledger, corpus_id: int, model: str | None = None, kind: str | None = None
) -> Sequence[Row[Any]]:
    """The ledger's rows about segments, oldest first."""
    query = select(segments).where(segments.c.corpus_id == corpus_id).order_by(segments.c.id)
    if model is not None:
        query = query.where(segments.c.model == model)
    if kind is not None:
        query = query.where(segments.c.kind == kind)
    with ledger.read() as connection:
        return connection.execute(query).all()


def segment_state(ledger: Ledger, row: Row[Any]) -> str:
    """ "sound", "missing" or "corrupt"."""
    found = checksum(ledger.segment_folder(row.corpus_id) / row.file)
    if found is None:
        return "missing"
    return "sound" if found == row.checksum else "corrupt"


def _sound_file(ledger: Ledger, row: Row[Any]) -> Path:
    """Path of the segment, rebuilt first when it is missing or does not match its checksum."""
    path: Path = ledger.segment_folder(row.corpus_id) / row.file
    state = segment_state(ledger, row)
    if state != "sound":
        log.warning("segment %s is %s; rebuilding it from the ledger", path.name, state)
        rebuild_segment(ledger, row)
    return path


def rebuild_segment(ledger: Ledger, row: Row[Any]) -> None:
    """Write a segment again from the stored embeddings of the vectors it should hold.

    Raises:
        SegmentError: an embedding is gone.
    """
    siblings = [other.since for other in listed_segments(ledger, row.corpus_id, row.model, row.kind)]
    query = _rows_of(row.corpus_id, row.model, row.kind)
    if min(siblings) < row.since:
        query = query.where(vectors.c.since >= row.since)
    if max(siblings) > row.since:
        query = query.where(vectors.c.since < min(since for since in siblings if since > row.since))
    ids, matrix = _gather(ledger, row.corpus_id, row.model, query)
    digest = write_segment(ledger.segment_folder(row.corpus_id) / row.file, ids, matrix)
    with ledger.write() as connection:
        connection.execute(update(segments).where(segments.c.id == row.id).values(checksum=digest))


def merge_segments(ledger: Ledger, lease: RunLease, model: str, kind: str) -> int:
    """Replace all segments of a kind by one that holds what the ledger still lists; returns its entries.

    A view that has the old files mapped keeps them until it closes.
    """
    old = listed_segments(ledger, lease.corpus_id, model, kind)
    ids, matrix = _gather(ledger, lease.corpus_id, model, _rows_of(lease.corpus_id, model, kind))
    folder = ledger.segment_folder(lease.corpus_id)
    name = f"{kind}-merged-{uuid.uuid4().hex[:12]}.faiss"
    values = {"corpus_id": lease.corpus_id, "model": model, "kind": kind, "file": name}
    if ids.size:
        values |= {"checksum": write_segment(folder / name, ids, matrix), "since": min(row.since for row in old)}
    with ledger.write() as connection:
        check_fence(connection, lease)
        connection.execute(delete(segments).where(segments.c.id.in_([row.id for row in old])))
        if ids.size:
            connection.execute(insert(segments).values(**values))
    for row in old:
        with file_errors(folder):
            (folder / row.file).unlink(missing_ok=True)
    return int(ids.size)


def _rows_of(corpus_id: int, model: str, kind: str) -> Select[tuple[int, str]]:
    """The vector rows of a kind that belong to an epoch that was flipped."""
    newest = select(corpora.c.newest).where(corpora.c.id == corpus_id).scalar_subquery()
    return (
        select(vectors.c.id, vectors.c.text_hash)
        .where(vectors.c.corpus_id == corpus_id, vectors.c.kind == kind, vectors.c.model == model)
        .where(vectors.c.since <= newest)
        .order_by(vectors.c.id)
    )


def _gather(ledger: Ledger, corpus_id: int, model: str, query: Select[tuple[int, str]]) -> tuple[Ids, Vectors]:
    """Ids and stored embeddings of the rows of a query.

    Raises:
        SegmentError: an embedding is gone.
    """
    with ledger.read() as connection:
        rows = connection.execute(query).all()
        found = load_embeddings(connection, corpus_id, model, [row.text_hash for row in rows])
    lost = sum(row.text_hash not in found for row in rows)
    if lost:
        raise SegmentError(
            f"a vector segment of corpus {corpus_id} cannot be rebuilt: {lost} of {len(rows)} embeddings are gone; "
            "run `clausegraph ingest SOURCE --force`"
        )
    ids = np.array([row.id for row in rows], dtype=np.int64)
    matrix = np.stack([found[row.text_hash] for row in rows]) if rows else np.empty((0, 0), np.float32)
    return ids, matrix
