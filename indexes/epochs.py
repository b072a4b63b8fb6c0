"""Epochs of a corpus: listing them, and moving readers back to an older one."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from clausegraph.core.errors import NotFoundError
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.ledger.decoding import COUNTS, decode_json
from clausegraph.indexes.ledger.schema import FLIPPED, corpora, epochs
from clausegraph.indexes.ledger.store import Ledger


@dataclass(frozen=True, slots=True)
class EpochRow:
    """A published state: its number, the model of its vectors, its run, when it was flipped, what it changed."""

    number: int
    model: str
    run_id: str
    created: float
    summary: dict[str, dict[str, int]]


def list_epochs(ledger: Ledger, corpus_id: int) -> list[EpochRow]:
    """The retained epochs, newest first; a frozen one is not an epoch yet."""
    query = (
        select(epochs)
        .where(epochs.c.corpus_id == corpus_id, epochs.c.state == FLIPPED)
        .order_by(epochs.c.number.desc())
    )
    with ledger.read() as connection:
        rows = connection.execute(query).all()
    return [
        EpochRow(r.number, r.model, r.run_id, r.created, decode_json(epochs.c.summary, r.number, r.summary, COUNTS))
        for r in rows
    ]


def find_epoch(connection: Connection, corpus: CorpusRow, number: int) -> str:
    """The model of a retained epoch.

    Raises:
        NotFoundError: never published or already vacuumed; the message gives the range there is.
    """
    mine = (epochs.c.corpus_id == corpus.id, epochs.c.state == FLIPPED)
    query = select(epochs.c.number, epochs.c.model).where(*mine)
    rows = {row.number: row.model for row in connection.execute(query)}
    if number not in rows:
        there = f"{min(rows)} to {max(rows)}" if rows else "none: nothing was published yet"
        raise NotFoundError(f"corpus {corpus.name!r} has no epoch {number} (there are: {there})")
    return str(rows[number])


def rollback(ledger: Ledger, corpus: CorpusRow, number: int) -> None:
    """Let readers see epoch ``number`` again; history stays, and the next publish goes on from the newest.

    Raises:
        NotFoundError: no such epoch.
    """
    with ledger.write() as connection:
        find_epoch(connection, corpus, number)
        connection.execute(update(corpora).where(corpora.c.id == corpus.id).values(published=number))


def get_published(connection: Connection, corpus: CorpusRow) -> int:
    """The epoch that readers get.

    Raises:
        NotFoundError: nothing was published yet.
    """
    number = connection.execute(select(corpora.c.published).where(corpora.c.id == corpus.id)).scalar()
    if not number:  # no row: the corpus was dropped a moment ago
        raise NotFoundError(
            f"corpus {corpus.name!r} has no published epoch yet; run `clausegraph "
            f"ingest SOURCE --corpus {shlex.quote(corpus.name)}`"
        )
    return int(number)
