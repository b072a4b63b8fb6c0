"""Dropping a corpus: every row that belongs to it, whichever table it is in, and every file."""

from __future__ import annotations

import shutil
import time

from sqlalchemy import ColumnElement, Connection, MetaData, Table, delete, or_, select

from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.files import file_errors
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.schema import corpora, metadata
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.vectors.segments import vector_index


def drop_corpus(ledger: Ledger, name: str) -> None:
    """Remove a corpus with everything it has in the ledger and on disk.

    Raises:
        NotFoundError: no such corpus.
        LeaseHeldError: a run is writing to it.
    """
    corpus = get_corpus(ledger, name)
    with run_lease(ledger, corpus.id, f"drop-{int(time.time())}"), ledger.write() as connection:
        delete_rows(connection, metadata, corpus.id)
    vector_index(ledger).drop(corpus.id)
    cached = ledger.cache_folder(corpus.id)
    with file_errors(cached):
        if cached.exists():
            shutil.rmtree(cached)
    ledger.compact()


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
