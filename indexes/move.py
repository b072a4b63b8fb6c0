"""A corpus with all its epochs, copied from one ledger into another, whichever databases they are in.

Rows keep their order and get the ids that follow those of the target. It is one transaction of the target: one that is
killed leaves nothing there, but perhaps files of vectors, which the next vacuum removes. Before its end the numbers of
rows and the canonical dump of every epoch are compared with the source's. What lies beside a ledger stays where it is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select

from clausegraph.core.errors import InputError, LedgerError, StorageError
from clausegraph.indexes.corpora import CorpusRow, get_corpus, list_corpora, list_epochs
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.ledger.cells import CheckedType
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.schema import (
    corpora,
    kept_answers,
    metadata,
    postings,
    reader_leases,
    run_leases,
    run_pages,
    run_steps,
    segments,
    vectors,
    work_batches,
)
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.postings import gather_words
from clausegraph.indexes.publish import take_back
from clausegraph.indexes.vectors.segments import quicken_search, vector_index, write_listed
from clausegraph.indexes.views import open_view

_ROWS_AT_ONCE = 500
# Made anew, of a run alone, or beside a ledger in a file
_LEFT = {corpora, segments, postings, run_leases, reader_leases, run_steps, run_pages, work_batches, kept_answers}
_COPIED = [table for table in metadata.sorted_tables if "corpus_id" in table.c and table not in _LEFT]


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What was copied and compared: rows by table, and the epochs."""

    rows: dict[str, int]
    epochs: list[int]


def copy_corpus(source: Ledger, target: Ledger, name: str, *, in_use: bool = False) -> CopyReport:
    """Copy a corpus; the source stays as it is. What is in the target and not as in the source is taken away again.

    Args:
        in_use: copy the state that one reading transaction sees, whatever runs write meanwhile; for a database where
            a publish is one transaction, so that none is seen half.

    Raises:
        LeaseHeldError: a run is writing to the corpus, and it is not copied ``in_use``.
    """
    corpus = get_corpus(source, name)
    if corpus.name in {one.name for one in list_corpora(target)}:
        raise InputError(f"{target.place} has a corpus {corpus.name!r} already; drop it there first")
    if in_use:
        with target.as_one():
            return _copied(source, target, corpus)
    with run_lease(source, corpus.id, f"move-{int(time.time())}") as lease:
        if take_back(source, lease) is not None:
            raise LedgerError(f"a publish of corpus {corpus.name!r} was killed; `clausegraph ingest` finishes it")
        with target.as_one():
            report = _copied(source, target, corpus)
    quicken_search(target, get_corpus(target, corpus.name).id)
    return report


def _copied(source: Ledger, target: Ledger, corpus: CorpusRow) -> CopyReport:
    made = None
    try:
        with source.read() as reading, target.write() as writing:
            values = dict(reading.execute(select(corpora).where(corpora.c.id == corpus.id)).one()._mapping)
            del values["id"]
            made = int(writing.execute(insert(corpora).values(values).returning(corpora.c.id)).scalar_one())
            moved = {"corpora": made - corpus.id}
            for table in _COPIED:
                _copy(reading, writing, table, corpus.id, moved, target)
            rows = {table.name: _compared(reading, writing, table, corpus.id, made) for table in _COPIED}
            write_segments(target, writing, made)
            gather_words(target, made)
        numbers = [row.number for row in list_epochs(target, made)]
        kept = {row.number for row in list_epochs(source, corpus.id)}  # a vacuum may have removed some meanwhile
        for number in kept.intersection(numbers):
            if _dump(source, corpus.name, number) != _dump(target, corpus.name, number):
                raise StorageError(f"epoch {number} of corpus {corpus.name!r} is another in {target.place}")
    except BaseException:
        if made is not None:
            vector_index(target).drop(made)
        raise
    return CopyReport(rows, numbers)


def _copy(
    reading: Connection, writing: Connection, table: Table, corpus_id: int, moved: dict[str, int], target: Ledger
) -> None:
    """Copy the rows of a table, by ``moved``: what to add to the ids of each table."""
    has_numbers = "id" in table.c and isinstance(table.c.id.type, CheckedType) and table.c.id.type.holds(int)
    if has_numbers:
        moved[table.name] = target.database.last_id(writing, table)
    added = {column.name: moved[key.column.table.name] for column in table.c for key in column.foreign_keys}
    added |= {"id": moved[table.name]} if has_numbers else {}
    for part in _rows(reading, table, corpus_id):
        writing.execute(
            insert(table),
            [row | {name: row[name] + more for name, more in added.items() if row[name] is not None} for row in part],
        )
    if has_numbers:
        target.database.follow_ids(writing, table)


def _rows(reading: Connection, table: Table, corpus_id: int) -> Iterator[Sequence[dict[str, Any]]]:
    query = select(table).where(table.c.corpus_id == corpus_id).order_by(*table.primary_key.columns)
    for part in reading.execution_options(yield_per=_ROWS_AT_ONCE).execute(query).partitions():
        yield [dict(row._mapping) for row in part]


def _compared(reading: Connection, writing: Connection, table: Table, old: int, new: int) -> int:
    count = select(func.count()).select_from(table)
    there = int(reading.execute(count.where(table.c.corpus_id == old)).scalar_one())
    if (found := int(writing.execute(count.where(table.c.corpus_id == new)).scalar_one())) != there:
        raise StorageError(f"of {there} rows of table {table.name} {found} were written; run again")
    return there


def write_segments(target: Ledger, writing: Connection, corpus_id: int) -> None:
    """Write the segments that hold the vectors of a corpus that has none, and list them."""
    since = func.min(vectors.c.since).label("since")
    kinds = select(vectors.c.model, vectors.c.kind, since).where(vectors.c.corpus_id == corpus_id)
    for row in writing.execute(kinds.group_by(vectors.c.model, vectors.c.kind)).all():
        made = write_listed(target, corpus_id, row.model, row.kind)
        if made:
            writing.execute(insert(segments), [one | {"since": row.since} for one in made])


def _dump(ledger: Ledger, name: str, number: int) -> list[str]:
    with open_view(ledger, name, number) as view:
        return dump_lines(view)
