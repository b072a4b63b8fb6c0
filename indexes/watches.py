"""Watched questions with their last answers, and how answers changed: rows of the ledger.

What they quote goes with its epoch (``forget_words``): an answer whose epoch is gone is asked anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, and_, delete, func, insert, not_, or_, select, update

from clausegraph.core.errors import NotFoundError
from clausegraph.core.hashing import content_hash
from clausegraph.core.types import PageKey
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.ledger.cells import record_of
from clausegraph.indexes.ledger.dialect import insert_new
from clausegraph.indexes.ledger.schema import (
    VERSIONED,
    on_pages,
    pages,
    seen_at,
    sources,
    vectors,
    watch_changes,
    watches,
)
from clausegraph.indexes.ledger.store import Ledger

_OF_PAGES = [table for table in VERSIONED if "page_id" in table.c]


@dataclass(frozen=True, slots=True)
class Watch:
    """A question that is asked again; the table ``watches`` says what its columns hold."""

    id: int
    question: str
    scenario: str
    added_by: str
    created: float
    epoch: int
    answer: bytes | None
    approved: bytes | None
    approved_by: str | None
    approved_epoch: int


@dataclass(frozen=True, slots=True)
class WatchChange:
    """An answer that became another one between two epochs."""

    id: int
    watch_id: int
    since: int
    epoch: int
    created: float
    change: bytes


def add_watch(
    ledger: Ledger, corpus: CorpusRow, question: str, scenario: str, by: str, epoch: int, answer: bytes
) -> Watch:
    """Watch a question from its answer at an epoch on; one that is watched already stays as it is."""
    key = content_hash(question, scenario)
    values = {"question": question, "scenario": scenario, "added_by": by, "epoch": epoch, "answer": answer}
    with ledger.write() as connection:
        connection.execute(insert_new(watches).values(corpus_id=corpus.id, key=key, created=time.time(), **values))
        found = select(watches).where(watches.c.corpus_id == corpus.id, watches.c.key == key)
        return record_of(Watch, connection.execute(found).one())


def list_watches(ledger: Ledger, corpus_id: int) -> list[Watch]:
    """The watched questions of a corpus, oldest first."""
    query = select(watches).where(watches.c.corpus_id == corpus_id).order_by(watches.c.id)
    return [record_of(Watch, row) for row in ledger.rows(query)]


def get_watch(ledger: Ledger, corpus: CorpusRow, number: int) -> Watch:
    """The watched question of that number."""
    found = next((one for one in list_watches(ledger, corpus.id) if one.id == number), None)
    if found is None:
        raise NotFoundError(f"corpus {corpus.name!r} watches no question {number}; `clausegraph watch list` shows them")
    return found


def remove_watch(ledger: Ledger, watch: Watch) -> None:
    """Watch a question no more; its changes go too."""
    with ledger.write() as connection:
        connection.execute(delete(watches).where(watches.c.id == watch.id))


def update_watch(ledger: Ledger, watch: Watch, values: dict[str, Any], change: dict[str, Any] | None = None) -> bool:
    """Set columns of a watch, and keep with them a change of its answer; both or neither.

    Neither, where somebody else has asked it since it was read; returns whether they are set.
    """
    mine = (watches.c.id == watch.id, watches.c.epoch == watch.epoch, watches.c.answer == watch.answer)
    with ledger.write() as connection:
        is_ours = connection.execute(update(watches).where(*mine).values(values)).rowcount == 1
        if is_ours and change is not None:
            row = {"watch_id": watch.id, "since": watch.epoch, "epoch": values["epoch"], "created": time.time()}
            connection.execute(insert(watch_changes).values(row | change))
        return is_ours


def list_changes(ledger: Ledger, corpus_id: int) -> list[WatchChange]:
    """How watched answers changed, newest first, as far back as their epochs are retained."""
    query = select(watch_changes).where(watch_changes.c.corpus_id == corpus_id).order_by(watch_changes.c.id.desc())
    return [record_of(WatchChange, row) for row in ledger.rows(query)]


def count_watched(ledger: Ledger, corpus_id: int) -> dict[str, int]:
    """How many questions are watched, how many of their answers changed since they were approved, and since when."""
    after = and_(watch_changes.c.watch_id == watches.c.id, watch_changes.c.epoch > watches.c.approved_epoch)
    query = select(
        func.count(watches.c.id.distinct()).label("questions"),
        func.count(watch_changes.c.watch_id.distinct()).label("changed"),
        func.coalesce(func.min(watch_changes.c.since), 0).label("since"),
    ).select_from(watches.outerjoin(watch_changes, after))
    return dict(ledger.rows(query.where(watches.c.corpus_id == corpus_id))[0]._mapping)


def changed_pages(ledger: Ledger, corpus_id: int, old: int, new: int) -> dict[PageKey, set[str]]:
    """The pages of which a row is in one of two retained epochs and not in the other, each with the anchors and keys of
    its elements and chunks that only the new one has; none where it differs in something else."""
    found: dict[PageKey, set[str]] = {}
    for table in _OF_PAGES if old != new else ():
        there, then = seen_at(table, new), seen_at(table, old)
        differs = or_(and_(there, not_(then)), and_(then, not_(there)))
        query = select(sources.c.name, pages.c.uri).select_from(on_pages(table)).distinct()
        for row in ledger.rows(query.where(table.c.corpus_id == corpus_id, differs)):
            found.setdefault(PageKey(row.name, row.uri), set())
    if found:
        came = and_(seen_at(vectors, new), not_(seen_at(vectors, old)), vectors.c.kind.in_(("chunk", "element")))
        query = select(sources.c.name, pages.c.uri, vectors.c.ref).select_from(on_pages(vectors))
        for row in ledger.rows(query.where(vectors.c.corpus_id == corpus_id, came)):
            found[PageKey(row.name, row.uri)].add(row.ref)
    return found


def take_unsent(ledger: Ledger, corpus_id: int, address: str) -> list[WatchChange]:
    """The changes that are still to be reported to an address (its hash), oldest first, which from now on count as
    reported to it: none is reported twice, whoever else does so. :func:`give_back` where it could not be done."""
    mine = watch_changes.c.corpus_id == corpus_id
    with ledger.write() as connection:
        rows = connection.execute(select(watch_changes).where(mine).order_by(watch_changes.c.id)).all()
        taken = [record_of(WatchChange, row) for row in rows if address in json.loads(row.unsent)]
        _set_unsent(connection, taken, lambda unsent: unsent - {address})
        return taken


def give_back(ledger: Ledger, changes: Sequence[WatchChange], address: str) -> None:
    """Have changes reported to an address after all."""
    with ledger.write() as connection:
        _set_unsent(connection, changes, lambda unsent: unsent | {address})


def _set_unsent(
    connection: Connection, changes: Sequence[WatchChange], changed: Callable[[set[str]], set[str]]
) -> None:
    for one in changes:
        row = watch_changes.c.id == one.id
        unsent = changed(set(json.loads(connection.execute(select(watch_changes.c.unsent).where(row)).scalar_one())))
        connection.execute(update(watch_changes).where(row).values(unsent=json.dumps(sorted(unsent))))


def forget_words(connection: Connection, corpus_id: int, floor: int) -> None:
    """Remove what watches quote of epochs before the oldest retained one; the questions stay, and are asked anew."""
    mine, was = watches.c.corpus_id == corpus_id, watch_changes.c.since
    connection.execute(update(watches).where(mine, watches.c.epoch < floor).values(answer=None))
    approved = and_(watches.c.approved.is_not(None), watches.c.approved_epoch < floor)
    connection.execute(update(watches).where(mine, approved).values(approved=None, approved_by=None))
    connection.execute(delete(watch_changes).where(watch_changes.c.corpus_id == corpus_id, was < floor))
