"""The run lease of a corpus: one writer at a time, found dead or alive, fenced by a growing number."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import psutil
from sqlalchemy import Connection, Row, select, update

from clausegraph.core.errors import LeaseHeldError, LeaseLostError, StorageError
from clausegraph.indexes.ledger.dialect import insert_or_update
from clausegraph.indexes.ledger.schema import run_leases
from clausegraph.indexes.ledger.store import Ledger

LEASE_S = 60.0
HEARTBEAT_S = 15.0
STEPS_LEASE_S = 900.0  # of a run in steps: between two of them no process of it is alive
_RELEASED = 0.0  # when a lease that was given back expires
_NO_PROCESS = 0  # pid of a lease that lives until it expires, whichever process goes


@dataclass(frozen=True, slots=True)
class RunLease:
    """Proof that this run may write to the corpus; ``fence`` grows with every acquisition."""

    corpus_id: int
    run_id: str
    fence: int


@contextmanager
def run_lease(ledger: Ledger, corpus_id: int, run_id: str) -> Iterator[RunLease]:
    """Hold the corpus for one run, with a heartbeat; released at the end."""
    lease = _acquire(ledger, corpus_id, run_id, os.getpid(), LEASE_S)
    try:
        with heartbeat(lambda: _set(ledger, lease, LEASE_S), HEARTBEAT_S):
            yield lease
    finally:
        release(ledger, lease)


@contextmanager
def step_lease(
    ledger: Ledger,
    corpus_id: int,
    run_id: str,
    seconds: float = STEPS_LEASE_S,
    *,
    begin: bool = False,
    alone: bool = False,
) -> Iterator[RunLease]:
    """The lease of a run whose steps are processes of their own: renewed while one works, held between them.

    It outlives the process that took it, for so many seconds; :func:`release` gives it back. One that expired, or was
    given back after a failure, is resumed where nobody else has taken the corpus since.

    ``begin`` is the first step, which may take the corpus; a run that has it already gets it again. ``alone`` takes a
    new fence, as ``begin`` does: an earlier attempt at the same step that is not dead after all can then publish
    nothing. Steps that may work side by side share the fence.
    """
    if begin:
        lease = _acquire(ledger, corpus_id, run_id, _NO_PROCESS, seconds)
    else:
        lease = _join(ledger, corpus_id, run_id, seconds, alone)
    with heartbeat(lambda: _set(ledger, lease, seconds), min(HEARTBEAT_S, seconds / 4)):
        yield lease


def _join(ledger: Ledger, corpus_id: int, run_id: str, seconds: float, alone: bool) -> RunLease:
    with ledger.write() as connection:
        now = ledger.database.now(connection)
        row = held_lease(connection, corpus_id)
        if row is None or row.run_id != run_id:
            raise _lost(run_id, row)
        fence = row.fence + int(alone)
        values = {"fence": fence, "pid": _NO_PROCESS, "heartbeat": now, "expires": now + seconds}
        connection.execute(update(run_leases).where(run_leases.c.corpus_id == corpus_id).values(**values))
    return RunLease(corpus_id, run_id, fence)


def held_lease(connection: Connection, corpus_id: int) -> Row[Any] | None:
    """The row of the lease of a corpus, whether its run is alive or not; None where no run ever had it."""
    return connection.execute(select(run_leases).where(run_leases.c.corpus_id == corpus_id)).fetchone()


@contextmanager
def heartbeat(beat: Callable[[], object], every: float) -> Iterator[None]:
    """Call ``beat`` every so many seconds in a thread while the block runs; one that the ledger refuses is left out."""
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(every):
            with suppress(StorageError):  # what is done under a lease checks it; a missed beat only shortens it
                beat()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def check_fence(connection: Connection, lease: RunLease) -> None:
    """Refuse to go on when another run took the corpus over; called inside every publishing transaction."""
    row = held_lease(connection, lease.corpus_id)
    if row is None or row.run_id != lease.run_id or row.fence != lease.fence:
        raise _lost(lease.run_id, row)


def _lost(run_id: str, row: Any) -> LeaseLostError:
    holder = "nobody" if row is None else "a later attempt" if row.run_id == run_id else f"run {row.run_id}"
    return LeaseLostError(
        f"run {run_id} lost the lease of its corpus (now held by {holder}); "
        "what it stored is kept and nothing was published; run `clausegraph ingest` again"
    )


def _acquire(ledger: Ledger, corpus_id: int, run_id: str, pid: int, seconds: float) -> RunLease:
    with ledger.write() as connection:
        now = ledger.database.now(connection)
        row = held_lease(connection, corpus_id)
        mine = row is not None and pid == _NO_PROCESS and row.run_id == run_id
        if row is not None and not mine and _is_live(row.host, row.pid, row.expires, now):
            raise LeaseHeldError(_held(row, now))
        fence = 1 if row is None else row.fence + 1
        values = {
            "run_id": run_id, "host": socket.gethostname(), "pid": pid, "fence": fence,
            "acquired": now, "heartbeat": now, "expires": now + seconds,
        }  # fmt: skip
        taken = {"corpus_id": corpus_id} | values
        connection.execute(insert_or_update(run_leases, ["corpus_id"], taken, values))
    return RunLease(corpus_id, run_id, fence)


def _held(row: Any, now: float) -> str:
    since = f"has held this corpus for {now - row.acquired:.0f} s"
    if row.pid == _NO_PROCESS:
        left = f"wait for it: should it be dead, its lease ends in {row.expires - now:.0f} s"
        return f"run {row.run_id} (in steps, from {row.host}) {since}; {left}"
    there = f"process {row.pid} on {row.host}"
    return f"run {row.run_id} ({there}) {since}; wait for it, or stop that process and try again"


def _is_live(host: str, pid: int, expires: float, now: float) -> bool:
    """A released or expired lease is dead; on this host, so is that of a process that has gone."""
    return expires > now and (pid == _NO_PROCESS or is_alive(host, pid))


def is_held(lease: Any, now: float) -> bool:
    """Whether the run of a lease is still at work, as far as this host can tell.

    A process that was stopped for a while, as on a laptop that slept, is there when its lease has expired: it began
    before the lease was acquired, so that its id is not used again by another.
    """
    if lease.expires == _RELEASED:
        return False
    if _is_live(lease.host, lease.pid, lease.expires, now):
        return True
    if lease.pid == _NO_PROCESS or lease.host != socket.gethostname():
        return False
    return began_before(lease.pid, lease.acquired)


def began_before(pid: int, moment: float) -> bool:
    """Whether a process of this host lives that has been there since a moment: its id may be another one's by now."""
    try:
        return bool(psutil.Process(pid).create_time() <= moment + 1)
    except psutil.Error:
        return False


def is_alive(host: str, pid: int) -> bool:
    """Whether the process lives, as far as this host can tell."""
    return host != socket.gethostname() or psutil.pid_exists(pid)


def release(ledger: Ledger, lease: RunLease) -> None:
    """Give the corpus back; the row stays, so that the fence goes on growing."""
    _set(ledger, lease, None)


def _set(ledger: Ledger, lease: RunLease, seconds: float | None) -> None:
    """Renew a lease that is still ours for so many seconds; None releases it."""
    held = run_leases.c
    mine = (held.corpus_id == lease.corpus_id, held.run_id == lease.run_id, held.fence == lease.fence)
    with ledger.write() as connection:
        now = ledger.database.now(connection)
        values = {"expires": _RELEASED} if seconds is None else {"heartbeat": now, "expires": now + seconds}
        connection.execute(update(run_leases).where(*mine).values(values))
