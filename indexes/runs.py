"""Runs: what began, how it ended, and which have been killed without a word.

A run that is killed leaves "running" behind. Whoever reads sees by the lease of its corpus that nobody is at work, and
says "killed"; the next run, which holds the corpus, records it.
"""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Connection, Row, Select, select, tuple_, update

from clausegraph.core.errors import NotFoundError
from clausegraph.core.hashing import canonical_json
from clausegraph.indexes.ledger.cells import OBJECT, decode_json
from clausegraph.indexes.ledger.dialect import insert_or_update
from clausegraph.indexes.ledger.leases import held_lease, is_held
from clausegraph.indexes.ledger.schema import (
    epochs,
    runs,
)
from clausegraph.indexes.ledger.store import Ledger

RUNNING, DONE, FAILED, INTERRUPTED, KILLED = "running", "done", "failed", "interrupted", "killed"


def start_run(ledger: Ledger, corpus_id: int, run_id: str, kind: str, source: str) -> list[str]:
    """Record that a run has begun; one of that id, whose first step is tried again, begins anew.

    Returns the other runs that never ended. This one holds the corpus, so they were killed, which is recorded too.
    """
    values = {"corpus_id": corpus_id, "kind": kind, "source": source, "started": time.time(), "status": RUNNING}
    anew = values | {"ended": None, "report": None}
    left = update(runs).where(runs.c.corpus_id == corpus_id, runs.c.status == RUNNING, runs.c.id != run_id)
    with ledger.write() as connection:
        killed = list(connection.execute(left.values(status=KILLED).returning(runs.c.id)).scalars())
        connection.execute(insert_or_update(runs, ["id"], {"id": run_id} | values, anew))
    return sorted(killed)


def resume_run(ledger: Ledger, run_id: str) -> None:
    """A run that had not come to its end goes on."""
    mine = (runs.c.id == run_id, runs.c.status != DONE)
    with ledger.write() as connection:
        connection.execute(update(runs).where(*mine).values(status=RUNNING, ended=None, report=None))


def end_run(ledger: Ledger, run_id: str, status: str, report: dict[str, object]) -> None:
    """Record how a run ended and its report."""
    values = {"ended": time.time(), "status": status, "report": canonical_json(report)}
    with ledger.write() as connection:
        connection.execute(update(runs).where(runs.c.id == run_id).values(**values))


def find_run(ledger: Ledger, corpus_id: int, run_id: str) -> dict[str, object] | None:
    """One run with its report, if the corpus has it."""
    with ledger.read() as connection:
        found = _runs(connection, select(runs).where(runs.c.corpus_id == corpus_id, runs.c.id == run_id), corpus_id)
    return found[0] if found else None


def get_run(ledger: Ledger, corpus_id: int, run_id: str) -> dict[str, object]:
    """One run with its report."""
    found = find_run(ledger, corpus_id, run_id)
    if found is None:
        raise NotFoundError(why_no_run(ledger, corpus_id, run_id))
    return found


def why_no_run(ledger: Ledger, corpus_id: int, run_id: str) -> str:
    """What to say of a run that the corpus does not have: vacuum removed it, where an epoch still names it."""
    made = select(epochs.c.number).where(epochs.c.corpus_id == corpus_id, epochs.c.run_id == run_id)
    with ledger.read() as connection:
        number = connection.execute(made.limit(1)).scalar()
    if number is None:
        return (
            f"no run {run_id[:80]!r} in this corpus; `clausegraph status` lists the last ones, and "
            "`clausegraph epochs vacuum` removes the reports of old ones"
        )
    return (
        f"the report of run {run_id!r}, which published epoch {number}, was removed by `clausegraph epochs vacuum`: "
        "it was older than the setting keep_days"
    )


def list_runs(
    ledger: Ledger, corpus_id: int, limit: int, before: tuple[float, str] | None = None
) -> list[dict[str, object]]:
    """Runs, newest first; from after the one that started then and has that id."""
    query = select(runs).where(runs.c.corpus_id == corpus_id)
    if before is not None:
        query = query.where(tuple_(runs.c.started, runs.c.id) < before)
    with ledger.read() as connection:
        return _runs(connection, query.order_by(runs.c.started.desc(), runs.c.id.desc()).limit(limit), corpus_id)


def killed_runs(ledger: Ledger, corpus_id: int) -> list[str]:
    """The runs that were killed, and that no later run has recorded as such, oldest first."""
    left = select(runs).where(runs.c.corpus_id == corpus_id, runs.c.status == RUNNING).order_by(runs.c.started)
    with ledger.read() as connection:
        return [str(run["id"]) for run in _runs(connection, left, corpus_id) if run["status"] == KILLED]


def current_holder(ledger: Ledger, corpus_id: int) -> Row[Any] | None:
    """The lease of the run that is at work on a corpus."""
    with ledger.read() as connection:
        lease = held_lease(connection, corpus_id)
    return lease if lease is not None and is_held(lease, time.time()) else None


def _runs(connection: Connection, query: Select[Any], corpus_id: int) -> list[dict[str, object]]:
    """The runs of a query with their reports; one that has not ended and is not at work was killed."""
    lease = held_lease(connection, corpus_id)
    made = []
    for row in connection.execute(query):
        values = {name: value for name, value in row._mapping.items() if name != "corpus_id"}
        values["report"] = decode_json(runs.c.report, row.id, row.report, OBJECT) if row.report else None
        if row.status == RUNNING and not (lease and lease.run_id == row.id and is_held(lease, time.time())):
            values["status"] = KILLED
        made.append(values)
    return made
