"""Decisions that one name stands for the same entity as another: made, taken back, listed.

::

    (nothing) ──review──▶ proposed ──accept──▶ accepted ──undo──▶ proposed
                              └─────reject──▶ rejected ──undo──▶ proposed
    (nothing) ──merge───▶ accepted ──undo──▶ (nothing)
    defined   ──undo────▶ rejected ──undo──▶ defined     (a page says so: no decision until it is taken back)

A decision is stored as it was made; ``indexes.entities.names`` follows the chains. None changes what readers
see before the next publish.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rapidfuzz import fuzz, process
from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, or_, select, update

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.hashing import canonical_json
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.types import LITERAL
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.entities.names import (
    ACCEPTED,
    PROPOSED,
    REJECTED,
    accepted_pairs,
    chain,
    defined_by,
    defined_names,
)
from clausegraph.indexes.ledger.cells import OBJECT, decode_json, record_of
from clausegraph.indexes.ledger.schema import decisions, entity_names, in_newest, rule_roles, supports
from clausegraph.indexes.ledger.store import Ledger

_MERGED = {"origin": "merge"}  # evidence of a decision that nobody proposed
_DEFINED = {"origin": "definition"}  # of one that takes back what pages define
_NEAR = 3  # names suggested in a message
_UNDO = "`clausegraph entities undo {}` takes that back"
_SHOWN = 60  # characters of a name in a message


@dataclass(frozen=True, slots=True)
class Decision:
    """``name`` is taken for ``entity`` (both entity keys), or that is proposed or rejected."""

    id: int
    name: str
    entity: str
    state: str  # proposed, accepted, rejected
    score: float
    evidence: dict[str, Any]
    decided_by: str | None
    decided: float | None  # seconds since 1970
    created: float


@dataclass(frozen=True, slots=True)
class Proposed:
    """A pair that review found, with its score (0 to 1) and why."""

    name: str
    entity: str
    score: float
    evidence: dict[str, Any]


def list_decisions(ledger: Ledger, corpus_id: int, state: str | None = None) -> list[Decision]:
    """The decisions of a corpus, by id; of one state if it is given."""
    with ledger.read() as connection:
        rows = _where(connection, corpus_id, *([] if state is None else [decisions.c.state == state]))
    return [_decision(row) for row in rows]


def merge(ledger: Ledger, corpus: CorpusRow, name: str, entity: str, by: str) -> Decision:
    """Decide at once that ``name`` is taken for ``entity``; names may be given as the pages write them."""
    with ledger.write() as connection:
        name, entity = (_find_name(connection, corpus, given) for given in (name, entity))
        row = _pair(connection, corpus.id, name, entity)
        if row is not None and row.state == ACCEPTED:
            return _decision(row)
        for known in (row, _pair(connection, corpus.id, entity, name)):
            if known is not None and known.state == REJECTED:
                raise InputError(
                    f"that {_words(known)} was rejected by {known.decided_by} (decision {known.id}); "
                    f"{_UNDO.format(known.id)}"
                )
        _check_merge(connection, corpus.id, name, entity)
        row = row or _insert(connection, corpus.id, Proposed(name, entity, 1.0, _MERGED))
        return _decide(connection, row.id, ACCEPTED, by)


def decide(ledger: Ledger, corpus: CorpusRow, accept: Sequence[int], reject: Sequence[int], by: str) -> list[Decision]:
    """Accept and reject proposals, all or none of them."""
    if len({*accept, *reject}) < len(accept) + len(reject):
        raise InputError("a proposal is named twice; give each id once, after --accept or after --reject")
    states = dict.fromkeys(accept, ACCEPTED) | dict.fromkeys(reject, REJECTED)
    with ledger.write() as connection:
        return [_judge(connection, corpus, number, state, by) for number, state in states.items()]


def undo(ledger: Ledger, corpus: CorpusRow, what: str, by: str) -> tuple[Decision, str]:
    """Take a decision back, named by its id or by the name it is about; or a name that pages define, itself or
    by the whole phrase.

    One that was proposed is a proposal again; one that was made directly is removed. What pages define is rejected,
    and undone once more defined again. Returns the decision as it was, and what became of it ("removed" or
    "proposed"), or the one against a definition and "rejected". An epoch that applied it stays what it is; the next
    publish goes without.
    """
    with ledger.write() as connection:
        row = _decided(connection, corpus, what)
        if row is None:
            return _reject_definition(connection, corpus, what, by), REJECTED
        return _decision(row), _take_back(connection, row)


def settle(ledger: Ledger, corpus: CorpusRow, number: int, state: str, by: str) -> tuple[Decision, str]:
    """Bring a decision to a state (accepted, rejected, or proposed: taken back, as by :func:`undo`), whoever asks for
    that how often; one that is in it stays as it was made. Returns the decision as it is now, or as it was where it is
    "removed"; and the state."""
    with ledger.write() as connection:
        row = _row(connection, corpus, number)
        if row.state == state:
            return _decision(row), state
        if state != PROPOSED:
            return _judge(connection, corpus, number, state, by), state
        now = _take_back(connection, row)
        return _decision(row if now == "removed" else _row(connection, corpus, number)), now


def deny(ledger: Ledger, corpus: CorpusRow, name: str, by: str) -> Decision:
    """Decide that a name is not what pages define it to be; once decided it stays so."""
    key = entity_key(name)
    with ledger.write() as connection:
        rejected = _where(connection, corpus.id, decisions.c.name == key, decisions.c.state == REJECTED)
        if rejected and key not in defined_names(connection, corpus.id):
            return _decision(rejected[0])
        return _reject_definition(connection, corpus, name, by)


def store_proposals(ledger: Ledger, corpus_id: int, found: Sequence[Proposed]) -> int:
    """Store the pairs that are neither decided nor proposed in either direction; returns how many were new."""
    new = {frozenset((one.name, one.entity)): one for one in reversed(found)}
    with ledger.write() as connection:
        known = {frozenset((row.name, row.entity)) for row in _where(connection, corpus_id)}
        made = [_insert(connection, corpus_id, new[pair]) for pair in reversed(new) if pair not in known]
    return len(made)


def _judge(connection: Connection, corpus: CorpusRow, number: int, state: str, by: str) -> Decision:
    """Accept or reject a proposal."""
    row = _row(connection, corpus, number)
    if row.state != PROPOSED:
        raise InputError(
            f"decision {row.id} ({_words(row)}) was {row.state} by {row.decided_by}; {_UNDO.format(row.id)}"
        )
    if state == ACCEPTED:
        _check_merge(connection, corpus.id, row.name, row.entity)
    return _decide(connection, number, state, by)


def _take_back(connection: Connection, row: Row[Any]) -> str:
    """Make a decision a proposal again, or remove one that nobody had proposed; returns "proposed" or "removed"."""
    mine = decisions.c.id == row.id
    if _decision(row).evidence in (_MERGED, _DEFINED):
        connection.execute(delete(decisions).where(mine))
        return "removed"
    connection.execute(update(decisions).where(mine).values(state=PROPOSED, decided_by=None, decided=None))
    return PROPOSED


def _insert(connection: Connection, corpus_id: int, pair: Proposed) -> Row[Any]:
    values = asdict(pair) | {"evidence": canonical_json(pair.evidence), "corpus_id": corpus_id}
    stored = insert(decisions).values(**values, state=PROPOSED, created=time.time()).returning(decisions)
    return connection.execute(stored).one()


def _decide(connection: Connection, number: int, state: str, by: str) -> Decision:
    values = {"state": state, "decided_by": by, "decided": time.time()}
    made = update(decisions).where(decisions.c.id == number).values(values).returning(decisions)
    return _decision(connection.execute(made).one())


def _where(connection: Connection, corpus_id: int, *conditions: ColumnElement[bool]) -> Sequence[Row[Any]]:
    """The decisions of a corpus that meet conditions, by id."""
    query = select(decisions).where(decisions.c.corpus_id == corpus_id, *conditions)
    return connection.execute(query.order_by(decisions.c.id)).all()


def _pair(connection: Connection, corpus_id: int, name: str, entity: str) -> Row[Any] | None:
    found = _where(connection, corpus_id, decisions.c.name == name, decisions.c.entity == entity)
    return found[0] if found else None


def _row(connection: Connection, corpus: CorpusRow, number: int) -> Row[Any]:
    found = _where(connection, corpus.id, decisions.c.id == number)
    if not found:
        raise NotFoundError(f"corpus {corpus.name!r} has no decision {number}; `clausegraph entities list` shows them")
    return found[0]


def _reject_definition(connection: Connection, corpus: CorpusRow, what: str, by: str) -> Decision:
    """Decide that a name is not what pages define it to be; its whole phrase stands and falls with the short form."""
    key = entity_key(what)
    name, entity = defined_by(connection, corpus.id, what) or (key, defined_names(connection, corpus.id).get(key))
    if entity is None:
        raise NotFoundError(
            f"nothing was decided about {what[:_SHOWN]!r} in corpus {corpus.name!r}, and pages define no one entity by "
            "it; `clausegraph entities list` shows the decisions"
        )
    known = _pair(connection, corpus.id, name, entity)  # proposed before pages defined it, or taken back
    row = known or _insert(connection, corpus.id, Proposed(name, entity, 1.0, _DEFINED))
    return _decide(connection, row.id, REJECTED, by)


def _decided(connection: Connection, corpus: CorpusRow, what: str) -> Row[Any] | None:
    """The accepted or rejected decision of that id, or the only one about that name or against what the pages define
    by that phrase; None where there is none."""
    if what.isascii() and what.isdigit() and len(what) < 19:
        for row in _where(connection, corpus.id, decisions.c.id == int(what)):
            if row.state == PROPOSED:
                raise InputError(f"decision {what} ({_words(row)}) is only proposed: there is nothing to undo")
            return row
    keys = [what.strip(), entity_key(what)]
    about = or_(decisions.c.name.in_(keys), decisions.c.entity.in_(keys) & (decisions.c.state == REJECTED))
    rows = _where(connection, corpus.id, about, decisions.c.state != PROPOSED)
    rows = [row for row in rows if row.state == ACCEPTED] or list(rows)
    if not rows and (phrase := defined_by(connection, corpus.id, what)) is not None:
        against = _pair(connection, corpus.id, *phrase)
        rows = [against] if against is not None and against.state != PROPOSED else []
    if len(rows) > 1:
        listed = "; ".join(f"{row.id} ({_words(row)})" for row in rows[:5])
        raise InputError(f"{len(rows)} decisions are about {what[:_SHOWN]!r}: {listed}; give the id of one")
    return rows[0] if rows else None


def _check_merge(connection: Connection, corpus_id: int, name: str, entity: str) -> None:
    """A name is taken for one entity at most, and no chain of names comes back to its beginning."""
    if name == entity:
        raise InputError(f"{name!r} is the same entity already; give two different names")
    pairs = accepted_pairs(connection, corpus_id)
    if name in pairs:
        raise InputError(
            f"{name!r} is already taken for {pairs[name]!r}; merge {pairs[name]!r} into {entity!r}, or first "
            f"`clausegraph entities undo {name!r}`"
        )
    steps = chain(pairs, entity)
    if name in steps:
        circle = " → ".join([name, *steps[: steps.index(name) + 1]])
        raise InputError(f"{name!r} would be taken for itself: {circle}; undo one of these decisions first")


def _find_name(connection: Connection, corpus: CorpusRow, given: str) -> str:
    """The key of a name that the newest state has: as given, or as a mention so written would have."""
    about = (supports.c.corpus_id == corpus.id, in_newest(supports))
    objects = select(supports.c.object).where(*about, func.substr(supports.c.object, 1, 1) != LITERAL)
    merged = select(entity_names.c.name).where(entity_names.c.corpus_id == corpus.id, in_newest(entity_names))
    ruled = select(rule_roles.c.entity).where(rule_roles.c.corpus_id == corpus.id, in_newest(rule_roles))
    names = set(connection.execute(select(supports.c.subject).where(*about).union(objects, merged, ruled)).scalars())
    for key in (given.strip(), entity_key(given)):
        if key in names:
            return key
    near = process.extract(entity_key(given), sorted(names), scorer=fuzz.ratio, limit=_NEAR)
    listed = ", ".join(repr(found) for found, *_ in near)
    hint = f"near it are: {listed}" if near else "nothing was published yet"
    raise NotFoundError(f"corpus {corpus.name!r} has no entity named {given[:_SHOWN]!r}; {hint}")


def _words(row: Row[Any]) -> str:
    return f"{row.name!r} is {row.entity!r}"


def _decision(row: Row[Any]) -> Decision:
    return record_of(Decision, row, evidence=decode_json(decisions.c.evidence, row.id, row.evidence, OBJECT))
