"""What makes a ledger this one: a random id that its copies and backups share, and other ledgers have not."""

from __future__ import annotations

import uuid

from sqlalchemy import insert, select

from clausegraph.indexes.ledger.schema import identity
from clausegraph.indexes.ledger.store import Ledger


def ledger_id(ledger: Ledger) -> str:
    """The id of the ledger: given to it when it was made, or now if it is older than that."""
    with ledger.write() as connection:
        identity.create(connection, checkfirst=True)  # ledgers made before there was this table
        found = connection.execute(select(identity.c.id)).scalar()
        if found is None:
            found = uuid.uuid4().hex
            connection.execute(insert(identity).values(id=found))
    return str(found)
