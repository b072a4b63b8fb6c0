"""The vectors that an epoch shows, as a reader opens them: it writes nothing, whatever it finds.

A segment that the ledger lists may be gone a moment later, when a vacuum has merged it: then the ledger is asked again.
What is really missing or damaged is read from the stored embeddings, into memory, until a writer mends it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Row, select

from clausegraph.core.errors import SegmentError
from clausegraph.indexes.ledger.schema import seen_at, vectors
from clausegraph.indexes.ledger.store import Ledger, Reads
from clausegraph.indexes.truth import batches, load_embeddings
from clausegraph.indexes.vectors.memory import MemoryVectors
from clausegraph.indexes.vectors.protocol import Ids, VisibleVectors
from clausegraph.indexes.vectors.segments import listed_segments, segment_state, vector_index

log = logging.getLogger(__name__)

_TRIES = 5  # merges that may come while segments are opened


def open_segments(
    ledger: Ledger, reads: Reads, corpus_id: int, epoch: int, model: str, kind: str
) -> list[VisibleVectors]:
    """Open and check the vectors of a kind that an epoch shows: each of them is in exactly one of what is returned.

    Args:
        reads: of the ledger, which fail when the epoch is gone.

    Raises:
        SegmentError: one is damaged and the embeddings to read in its place are gone.
        ViewExpired: the epoch is gone.
    """
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
        "`clausegraph doctor --repair` writes the segments again",
        lost.size, kind, damaged or "none is damaged",
    )  # fmt: skip
    return [*opened, _from_ledger(reads, corpus_id, model, lost)]


def visible_ids(reads: Reads, corpus_id: int, epoch: int, model: str, kind: str) -> Ids:
    """Ids of the vectors of a kind that are visible at an epoch, ascending."""
    query = (
        select(vectors.c.id)
        .where(vectors.c.corpus_id == corpus_id, vectors.c.kind == kind, vectors.c.model == model)
        .where(seen_at(vectors, epoch))
        .order_by(vectors.c.id)
    )
    with reads.read() as connection:
        return np.fromiter(connection.execute(query).scalars(), dtype=np.int64)


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
    hashes: dict[int, str] = {}
    with reads.read() as connection:
        for part in batches(ids.tolist()):
            query = select(vectors.c.id, vectors.c.text_hash).where(vectors.c.id.in_(part))
            hashes |= {row.id: row.text_hash for row in connection.execute(query)}
        found = load_embeddings(connection, corpus_id, model, list(hashes.values()))
    gone = sum(value not in found for value in hashes.values())
    if gone:
        raise SegmentError(
            f"a vector segment of corpus {corpus_id} is damaged, and {gone} of {len(hashes)} embeddings to read in its "
            "place are gone; run `clausegraph ingest SOURCE --force`"
        )
    return MemoryVectors(ids, np.stack([found[hashes[one]] for one in ids.tolist()]))
