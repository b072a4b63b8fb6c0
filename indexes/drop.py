"""Dropping a corpus: every row that belongs to it, whichever table it is in, and every file."""

from __future__ import annotations

import time

from sqlalchemy import ColumnElement, Connection, MetaData, Table, delete, or_, select

from clausegraph.core.errors import NotFoundError
from clausegraph.indexes.corpora import CorpusRow, get_corpus
from clausegraph.indexes.epochs import list_epochs
from clausegraph.indexes.ledger.dialect import promise_removal
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.readers import held, users_of_epoch
from clausegraph.indexes.ledger.schema import corpora, metadata
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.scrub import in_words
from clausegraph.indexes.sweep import sweep, was_promised


def find_corpus(ledger: Ledger, name: str) -> CorpusRow:
    """The corpus that is to be dropped, given as an argument. Where there is none, what killed drops left is removed.

    Raises:
        NotFoundError: no such corpus, or none any more; the message says what of dropped ones could not be removed.
    """
    try:
        return get_corpus(ledger, name, option="")
    except NotFoundError as error:
        remains = sweep(ledger) if was_promised(ledger) else []
        if not remains:
            raise
        raise NotFoundError(f"{error}; of what was dropped before remains: {'; '.join(remains)}") from error


def drop_corpus(ledger: Ledger, name: str) -> list[str]:
    """Remove a corpus with everything it has in the ledger and on disk; returns what remains and why, in words.

    Its rows go in one transaction; a drop that was killed after it is finished by the next one, by a vacuum or a run.

    Raises:
        NotFoundError: as ``find_corpus``.
        LeaseHeldError: a run is writing to it.
    """
    corpus = find_corpus(ledger, name)
    numbers = [epoch.number for epoch in list_epochs(ledger, corpus.id)]
    with run_lease(ledger, corpus.id, f"drop-{int(time.time())}"), ledger.write() as connection:
        promise_removal(connection)
        delete_rows(connection, metadata, corpus.id)
    readers = [_still_reading(ledger, corpus, number) for number in sorted(held(ledger, corpus.id, numbers))]
    return readers + sweep(ledger)


def _still_reading(ledger: Ledger, corpus: CorpusRow, number: int) -> str:
    users = in_words(users_of_epoch(ledger, corpus.id, number))
    return f"what {users} has read of epoch {number} of corpus {corpus.name!r}; wait for it or stop it"


def delete_rows(connection: Connection, tables: MetaData, corpus_id: int) -> None:
    """Delete the corpus and every row that belongs to it, those that refer to others first."""
    for table in reversed(tables.sorted_tables):
        condition = belonging(table, corpus_id)
        if condition is not None:
            connection.execute(delete(table).where(condition))


def belonging(table: Table, corpus_id: int) -> ColumnElement[bool] | None:
    """Which rows of a table belong to a corpus, as its foreign keys say; None where no row belongs to any.

    A key that names the corpus says it; without one, a row belongs where one of those that it refers to does.
    """
    if table.name == corpora.name:
        return table.c.id == corpus_id
    keys = [key for key in table.foreign_keys if key.column.table is not table]
    named = [key.parent == corpus_id for key in keys if key.column.table.name == corpora.name]
    if named:
        return or_(*named)
    reached = [
        key.parent.in_(select(key.column).where(condition))
        for key in keys
        if (condition := belonging(key.column.table, corpus_id)) is not None
    ]
    return or_(*reached) if reached else None
