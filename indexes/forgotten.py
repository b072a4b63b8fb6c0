"""What must stay out of a corpus: pages and sources that were forgotten, told by a hash so that no name outlives them.

A row without a certificate is of a removal that has begun and not ended: its pages stay out already.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import delete, select

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.extraction import Reject
from clausegraph.core.hashing import content_hash
from clausegraph.indexes.ledger.cells import record_of
from clausegraph.indexes.ledger.schema import forgotten
from clausegraph.indexes.ledger.store import Ledger

SHOWN = 12  # characters of a key that people are shown, and may give
StaysOut = Callable[[str], Reject | None]  # of a page by its uri: why it stays out


@dataclass(frozen=True, slots=True)
class ForgottenRow:
    """A page or a source that was forgotten; ``certificate`` is empty until nothing of it was found any more."""

    id: int
    key: str
    forgotten_by: str
    reason: str
    created: float  # seconds since 1970
    certificate: str


def forgotten_key(source: str, uri: str | None = None) -> str:
    """The key of a page, or of a whole source: whoever knows the names can tell them by it, nobody else."""
    return content_hash(source) if uri is None else content_hash(source, uri)


def list_forgotten(ledger: Ledger, corpus_id: int) -> list[ForgottenRow]:
    """What stays out of a corpus, oldest first."""
    query = select(forgotten).where(forgotten.c.corpus_id == corpus_id).order_by(forgotten.c.id)
    return [record_of(ForgottenRow, row) for row in ledger.rows(query)]


def why_out(row: ForgottenRow) -> str:
    """Why something stays out, and what would let it in."""
    day = time.strftime("%Y-%m-%d", time.localtime(row.created))
    return f"forgotten on {day} by {row.forgotten_by}; `clausegraph forget allow {row.key[:SHOWN]}` lets it in again"


def stays_out(ledger: Ledger, corpus_id: int, source: str) -> StaysOut:
    """Tells of each page of a source whether it was forgotten; the reject has no name of it, for reports are kept."""
    rows = {row.key: row for row in list_forgotten(ledger, corpus_id)}
    whole = rows.get(forgotten_key(source))

    def reject(uri: str) -> Reject | None:
        row = whole or (rows.get(forgotten_key(source, uri)) if rows else None)
        return None if row is None else Reject(f"a page of source {source}", why_out(row))

    return reject


def let_in(ledger: Ledger, corpus_id: int, begin: str) -> ForgottenRow:
    """Let what was forgotten come back with the next run, given its key, or how only its key begins; returns the row as
    it was."""
    found = [row for row in list_forgotten(ledger, corpus_id) if begin and row.key.startswith(begin)]
    if not found:
        raise NotFoundError(f"nothing was forgotten as {begin[:80]!r}; `clausegraph forget list` shows what was")
    if len(found) > 1:
        raise InputError(f"{len(found)} keys begin with {begin!r}; give more of the key")
    if not found[0].certificate:
        raise InputError(f"{found[0].key[:SHOWN]} is not forgotten to the end yet; repeat the command that began it")
    with ledger.write() as connection:
        connection.execute(delete(forgotten).where(forgotten.c.id == found[0].id))
    return found[0]
