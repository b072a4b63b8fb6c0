"""What makes a ledger this one: a random id that its copies and backups share, and other ledgers have not."""

from __future__ import annotations

from sqlalchemy import select

from clausegraph.core.errors import SchemaError
from clausegraph.indexes.ledger.schema import identity
from clausegraph.indexes.ledger.store import Ledger


def ledger_id(ledger: Ledger) -> str:
    """The id that the ledger was given when it was made.

    Raises:
        SchemaError: somebody has removed it.
    """
    with ledger.read() as connection:
        found = connection.execute(select(identity.c.id)).scalar()
    if found is None:
        raise SchemaError(f"{ledger.path} has lost its id (its table identity is empty); restore it from a backup")
    return str(found)
