"""Runs that a server was asked for: rows of the ledger from the moment they are asked for, until they have ended.

What a killed server leaves "queued" or "running" is told from what is true by its process (``corpora.py``).
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import insert, select, update

from clausegraph.core.errors import InputError
from clausegraph.core.hashing import canonical_json
from clausegraph.indexes.corpora import CANCELLED, FORECAST, INTERRUPTED, QUEUED, RUNNING, CorpusRow, get_run
from clausegraph.indexes.ledger.cells import OBJECT, decode_json
from clausegraph.indexes.ledger.schema import runs
from clausegraph.indexes.ledger.store import Ledger

IS_OPEN = runs.c.status.in_((QUEUED, RUNNING))


def queue_job(
    ledger: Ledger, corpus: CorpusRow, run_id: str, kind: str, source: str, order: Mapping[str, Any], by: str
) -> None:
    """Record that somebody asks this process for a run, in the words of ``order``."""
    asked = time.time()
    job = {"order": order, "asked_by": by, "asked": asked, "host": socket.gethostname(), "pid": os.getpid()}
    values = {
        "id": run_id, "corpus_id": corpus.id, "kind": kind, "source": source,
        "started": asked, "status": QUEUED, "job": canonical_json(job),
    }  # fmt: skip
    with ledger.write() as connection:
        connection.execute(insert(runs).values(**values))


def begin_job(ledger: Ledger, run_id: str) -> bool:
    """Take a job from the queue; false where somebody has cancelled it, which is recorded."""
    mine = (runs.c.id == run_id, runs.c.status == QUEUED)
    with ledger.write() as connection:
        begun = update(runs).where(*mine, runs.c.cancelled_by.is_(None)).values(status=RUNNING, started=time.time())
        if connection.execute(begun).rowcount == 1:
            return True
        connection.execute(update(runs).where(*mine).values(status=CANCELLED, ended=time.time()))
        return False


def end_job(ledger: Ledger, run_id: str, status: str, report: Mapping[str, object]) -> None:
    """Record how a job ended that has not recorded it itself, as where it ended before its run began."""
    values = {"ended": time.time(), "status": status, "report": canonical_json(dict(report))}
    with ledger.write() as connection:
        connection.execute(update(runs).where(runs.c.id == run_id, IS_OPEN).values(**values))


def interrupt_jobs(ledger: Ledger, run_ids: Collection[str]) -> None:
    """Record that what still waits is not begun any more."""
    with ledger.write() as connection:
        ended = {"status": INTERRUPTED, "ended": time.time()}
        connection.execute(update(runs).where(runs.c.id.in_(run_ids), runs.c.status == QUEUED).values(**ended))


def cancel_run(ledger: Ledger, corpus_id: int, run_id: str, by: str) -> None:
    """Ask for the end of a run, whichever process does it; one that was asked for before stays as it was.

    Raises:
        InputError: it has ended.
    """
    run = get_run(ledger, corpus_id, run_id)
    if run["status"] not in (QUEUED, RUNNING, CANCELLED):
        raise InputError(f"run {run_id} has ended ({run['status']}), so there is nothing to cancel")
    with ledger.write() as connection:
        mine = (runs.c.id == run_id, IS_OPEN, runs.c.cancelled_by.is_(None))
        connection.execute(update(runs).where(*mine).values(cancelled_by=by))


def last_order(ledger: Ledger, corpus_id: int, source: str) -> dict[str, Any] | None:
    """How an address was asked for as this source the last time, if a server was asked for it."""
    asked = (runs.c.corpus_id == corpus_id, runs.c.source == source, runs.c.job.is_not(None), runs.c.kind != FORECAST)
    query = select(runs.c.id, runs.c.job).where(*asked).order_by(runs.c.started.desc()).limit(50)
    orders = (decode_json(runs.c.job, row.id, row.job, OBJECT)["order"] for row in ledger.rows(query))
    return next((one for one in orders if one.get("address") or one.get("web")), None)
