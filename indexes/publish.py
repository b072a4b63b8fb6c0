"""Publishing: a plan frozen in the ledger, a vector segment, and one transaction that flips the epoch.

The plan of epoch N = newest + 1 is its rows themselves: rows to open carry ``since = N``, rows to close
``until = N``. Readers are pinned below N, so nothing shows before the flip; the flip only moves the corpus'
numbers. A publish that was killed is finished from these rows, or they are taken back.
"""

from __future__ import annotations

import time

from sqlalchemy import Connection, delete, insert, select, update

from clausegraph.core.errors import SegmentError
from clausegraph.core.hashing import canonical_json
from clausegraph.core.language.normalise import tokens
from clausegraph.core.types import LITERAL
from clausegraph.indexes.graph.projections import NO_PROJECTIONS, Projections
from clausegraph.indexes.ledger.dialect import insert_new
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.readers import prepare_epoch
from clausegraph.indexes.ledger.schema import (
    OPEN,
    VERSIONED,
    corpora,
    entity_names,
    entity_tokens,
    epochs,
    segments,
    supports,
)
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.plan import PublishPlan
from clausegraph.indexes.truth import batches
from clausegraph.indexes.vectors.segments import write_new_segment


def freeze(ledger: Ledger, lease: RunLease, plan: PublishPlan) -> int:
    """Write the plan as rows of the next epoch, in one transaction; returns its number."""
    with ledger.read() as connection:  # nobody else publishes while we have the lease
        newest = connection.execute(select(corpora.c.newest).where(corpora.c.id == plan.corpus_id)).scalar_one()
    number = int(newest) + 1
    prepare_epoch(ledger, plan.corpus_id, number)
    with ledger.write() as connection:
        check_fence(connection, lease)
        values = {"corpus_id": plan.corpus_id, "number": number, "state": "frozen", "model": plan.model}
        summary = canonical_json(plan.counts())
        connection.execute(insert(epochs).values(**values, run_id=lease.run_id, created=time.time(), summary=summary))
        for table, ids in plan.closed.items():
            for part in batches(ids):
                connection.execute(update(table).where(table.c.id.in_(part)).values(until=number))
        for table, rows in plan.opened.items():
            if rows:
                connection.execute(insert(table), [row | {"since": number, "until": OPEN} for row in rows])
        _index_names(connection, plan)
    return number


def _index_names(connection: Connection, plan: PublishPlan) -> None:
    """Tokens of the names that this plan brings; what is visible follows from the supports and the map of names."""
    names = {row["subject"] for row in plan.opened.get(supports, [])}
    names |= {row["object"] for row in plan.opened.get(supports, []) if not row["object"].startswith(LITERAL)}
    names |= {row["name"] for row in plan.opened.get(entity_names, [])}
    rows = [
        {"corpus_id": plan.corpus_id, "token": token, "entity": name}
        for name in sorted(names)
        for token in sorted(set(tokens(name)))
    ]
    if rows:
        connection.execute(insert_new(entity_tokens), rows)


def finish(ledger: Ledger, lease: RunLease, number: int, projections: Projections = NO_PROJECTIONS) -> None:
    """Write the segment of a frozen epoch, then what is taken along, and flip it: the only moment at which readers
    see a change.

    Raises:
        SegmentError: an embedding that the plan needs is missing; the plan can then only be abandoned.
        StoreError: a required projection lacks the epoch, which stays frozen: the next run finishes it.
    """
    made = [write_new_segment(ledger, lease.corpus_id, number, kind) for kind in ("chunk", "element", "fact")]
    projections.prepare(lease.corpus_id, number)
    mine = (epochs.c.corpus_id == lease.corpus_id, epochs.c.number == number)
    with ledger.write() as connection:
        check_fence(connection, lease)
        rows = [row for row in made if row is not None]
        if rows:
            connection.execute(insert(segments), rows)
        connection.execute(update(epochs).where(*mine).values(state="flipped", created=time.time()))
        corpus = update(corpora).where(corpora.c.id == lease.corpus_id)
        connection.execute(corpus.values(newest=number, published=number))
    projections.published(lease.corpus_id)


def recover(ledger: Ledger, lease: RunLease, projections: Projections = NO_PROJECTIONS) -> str | None:
    """Finish or take back what a killed publish left; says which, or None when there was nothing.

    Raises:
        StoreError: a required projection lacks the epoch, which stays frozen.
    """
    with ledger.read() as connection:
        query = select(epochs.c.number).where(epochs.c.corpus_id == lease.corpus_id, epochs.c.state == "frozen")
        number = connection.execute(query).scalar()
    if number is None:
        return None
    try:
        finish(ledger, lease, number, projections)
    except SegmentError:
        abandon(ledger, lease, number, projections)
        return f"abandoned epoch {number}"
    return f"finished epoch {number}"


def abandon(ledger: Ledger, lease: RunLease, number: int, projections: Projections = NO_PROJECTIONS) -> None:
    """Take a frozen epoch back: its rows go, the rows it would have closed stay open."""
    with ledger.write() as connection:
        check_fence(connection, lease)
        for table in VERSIONED:
            mine = table.c.corpus_id == lease.corpus_id
            connection.execute(delete(table).where(mine, table.c.since == number))
            connection.execute(update(table).where(mine, table.c.until == number).values(until=OPEN))
        connection.execute(delete(epochs).where(epochs.c.corpus_id == lease.corpus_id, epochs.c.number == number))
    projections.abandoned(lease.corpus_id, number)
