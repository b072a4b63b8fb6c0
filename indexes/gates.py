"""The gate of a corpus as the ledger keeps it: questions that a prepared epoch must answer before readers see it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import delete, select

from clausegraph.core.serial import pack, unpack
from clausegraph.indexes.ledger.cells import decode, record_of
from clausegraph.indexes.ledger.dialect import insert_or_update
from clausegraph.indexes.ledger.schema import gates
from clausegraph.indexes.ledger.store import Ledger

KEEP = "keep"  # what becomes of an epoch that misses the floor: the last one stays


@dataclass(frozen=True, slots=True)
class GateRow:
    """Questions with what is expected (JSON values), and what share of them must be right (0 to 1).

    ``missed`` is "keep" or "flag"; ``created`` in seconds since 1970.
    """

    questions: list[dict[str, Any]]
    floor: float
    missed: str
    set_by: str
    created: float


def set_gate(
    ledger: Ledger, corpus_id: int, questions: Sequence[dict[str, Any]], floor: float, missed: str, by: str
) -> GateRow:
    """Give a corpus its gate; one that it had goes."""
    made = GateRow(list(questions), floor, missed, by, time.time())
    values = asdict(made) | {"questions": pack(made.questions)}
    with ledger.write() as connection:
        connection.execute(insert_or_update(gates, ["corpus_id"], {"corpus_id": corpus_id} | values, values))
    return made


def find_gate(ledger: Ledger, corpus_id: int) -> GateRow | None:
    """The gate of a corpus, where it has one."""
    for row in ledger.rows(select(gates).where(gates.c.corpus_id == corpus_id)):
        return record_of(GateRow, row, questions=decode(gates.c.questions, corpus_id, row.questions, unpack))
    return None


def remove_gate(ledger: Ledger, corpus_id: int) -> None:
    """Take the gate of a corpus away."""
    with ledger.write() as connection:
        connection.execute(delete(gates).where(gates.c.corpus_id == corpus_id))
