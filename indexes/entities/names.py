"""Which name stands for which entity: the accepted decisions resolved, and what each epoch applied of them.

The *wanted* map follows from the accepted decisions alone, whether their names are in the corpus or not; the
*open* map is what the newest state has applied. A publish moves the second to the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select

from clausegraph.core.errors import LedgerError
from clausegraph.indexes.ledger.schema import OPEN, decisions, entity_names
from clausegraph.indexes.ledger.store import Ledger

PROPOSED, ACCEPTED, REJECTED = "proposed", "accepted", "rejected"


@dataclass(frozen=True, slots=True)
class NameChange:
    """A name that the next publish takes for another entity; ``before`` or ``after`` is the name itself
    where it stands for itself."""

    name: str
    before: str
    after: str


def chain(pairs: Mapping[str, str], name: str) -> list[str]:
    """The name, what it is taken for, what that is taken for, and so on; the last one stands for itself.

    Raises:
        LedgerError: the pairs go round in a circle, which no command lets happen.
    """
    steps = [name]
    while (following := pairs.get(steps[-1])) is not None:
        if following in steps:
            raise LedgerError(f"decisions go round in a circle: {' → '.join([*steps, following])}; undo one of them")
        steps.append(following)
    return steps


def resolve(pairs: Mapping[str, str]) -> dict[str, str]:
    """Every name that is taken for another, with the entity at the end of its chain."""
    return {name: chain(pairs, name)[-1] for name in sorted(pairs)}


def accepted_pairs(connection: Connection, corpus_id: int) -> dict[str, str]:
    """The accepted decisions as they were made, name → entity."""
    mine = (decisions.c.corpus_id == corpus_id, decisions.c.state == ACCEPTED)
    query = select(decisions.c.name, decisions.c.entity).where(*mine).order_by(decisions.c.name)
    return {row.name: row.entity for row in connection.execute(query)}


def wanted_names(connection: Connection, corpus_id: int) -> dict[str, str]:
    """What the next publish applies, name → entity."""
    return resolve(accepted_pairs(connection, corpus_id))


def open_names(connection: Connection, corpus_id: int) -> dict[str, tuple[int, str]]:
    """What the open rows say, name → (row id, entity)."""
    mine = (entity_names.c.corpus_id == corpus_id, entity_names.c.until == OPEN)
    query = select(entity_names.c.name, entity_names.c.id, entity_names.c.entity).where(*mine)
    return {row.name: (row.id, row.entity) for row in connection.execute(query)}


def names_at(connection: Connection, corpus_id: int, epoch: int) -> dict[str, tuple[str, int]]:
    """What an epoch applies, name → (entity, first epoch that applied it)."""
    query = select(entity_names.c.name, entity_names.c.entity, entity_names.c.since).where(
        entity_names.c.corpus_id == corpus_id, entity_names.c.since <= epoch, entity_names.c.until > epoch
    )
    return {row.name: (row.entity, row.since) for row in connection.execute(query.order_by(entity_names.c.name))}


def pending_changes(ledger: Ledger, corpus_id: int, newest: int) -> list[NameChange]:
    """What the next publish changes about the names of the newest epoch, by name."""
    with ledger.read() as connection:
        now = {name: entity for name, (entity, _) in names_at(connection, corpus_id, newest).items()}
        wanted = wanted_names(connection, corpus_id)
    changed = sorted(name for name in now.keys() | wanted.keys() if now.get(name) != wanted.get(name))
    return [NameChange(name, now.get(name, name), wanted.get(name, name)) for name in changed]
