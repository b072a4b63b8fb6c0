"""Which name stands for which entity: decisions and definitions resolved, and what each epoch applied of them.

The *wanted* map follows from the accepted decisions, whether their names are in the corpus or not, and from what the
pages define ("Disclosure and Barring Service (DBS)", decision 0025) and nobody has rejected; the *open* map is what
the newest state has applied. A publish moves the second to the first.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import BindParameter, Connection, bindparam, select

from clausegraph.core.errors import LedgerError
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.serial import statement_from_text
from clausegraph.core.types import Literal
from clausegraph.indexes.derive import DEFINITIONS
from clausegraph.indexes.entities.variants import signature, variant
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.schema import OPEN, decisions, entity_names, in_newest, supports
from clausegraph.indexes.ledger.store import Ledger

PROPOSED, ACCEPTED, REJECTED = "proposed", "accepted", "rejected"
_DEFINITIONS: BindParameter[str] = bindparam(None, DEFINITIONS, literal_execute=True)  # as the index of them has it


@dataclass(frozen=True, slots=True)
class NameChange:
    """A name that the next publish takes for another entity; ``before`` or ``after`` is the name itself
    where it stands for itself."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class NameDefined:
    """A page says that ``name`` is another name of ``entity``, in one phrase with it ``both`` (all entity keys)."""

    name: str
    entity: str
    both: str
    page_id: int


def chain(pairs: Mapping[str, str], name: str) -> list[str]:
    """The name, what it is taken for, what that is taken for, and so on; the last one stands for itself."""
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


def wanted_names(
    connection: Connection, corpus_id: int, definitions: Iterable[NameDefined] | None = None
) -> dict[str, str]:
    """What the next publish applies, name → entity. ``definitions`` are those of the pages as they shall be; None for
    those of the newest state."""
    pairs = accepted_pairs(connection, corpus_id)
    return resolve(pairs | defined_names(connection, corpus_id, definitions))


def defined_names(
    connection: Connection, corpus_id: int, definitions: Iterable[NameDefined] | None = None
) -> dict[str, str]:
    """What pages define and decisions leave in force, name → entity; the arguments are those of ``wanted_names``."""
    found = list(open_definitions(connection, corpus_id).values() if definitions is None else definitions)
    if not found:
        return {}
    mine = (decisions.c.corpus_id == corpus_id, decisions.c.state == REJECTED)
    rejected = connection.execute(select(decisions.c.name, decisions.c.entity).where(*mine))
    return defined_pairs(found, accepted_pairs(connection, corpus_id), frozenset(map(frozenset, rejected)))


def open_definitions(connection: Connection, corpus_id: int) -> dict[int, NameDefined]:
    """What the pages of the newest state define, by the id of the support that states it."""
    query = select(supports.c.id, supports.c.page_id, supports.c.statement).where(
        supports.c.corpus_id == corpus_id, in_newest(supports), supports.c.extractor == _DEFINITIONS
    )
    return {
        row.id: decode(supports.c.statement, row.id, row, lambda found: definition_of(found.statement, found.page_id))
        for row in connection.execute(query)
    }


def defined_by(connection: Connection, corpus_id: int, phrase: str) -> tuple[str, str] | None:
    """The name and the entity that pages define by this whole phrase, as "Zonal Tax Exchange (ZTE)"."""
    key = entity_key(phrase)
    defined = open_definitions(connection, corpus_id).values()
    return min(((one.name, one.entity) for one in defined if one.both == key), default=None)


def definition_of(statement: str, page_id: int) -> NameDefined:
    """What a support of ``DEFINITIONS`` defines."""
    stated = statement_from_text(statement)
    assert isinstance(stated.object, Literal)
    return NameDefined(entity_key(stated.object.value), stated.subject.key, entity_key(stated.subject.written), page_id)


def defined_pairs(
    found: Sequence[NameDefined], pairs: Mapping[str, str], rejected: Collection[frozenset[str]]
) -> dict[str, str]:
    """The names that pages define and that stand for one thing in the whole corpus, name → entity.

    A name with two expansions stands for itself, but where these are one name written in two ways; a decision about
    the name wins, and so does one that was rejected.
    """
    by_name: dict[str, Counter[str]] = {}
    for one in found:
        by_name.setdefault(one.name, Counter())[one.entity] += 1
    made: dict[str, str] = {}
    joined = ChainMap(made, dict(pairs))
    taken = resolve(pairs)
    for name in sorted(by_name.keys() - pairs.keys()):
        counts = by_name[name]
        entity = min(counts, key=lambda key: (-counts[key], key))
        one_thing = all(_is_one(entity, other, taken) for other in counts)
        denied = any(frozenset((name, other)) in rejected for other in counts)
        if one_thing and not denied and name not in chain(joined, entity):
            made[name] = entity
    # The phrase is the entity's name too, whatever else the short form stands for.
    for one in sorted(found, key=lambda one: (one.both, one.entity)):
        free = one.both and one.both not in pairs and frozenset((one.name, one.entity)) not in rejected
        if free and one.both not in chain(joined, one.entity):
            made.setdefault(one.both, one.entity)
    return made


def _is_one(one: str, other: str, taken: Mapping[str, str]) -> bool:
    same_entity = taken.get(one, one) == taken.get(other, other)
    return same_entity or (signature(one) == signature(other) and variant(one, other) is not None)


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
