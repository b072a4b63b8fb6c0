"""Publishing: a plan frozen in the ledger, a vector segment, and one transaction that flips the epoch.

The plan of epoch N = newest + 1 is its rows themselves: rows to open carry ``since = N``, rows to close ``until = N``.
Readers are pinned below N, so nothing shows before the flip, which only moves the corpus' numbers. Rows are written,
and taken back, in many short transactions; the epoch is "freezing" while it may lack some. A publish that was killed is
taken back where it was freezing; later it is finished from its rows, or they are taken back.

Where a corpus has a gate, that is asked of the epoch once all of it is there: it is flipped, or nothing of it is left.
A killed publish is then never finished, as nobody knows what the gate would have said.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import Any

from sqlalchemy import ColumnElement, Connection, Executable, Table, Update, bindparam, delete, insert, select, update

from clausegraph.core.errors import SegmentError
from clausegraph.core.hashing import canonical_json
from clausegraph.core.language.normalise import tokens
from clausegraph.core.types import LITERAL
from clausegraph.indexes.contradictions.stored import new_conflicts
from clausegraph.indexes.corpora import Summary, find_summary
from clausegraph.indexes.graph.protocol import NO_PROJECTIONS, Projections
from clausegraph.indexes.ledger.dialect import insert_new
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.readers import holds_of
from clausegraph.indexes.ledger.schema import (
    FLIPPED,
    FREEZING,
    FROZEN,
    OPEN,
    VECTOR_KINDS,
    VERSIONED,
    conflicts,
    corpora,
    entity_names,
    entity_tokens,
    epochs,
    gates,
    rule_roles,
    segments,
    supports,
)
from clausegraph.indexes.ledger.store import Ledger, batches
from clausegraph.indexes.plan import PublishPlan, Row
from clausegraph.indexes.postings import gather_words
from clausegraph.indexes.vectors.segments import quicken_search, vector_index, write_new_segments

ROWS_AT_ONCE = 250  # written in one transaction: some 20 ms

Gate = Callable[[int], bool]  # whether readers may get a prepared epoch, by its number
Change = tuple[Executable, Sequence[Mapping[str, Any]]]  # a statement, and the rows it is executed with


def freeze(ledger: Ledger, lease: RunLease, plan: PublishPlan) -> int:
    """Write the plan as rows of the next epoch; returns its number."""
    newest = ledger.value(select(corpora.c.newest).where(corpora.c.id == plan.corpus_id))
    number = int(newest) + 1  # nobody else publishes while we have the lease
    holds_of(ledger).prepare(plan.corpus_id, number)
    before = find_summary(ledger, plan.corpus_id, int(newest))
    _carry_out(ledger, lease, _freezing(plan, number, lease.run_id, before))
    return number


def _freezing(plan: PublishPlan, number: int, run_id: str, before: Summary) -> Iterator[Change]:
    counts = plan.counts()
    for name, of in counts.items():
        of["held"] = before.get(name, {}).get("held", 0) + of["opened"] - of["closed"]
    summary = canonical_json(counts)
    values = {"number": number, "model": plan.model, "run_id": run_id, "created": time.time(), "summary": summary}
    yield insert(epochs), [values | {"corpus_id": plan.corpus_id, "state": FREEZING}]
    for table, ids in plan.closed.items():
        yield from _until(table, ids, number)
    for table, rows in plan.opened.items():
        for new in rows.parts(ROWS_AT_ONCE):
            yield insert(table), [row | {"since": number, "until": OPEN} for row in new]
    for names in batches(_name_tokens(plan), ROWS_AT_ONCE):
        yield insert_new(entity_tokens), names
    yield _epoch(plan.corpus_id, number, FREEZING).values(state=FROZEN), [{}]


def _until(table: Table, ids: Sequence[int], number: int) -> Iterator[Change]:
    for part in batches(ids, ROWS_AT_ONCE):
        change = update(table).where(table.c.id == bindparam("row")).values(until=number)
        yield change, [{"row": identity} for identity in part]


def _carry_out(ledger: Ledger, lease: RunLease, changes: Iterable[Change]) -> None:
    """In order, in transactions of ``ROWS_AT_ONCE`` rows at most, each of a run that still has the corpus."""
    waiting: list[Change] = []
    for change in chain(changes, (None,)):
        if waiting and (change is None or sum(len(rows) for _, rows in (*waiting, change)) > ROWS_AT_ONCE):
            with ledger.write() as connection:
                check_fence(connection, lease)
                for statement, rows in waiting:
                    connection.execute(statement, rows)
            waiting = []
        if change is not None:
            waiting.append(change)


def _epoch(corpus_id: int, number: int, state: str) -> Update:
    return update(epochs).where(epochs.c.corpus_id == corpus_id, epochs.c.number == number, epochs.c.state == state)


def _name_tokens(plan: PublishPlan) -> list[dict[str, Any]]:
    """Tokens of the names that this plan brings; what is visible follows from supports, rules and the map of names."""
    names = {row["subject"] for row in plan.opened.get(supports, ())}
    names |= {row["object"] for row in plan.opened.get(supports, ()) if not row["object"].startswith(LITERAL)}
    names |= {row["entity"] for row in plan.opened.get(rule_roles, ())}
    names |= {row["name"] for row in plan.opened.get(entity_names, ())}
    return [
        {"corpus_id": plan.corpus_id, "token": token, "entity": name}
        for name in sorted(names)
        for token in sorted(set(tokens(name)))
    ]


def finish(ledger: Ledger, lease: RunLease, number: int, projections: Projections = NO_PROJECTIONS) -> None:
    """Write the segment of a frozen epoch, then what is taken along, and flip it: the only moment at which readers
    see a change.
    """
    _flip(ledger, lease, number, _prepare(ledger, lease, number, projections))
    projections.published(lease.corpus_id)


def has_gate(ledger: Ledger, corpus_id: int) -> bool:
    """Whether the epochs of a corpus must pass a gate."""
    return ledger.value(select(gates.c.corpus_id).where(gates.c.corpus_id == corpus_id)) is not None


def publish_plan(
    ledger: Ledger,
    lease: RunLease,
    plan: PublishPlan,
    projections: Projections = NO_PROJECTIONS,
    gate: Gate | None = None,
) -> int | None:
    """Freeze and flip an epoch; returns its number, or None where the gate did not let it through.

    It is one transaction where the database can do that, but for a gate, which must see the epoch (``prepared_view``).
    Nothing is left of an epoch that the gate kept back, or failed at.
    """
    with ExitStack() as stack:
        if gate is None:
            stack.enter_context(ledger.publishing(lambda connection: check_fence(connection, lease)))
        number = freeze(ledger, lease, plan)
        made = _prepare(ledger, lease, number, projections)
        if gate is not None:
            stack.callback(abandon, ledger, lease, number, projections)
            with ledger.write() as connection:
                _list_segments(connection, lease, number, made)
            if not gate(number):
                return None
            stack.pop_all()
        _flip(ledger, lease, number, made)
    projections.published(lease.corpus_id)
    quicken_search(ledger, lease.corpus_id)
    gather_words(ledger, lease.corpus_id, lease)
    return number


def _prepare(ledger: Ledger, lease: RunLease, number: int, projections: Projections) -> list[Row]:
    """Write the segments of a frozen epoch and what contradicts each other in it, then bring it to what is taken along;
    returns the rows to list them by."""
    made = [row for kind in VECTOR_KINDS for row in write_new_segments(ledger, lease.corpus_id, number, kind)]
    pairs = list(new_conflicts(ledger, lease.corpus_id, number))
    _carry_out(ledger, lease, [(insert_new(conflicts), part) for part in batches(pairs, ROWS_AT_ONCE)])
    projections.prepare(lease.corpus_id, number)
    return made


def _list_segments(connection: Connection, lease: RunLease, number: int, made: Sequence[Row]) -> None:
    """List the segments of an epoch, where the gate, or a publish that was killed, has not done so."""
    check_fence(connection, lease)
    connection.execute(delete(segments).where(*_own_segments(lease.corpus_id, number)))
    if made:
        connection.execute(insert(segments), made)


def _own_segments(corpus_id: int, number: int) -> tuple[ColumnElement[bool], ...]:
    return segments.c.corpus_id == corpus_id, segments.c.since == number


def _flip(ledger: Ledger, lease: RunLease, number: int, made: Sequence[Row]) -> None:
    with ledger.write() as connection:
        _list_segments(connection, lease, number, made)
        connection.execute(_epoch(lease.corpus_id, number, FROZEN).values(state=FLIPPED, created=time.time()))
        corpus = update(corpora).where(corpora.c.id == lease.corpus_id)
        connection.execute(corpus.values(newest=number, published=number))


def recover(ledger: Ledger, lease: RunLease, projections: Projections = NO_PROJECTIONS) -> str | None:
    """Finish or take back what a killed publish left; says which, or None when there was nothing."""
    number, is_ready = _unfinished(ledger, lease.corpus_id)
    if is_ready:
        try:
            finish(ledger, lease, number, projections)
            return f"finished epoch {number}"
        except SegmentError:
            pass  # an embedding is lost: it cannot be finished
    if not number:
        return None
    abandon(ledger, lease, number, projections)
    return f"abandoned epoch {number}"


def _unfinished(ledger: Ledger, corpus_id: int) -> tuple[int, bool]:
    """The epoch that is not flipped, of which there is never more than one, and whether it may be finished; 0 without
    one."""
    mine = (epochs.c.corpus_id == corpus_id, epochs.c.state != FLIPPED)
    for row in ledger.rows(select(epochs.c.number, epochs.c.state).where(*mine)):
        return int(row.number), row.state == FROZEN and not has_gate(ledger, corpus_id)
    return 0, False


def take_back(ledger: Ledger, lease: RunLease, projections: Projections = NO_PROJECTIONS) -> int | None:
    """Take back an epoch that the next run cannot finish; returns one that waits for it."""
    number, is_ready = _unfinished(ledger, lease.corpus_id)
    if number and not is_ready:
        abandon(ledger, lease, number, projections)
    return number if is_ready else None


def abandon(ledger: Ledger, lease: RunLease, number: int, projections: Projections = NO_PROJECTIONS) -> None:
    """Take an epoch back that was not flipped: its rows go, what it would have closed stays open. Can be repeated."""
    files = [row.file for row in ledger.rows(select(segments.c.file).where(*_own_segments(lease.corpus_id, number)))]
    if files:  # a killed one may have listed none; what it had written goes with the next vacuum
        vector_index(ledger).remove(lease.corpus_id, files)
    _carry_out(ledger, lease, _taking_back(ledger, lease.corpus_id, number))
    projections.abandoned(lease.corpus_id)


def _taking_back(ledger: Ledger, corpus_id: int, number: int) -> Iterator[Change]:
    yield _epoch(corpus_id, number, FROZEN).values(state=FREEZING), [{}]  # it lacks rows from here on
    for table in VERSIONED:
        mine = select(table.c.id).where(table.c.corpus_id == corpus_id)
        closed = [row.id for row in ledger.rows(mine.where(table.c.until == number))]
        yield from _until(table, closed, OPEN)
        for part in batches(ledger.rows(mine.where(table.c.since == number)), ROWS_AT_ONCE):
            yield delete(table).where(table.c.id == bindparam("row")), [{"row": row.id} for row in part]
    yield delete(segments).where(*_own_segments(corpus_id, number)), [{}]
    it = (epochs.c.corpus_id == corpus_id, epochs.c.number == number, epochs.c.state == FREEZING)
    yield delete(epochs).where(*it), [{}]
