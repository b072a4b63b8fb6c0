"""Work of a run in steps: what it planned, and batches of chunks that any number of processes claim by lease."""

from __future__ import annotations

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, Row, Table, and_, delete, func, insert, or_, select, update

from clausegraph.core.errors import LeaseHeldError, LeaseLostError, NotFoundError
from clausegraph.core.hashing import canonical_json
from clausegraph.indexes.corpora import SUPERSEDED, decode_summary
from clausegraph.indexes.ledger.cells import OBJECT, decode_json
from clausegraph.indexes.ledger.dialect import insert_new, insert_or_update
from clausegraph.indexes.ledger.leases import RunLease, check_fence, heartbeat, is_alive
from clausegraph.indexes.ledger.schema import FLIPPED, epochs, run_pages, run_steps, runs, work_batches
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import StoredPage, kept_readings

CLAIM_S = 60.0
_BEAT_S = 15.0
_LOOK_S = 0.5  # between two looks at a batch that somebody holds
_BUSY = "busy"

_WORK: tuple[Table, ...] = (run_pages, work_batches, run_steps)

HELD = "held"  # the step that a quarantined run leaves: its work stays until somebody decides
_HOLDS = select(run_steps.c.run_id).where(run_steps.c.step == HELD)

_HEAD = select(*(work_batches.c[name] for name in ("id", "state", "host", "pid", "expires", "attempts")))  # no chunks

Chunks = list[tuple[str, list[str]]]  # (uri, input keys) of the pages of a batch
_CHUNKS: TypeAdapter[Chunks] = TypeAdapter(Chunks)


@dataclass(frozen=True, slots=True)
class Claim:
    """Proof that one worker has a batch; ``lost`` is set when another one took it."""

    batch_id: int
    token: str
    chunks: Chunks
    lost: threading.Event = field(default_factory=threading.Event, compare=False)


def store_work(
    ledger: Ledger, lease: RunLease, pages: Mapping[str, StoredPage], batches: Sequence[Chunks], plan: Mapping[str, Any]
) -> list[int]:
    """Store what a run planned in place of what it had planned before; returns the ids of its batches.

    What other runs of the corpus left behind goes: they cannot be resumed any more; but not what is in quarantine.
    """
    mine = {"corpus_id": lease.corpus_id, "run_id": lease.run_id}
    with ledger.write() as connection:
        check_fence(connection, lease)
        for table in _WORK:
            others = table.c.corpus_id == lease.corpus_id, not_held(table.c.run_id)
            connection.execute(delete(table).where(or_(and_(*others), table.c.run_id == lease.run_id)))
        if pages:
            rows = [
                mine | {"uri": uri, "page_id": page.page_id, "page_version_id": page.version_id}
                for uri, page in pages.items()
            ]
            connection.execute(insert(run_pages), rows)
        connection.execute(insert(run_steps).values(**mine, step="plan", data=canonical_json(dict(plan))))
        ids = []
        for chunks in batches:
            values = mine | {"chunks": canonical_json(chunks), "state": "open", "attempts": 0}
            made = connection.execute(insert(work_batches).values(**values).returning(work_batches.c.id))
            ids.append(int(made.scalar_one()))
    return ids


def planned_pages(ledger: Ledger, run_id: str, uris: Sequence[str] | None = None) -> dict[str, StoredPage]:
    """The page versions that a run is to publish, or those of these uris, with their readings, in order of the uris."""
    query = select(run_pages).where(run_pages.c.run_id == run_id)
    wanted = None if uris is None else set(uris)
    read = kept_readings(ledger)
    return {
        row.uri: StoredPage(row.page_id, row.page_version_id, partial(read, row.page_version_id))
        for row in ledger.rows(query.order_by(run_pages.c.uri))
        if wanted is None or row.uri in wanted
    }


def epoch_of_run(
    ledger: Ledger, corpus_id: int, run_id: str, after: int
) -> tuple[int, dict[str, dict[str, int]]] | None:
    """Number and counts of opened and closed rows of the epoch that a run has flipped since the newest one was
    ``after``, or None."""
    mine = (epochs.c.corpus_id == corpus_id, epochs.c.run_id == run_id)
    for row in ledger.rows(select(epochs).where(*mine, epochs.c.state == FLIPPED, epochs.c.number > after)):
        counts = decode_summary(row).items()
        return int(row.number), {name: {"opened": of["opened"], "closed": of["closed"]} for name, of in counts}
    return None


def write_step(ledger: Ledger, lease: RunLease, step: str, data: Mapping[str, Any], *, keep: bool = False) -> None:
    """Store what a step leaves for the later ones; ``keep`` leaves what an earlier attempt stored as it is."""
    text = canonical_json(dict(data))
    row = {"run_id": lease.run_id, "corpus_id": lease.corpus_id, "step": step, "data": text}
    with ledger.write() as connection:
        check_fence(connection, lease)
        if keep:
            connection.execute(insert_new(run_steps), row)
        else:
            connection.execute(insert_or_update(run_steps, ("run_id", "step"), row, {"data": text}))


def read_steps(ledger: Ledger, run_id: str) -> dict[str, dict[str, Any]]:
    """What the steps of a run have left so far, by step."""
    rows = ledger.rows(select(run_steps.c.step, run_steps.c.data).where(run_steps.c.run_id == run_id))
    return {row.step: decode_json(run_steps.c.data, f"{run_id} {row.step}", row.data, OBJECT) for row in rows}


def not_held(run_id: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a run, by its id, is not in quarantine."""
    return run_id.not_in(_HOLDS)


def held_runs(ledger: Ledger, corpus_id: int, *among: ColumnElement[bool]) -> list[str]:
    """The runs of a corpus that are in quarantine, of those that ``among`` names, the last one first."""
    query = select(runs.c.id).where(runs.c.corpus_id == corpus_id, ~not_held(runs.c.id), *among)
    return [row.id for row in ledger.rows(query.order_by(runs.c.started.desc(), runs.c.id))]


def supersede(ledger: Ledger, corpus_id: int, source: str, run_id: str) -> None:
    """A run has read a source: what is in quarantine of it is out of date."""
    for held in held_runs(ledger, corpus_id, runs.c.source == source, runs.c.id != run_id):
        settle_held(ledger, held, SUPERSEDED)


def settle_held(ledger: Ledger, run_id: str, status: str) -> None:
    """End a run that is in quarantine, and forget what it had planned."""
    with ledger.write() as connection:
        connection.execute(update(runs).where(runs.c.id == run_id).values(status=status))
        _forget(connection, run_id)


def forget_work(ledger: Ledger, run_id: str) -> None:
    """Delete what a run that has ended had planned."""
    with ledger.write() as connection:
        _forget(connection, run_id)


def _forget(connection: Connection, run_id: str) -> None:
    for table in _WORK:
        connection.execute(delete(table).where(table.c.run_id == run_id))


@contextmanager
def claim_batch(
    ledger: Ledger, run_id: str, batch_id: int | None = None, seconds: float = CLAIM_S
) -> Iterator[Claim | None]:
    """Hold a batch while the block runs, with a heartbeat; one that is not finished in it is open again at its end.

    Without ``batch_id`` the next batch that is open, expired or held by a dead process is taken; None: there is none.
    With it, that batch is; one that a living worker holds is waited for, or its chunks would be paid for twice. After
    two of its leases it is taken all the same: the caller knows that it is to be done again, and the other one finds
    its claim lost. None: it is done.
    """
    token, deadline = secrets.token_hex(8), time.monotonic() + 2 * seconds
    while (claim := _claim(ledger, run_id, batch_id, token, seconds, deadline)) is _BUSY:
        time.sleep(min(_LOOK_S, seconds / 4))
    if not isinstance(claim, Claim):
        yield None
        return
    try:
        with heartbeat(_beat_of(ledger, claim, seconds), min(_BEAT_S, seconds / 4)):
            yield claim
    finally:
        _set(ledger, claim, state="open", claim=None, expires=None)


def _beat_of(ledger: Ledger, claim: Claim, seconds: float) -> Callable[[], None]:
    """What renews a claim; one that could not be renewed for as long as it lasts is lost, as another may have it."""
    renewed = time.monotonic()

    def beat() -> None:
        nonlocal renewed
        begun = time.monotonic()
        try:
            if not _set(ledger, claim, seconds):
                claim.lost.set()
            renewed = begun
        finally:
            if time.monotonic() - renewed > seconds:
                claim.lost.set()

    return beat


def finish_batch(ledger: Ledger, claim: Claim, result: Mapping[str, Any]) -> None:
    """The batch is done."""
    if not _set(ledger, claim, state="done", claim=None, expires=None, result=canonical_json(dict(result))):
        raise lost_claim(claim)


def lost_claim(claim: Claim) -> LeaseLostError:
    """The error of a worker whose batch another one took; what it had stored is kept."""
    return LeaseLostError(f"batch {claim.batch_id} was taken over by another worker; what this one stored is kept")


def batch_states(ledger: Ledger, run_id: str) -> dict[str, int]:
    """How many batches of a run are open, claimed and done."""
    counted = func.count().label("batches")
    query = select(work_batches.c.state, counted).where(work_batches.c.run_id == run_id)
    return {row.state: row.batches for row in ledger.rows(query.group_by(work_batches.c.state))}


def batch_results(ledger: Ledger, run_id: str) -> list[tuple[Chunks, dict[str, Any]]]:
    """Chunks and result of every batch, in order."""
    rows = ledger.rows(select(work_batches).where(work_batches.c.run_id == run_id).order_by(work_batches.c.id))
    waiting = [row.id for row in rows if row.state != "done"]
    if waiting:
        raise LeaseHeldError(
            f"{len(waiting)} of {len(rows)} batches of run {run_id} are not extracted yet (the first is {waiting[0]}); "
            "run its extract step again"
        )
    result = work_batches.c.result
    return [(_chunks(row.id, row.chunks), decode_json(result, row.id, row.result, OBJECT)) for row in rows]


def _claim(
    ledger: Ledger, run_id: str, batch_id: int | None, token: str, seconds: float, deadline: float
) -> Claim | str | None:
    """The claim; None for none to be had, ``_BUSY`` before the ``deadline`` for one that somebody holds."""
    with ledger.write() as connection:
        now = ledger.database.now(connection)
        row = _next(connection, run_id, now) if batch_id is None else _named(connection, run_id, batch_id)
        if row is None:
            return None
        if batch_id is not None and not _is_free(row, now) and time.monotonic() < deadline:
            return _BUSY
        values = {
            "state": "claimed", "claim": token, "host": socket.gethostname(), "pid": os.getpid(),
            "expires": now + seconds, "attempts": row.attempts + 1,
        }  # fmt: skip
        taken = update(work_batches).where(work_batches.c.id == row.id).values(**values)
        text = connection.execute(taken.returning(work_batches.c.chunks)).scalar_one()
    return Claim(row.id, token, _chunks(row.id, text))


def _next(connection: Connection, run_id: str, now: float) -> Row[Any] | None:
    query = _HEAD.where(work_batches.c.run_id == run_id, work_batches.c.state != "done").order_by(work_batches.c.id)
    for row in connection.execute(query):
        if _is_free(row, now):
            return row
    return None


def _is_free(row: Row[Any], now: float) -> bool:
    return bool(row.state == "open" or row.expires <= now or not is_alive(row.host, row.pid))


def _named(connection: Connection, run_id: str, batch_id: int) -> Row[Any] | None:
    query = _HEAD.where(work_batches.c.run_id == run_id, work_batches.c.id == batch_id)
    row = connection.execute(query).fetchone()
    if row is None:
        raise NotFoundError(
            f"run {run_id} has no batch {batch_id}; it was planned again, or has ended: start a new run"
        )
    return None if row.state == "done" else row


def _set(ledger: Ledger, held: Claim, seconds: float | None = None, **values: Any) -> bool:
    """Change a claimed batch, and hold it for so many seconds; false: the claim is not ours any more."""
    mine = (work_batches.c.id == held.batch_id, work_batches.c.claim == held.token)
    with ledger.write() as connection:
        if seconds is not None:
            values["expires"] = ledger.database.now(connection) + seconds
        return connection.execute(update(work_batches).where(*mine).values(**values)).rowcount == 1


def _chunks(batch: int, text: str) -> Chunks:
    return decode_json(work_batches.c.chunks, batch, text, _CHUNKS)
