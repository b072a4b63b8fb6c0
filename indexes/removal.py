"""Deleting the rows of a corpus that nothing needs which the ledger retains, in short transactions.

What is to go is told by the rows themselves, never by what a command has just done, so that a removal that was killed
is gone on with. Where readers see a row is decided before: no listed epoch shows what is deleted here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    UniqueConstraint,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
)  # fmt: skip

from clausegraph.indexes.entities.names import PROPOSED
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.schema import (
    VERSIONED,
    blobs,
    budgets,
    chunks,
    decisions,
    embeddings,
    entity_names,
    entity_tokens,
    extractions,
    fetches,
    members,
    model_calls,
    page_versions,
    pages,
    run_pages,
    run_steps,
    runs,
    supports,
    vectors,
    work_batches,
)  # fmt: skip
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import batches

_ROWS_AT_ONCE = 500  # in a transaction: some 40 ms
_ROWS_IF_TIGHT = 20  # each changes pages of several indexes, and every changed page goes through the log


def remove_rows(
    ledger: Ledger, lease: RunLease, floor: int, before: float, beforehand: Callable[[], None]
) -> dict[str, int]:
    """Delete what no epoch from ``floor`` on shows; returns the numbers of rows by table.

    Args:
        before: what no epoch shows stays where it was made at this moment or later: a killed run may still need it.
        beforehand: called once, before the first row goes, where one does.
    """
    counts: dict[str, int] = {}
    for table, condition in _removable(lease, floor, before):
        key = _key(table)
        with ledger.read() as connection:
            rows = connection.execute(select(*key).where(table.c.corpus_id == lease.corpus_id, condition)).all()
        if rows and not any(counts.values()):
            beforehand()
        counts[table.name] = len(rows)
        one = delete(table).where(*(column == bindparam(f"key_{column.name}") for column in key))
        is_tight = bool(rows) and ledger.is_tight
        for part in batches(rows, _ROWS_IF_TIGHT if is_tight else _ROWS_AT_ONCE):
            with ledger.write() as connection:
                check_fence(connection, lease)
                connection.execute(
                    one, [{f"key_{name}": value for name, value in row._mapping.items()} for row in part]
                )
            if is_tight:
                ledger.take_in_log()
    return counts


def count_unpublished(connection: Connection, corpus_id: int) -> int:
    """Page versions that no epoch shows."""
    query = (
        select(func.count()).select_from(page_versions).where(page_versions.c.corpus_id == corpus_id, _unpublished())
    )
    return int(connection.execute(query).scalar_one())


def _key(table: Table) -> list[ColumnElement[object]]:
    """The columns that tell a row of a table from the others."""
    if table.primary_key.columns:
        return list(table.primary_key.columns)
    return next(list(one.columns) for one in table.constraints if isinstance(one, UniqueConstraint))


def _unpublished() -> ColumnElement[bool]:
    return ~exists().where(members.c.page_version_id == page_versions.c.id)


def _removable(lease: RunLease, floor: int, before: float) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    """What goes, in this order: closed rows, then the truth that nothing refers to any more, then records of runs."""
    for table in VERSIONED:
        yield table, table.c.until <= floor
    yield from _orphans(lease.corpus_id, before)
    yield from _records(lease, before)


def _orphans(corpus_id: int, before: float) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    yield page_versions, and_(_unpublished(), page_versions.c.fetched < before)
    read = select(page_versions.c.raw_hash).where(page_versions.c.corpus_id == corpus_id)
    fetched = select(fetches.c.raw_hash).where(fetches.c.corpus_id == corpus_id)
    yield blobs, and_(blobs.c.hash.not_in(read), blobs.c.hash.not_in(fetched))
    yield pages, ~exists().where(page_versions.c.page_id == pages.c.id)
    made_for = extractions.c.input_key.in_(select(chunks.c.input_key).where(chunks.c.corpus_id == corpus_id))
    yield extractions, and_(~made_for, extractions.c.created < before)
    used = exists().where(
        vectors.c.corpus_id == corpus_id,
        vectors.c.text_hash == embeddings.c.text_hash,
        vectors.c.model == embeddings.c.model,
    )
    yield embeddings, and_(~used, embeddings.c.created < before)
    of_corpus = supports.c.corpus_id == corpus_id
    named = or_(  # two lookups by index; one with OR inside reads every support for each name
        exists().where(of_corpus, supports.c.subject == entity_tokens.c.entity),
        exists().where(of_corpus, supports.c.object == entity_tokens.c.entity),
    )
    aliases = select(entity_names.c.name).where(entity_names.c.corpus_id == corpus_id)
    yield entity_tokens, and_(~named, entity_tokens.c.entity.not_in(aliases))
    there = select(entity_tokens.c.entity).where(entity_tokens.c.corpus_id == corpus_id)
    is_about_gone = or_(decisions.c.name.not_in(there), decisions.c.entity.not_in(there))
    yield decisions, and_(decisions.c.state == PROPOSED, is_about_gone)


def _records(lease: RunLease, before: float) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    """Of runs but the one that holds the lease: all others have ended or died, and none can go on."""
    for table in (run_pages, work_batches, run_steps):
        yield table, table.c.run_id != lease.run_id
    yield runs, and_(runs.c.id != lease.run_id, runs.c.started < before)
    known = select(runs.c.id).where(runs.c.corpus_id == lease.corpus_id)
    for table in (model_calls, budgets):
        yield table, and_(table.c.run_id != lease.run_id, table.c.run_id.not_in(known))
