"""Decisions that a statement of a page is wrong: made, taken back, listed, and what each hides.

A decision names a statement by what outlives every new reading of its page: the page, the element that states it, and
what it claims. Whoever edits that element, or states something else there, has made another statement. Only a hash of
the claim is kept, so a decision keeps no text of a page that is gone. None changes what readers see before the next
publish, which moves the rows between ``supports`` and ``hidden_supports``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, delete, insert, select, true

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.core.serial import condition_to_json, statement_from_text
from clausegraph.core.types import LITERAL, Leaf, PageKey, Statement, leaves, mapped
from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.derive import DEFINITIONS, SupportRow, object_key
from clausegraph.indexes.ledger.cells import decode, record_of
from clausegraph.indexes.ledger.schema import (
    hidden_statements,
    hidden_supports,
    in_newest,
    on_pages,
    pages,
    seen_at,
    sources,
    supports,
)
from clausegraph.indexes.ledger.store import Ledger

LONGEST_REASON = 1000  # characters
_ID = re.compile(r"[0-9a-f]{4,64}")
_NAMED = 5  # candidates named in a message
_LIST = "`clausegraph statements list` shows what is hidden"

Claim = tuple[str, str]  # within a page: anchor of the first element that states it, and hash of what is claimed


@dataclass(frozen=True, slots=True)
class HiddenStatement:
    """Somebody's decision that what ``claim`` stands for, stated at ``anchor`` of a page, is wrong."""

    id: int
    source: str
    uri: str
    anchor: str
    claim: str
    reason: str
    decided_by: str
    decided: float  # seconds since 1970

    @property
    def place(self) -> tuple[str, str, str, str]:
        """What tells it from every other."""
        return self.source, self.uri, self.anchor, self.claim


@dataclass(frozen=True, slots=True)
class Effect:
    """What a decision does in the newest epoch: the statement it is about, hidden since an epoch or still shown."""

    statement: Statement
    since: int | None


@dataclass(frozen=True, slots=True)
class Returning:
    """A statement that is hidden in the newest epoch and by no decision any more: the next publish shows it again."""

    source: str
    uri: str
    statement: Statement


def claim_of(statement: Statement) -> Claim:
    """Where a statement with real anchors stands within its page, and what it claims: whom it is about as written,
    under which conditions, from when to when. Neither how it is worded, nor who extracted it."""
    condition = None
    if statement.condition is not None:
        plain = mapped(statement.condition, lambda leaf: Leaf("", 0, 0, " ".join(leaf.text.lower().split())))
        condition = condition_to_json(plain)
    claimed = [
        statement.subject.key, statement.relation, object_key(statement.object), statement.polarity,
        str(statement.modality), condition, statement.effective_from, statement.effective_to,
    ]  # fmt: skip
    return statement.spans[0].anchor if statement.spans else "", content_hash("claim", canonical_json(claimed))


def hidden_claims(connection: Connection, corpus_id: int) -> dict[int, frozenset[Claim]]:
    """What was decided to be hidden, by the id of its page; of pages that were ever stored."""
    query = (
        select(pages.c.id, hidden_statements.c.anchor, hidden_statements.c.claim)
        .join(sources, sources.c.id == pages.c.source_id)
        .join(
            hidden_statements,
            (hidden_statements.c.corpus_id == sources.c.corpus_id)
            & (hidden_statements.c.source == sources.c.name)
            & (hidden_statements.c.uri == pages.c.uri),
        )
        .where(sources.c.corpus_id == corpus_id)
    )
    found: dict[int, set[Claim]] = {}
    for row in connection.execute(query):
        found.setdefault(row.id, set()).add((row.anchor, row.claim))
    return {page: frozenset(claims) for page, claims in found.items()}


def hidden_places(connection: Connection, corpus_id: int, epoch: int) -> dict[PageKey, frozenset[str]]:
    """The elements of an epoch that a hidden statement was read from, its conditions included, by page: anchors."""
    found: dict[PageKey, set[str]] = {}
    for row in connection.execute(_rows(hidden_supports, corpus_id).where(seen_at(hidden_supports, epoch))):
        statement = _statement(hidden_supports, row)
        anchors = {span.anchor for span in statement.spans} | {leaf.anchor for leaf in leaves(statement.condition)}
        found.setdefault(PageKey(row.source, row.uri), set()).update(anchors)
    return {page: frozenset(anchors) for page, anchors in found.items()}


def split_hidden(rows: Iterable[SupportRow], claims: Collection[Claim]) -> tuple[list[SupportRow], list[SupportRow]]:
    """The rows of a page that are shown, and those that these claims hide."""
    shown: list[SupportRow] = []
    hidden: list[SupportRow] = []
    for row in rows:
        is_hidden = False
        if claims and row.extractor != DEFINITIONS:
            statement = decode(supports.c.statement, row.content_key, row.statement, statement_from_text)
            is_hidden = claim_of(statement) in claims
        (hidden if is_hidden else shown).append(row)
    return shown, hidden


def list_hidden(ledger: Ledger, corpus_id: int) -> list[HiddenStatement]:
    """The decisions of a corpus, by id."""
    query = select(hidden_statements).where(hidden_statements.c.corpus_id == corpus_id)
    return [record_of(HiddenStatement, row) for row in ledger.rows(query.order_by(hidden_statements.c.id))]


def look_up(ledger: Ledger, corpus: CorpusRow, statement: str) -> tuple[PageKey, Statement]:
    """The statement of that id, and its page; errors as of :func:`hide`."""
    with ledger.read() as connection:
        row, _ = _find(connection, corpus, statement)
    _check_kind(row)
    return PageKey(row.source, row.uri), _statement(supports, row)


def hide(ledger: Ledger, corpus: CorpusRow, statement: str, reason: str, by: str) -> tuple[HiddenStatement, bool]:
    """Decide that a statement is wrong, given its id, or how only its id begins; returns the decision, and whether it
    is new. One that was made before stays."""
    reason = " ".join(reason.split())
    if not reason:
        raise InputError("say why the statement is wrong: who looks at the decision later has only that")
    if len(reason) > LONGEST_REASON:
        raise InputError(f"a reason may have {LONGEST_REASON} characters, this one has {len(reason)}")
    with ledger.write() as connection:
        row, is_shown = _find(connection, corpus, statement)
        anchor, claim = claim_of(_statement(supports, row))
        place = {"corpus_id": corpus.id, "source": row.source, "uri": row.uri, "anchor": anchor, "claim": claim}
        same = select(hidden_statements).where(*(hidden_statements.c[name] == value for name, value in place.items()))
        known = connection.execute(same).one_or_none()
        if known is not None:
            return record_of(HiddenStatement, known), False
        if not is_shown:
            raise _not_found(corpus, statement)
        _check_kind(row)
        made = insert(hidden_statements).values(**place, reason=reason, decided_by=by, decided=time.time())
        return record_of(HiddenStatement, connection.execute(made.returning(hidden_statements)).one()), True


def unhide(ledger: Ledger, corpus: CorpusRow, number: int) -> HiddenStatement:
    """Take a decision back; returns it as it was. The next publish shows what it hid, wherever that is still stated."""
    with ledger.write() as connection:
        mine = (hidden_statements.c.corpus_id == corpus.id, hidden_statements.c.id == number)
        row = connection.execute(delete(hidden_statements).where(*mine).returning(hidden_statements)).one_or_none()
        if row is None:
            raise NotFoundError(f"corpus {corpus.name!r} has no decision {number} that hides a statement; {_LIST}")
        return record_of(HiddenStatement, row)


def effects(
    connection: Connection, corpus_id: int, decided: Collection[HiddenStatement]
) -> tuple[dict[int, Effect], list[Returning]]:
    """What the newest epoch has of these decisions, by id (nothing: what they were about is not stated now), and what
    it hides that none of them does."""
    by_place = {one.place: one for one in decided}
    found: dict[int, Effect] = {}
    returning: list[Returning] = []
    for row in connection.execute(_rows(hidden_supports, corpus_id).where(in_newest(hidden_supports))):
        statement = _statement(hidden_supports, row)
        one = by_place.get((row.source, row.uri, *claim_of(statement)))
        if one is None:
            returning.append(Returning(row.source, row.uri, statement))
        elif one.id not in found or row.since < (found[one.id].since or 0):
            found[one.id] = Effect(statement, row.since)
    addresses = select(hidden_statements.c.uri).where(hidden_statements.c.corpus_id == corpus_id)
    of_pages = pages.c.uri.in_(addresses)
    for row in connection.execute(_rows(supports, corpus_id).where(in_newest(supports), of_pages)):
        statement = _statement(supports, row)
        one = by_place.get((row.source, row.uri, *claim_of(statement)))
        if one is not None and row.extractor != DEFINITIONS:
            found[one.id] = Effect(statement, None)  # a part of it is shown yet: it waits
    return found, returning


def _rows(table: Table, corpus_id: int) -> Select[Any]:
    """Supports or hidden ones with the names of their pages."""
    named = select(table, sources.c.name.label("source"), pages.c.uri).select_from(on_pages(table))
    return named.where(table.c.corpus_id == corpus_id)


def _statement(table: Table, row: Row[Any]) -> Statement:
    return decode(table.c.statement, row.id, row.statement, statement_from_text)


def _find(connection: Connection, corpus: CorpusRow, given: str) -> tuple[Row[Any], bool]:
    """The row of that statement, and whether the newest epoch shows it; else one that is hidden, or was shown."""
    begin = given.strip().lower()
    if not _ID.fullmatch(begin):
        raise _not_found(corpus, given)
    looked_in = ((supports, in_newest(supports)), (hidden_supports, true()), (supports, true()))
    for number, (table, among) in enumerate(looked_in):
        query = _rows(table, corpus.id).where(table.c.content_key.startswith(begin), among)
        rows = {row.content_key: row for row in connection.execute(query.order_by(table.c.id))}
        if len(rows) > 1:
            listed = ", ".join(sorted(rows)[:_NAMED])
            raise InputError(f"{len(rows)} statements begin with {begin!r}: {listed}; give more of the id")
        for row in rows.values():
            return row, number == 0
    raise _not_found(corpus, given)


def _not_found(corpus: CorpusRow, given: str) -> NotFoundError:
    return NotFoundError(
        f"the newest epoch of corpus {corpus.name!r} has no statement {given[:80]!r}; "
        f"`clausegraph show PAGE` lists those of a page with their ids, {_LIST}"
    )


def _check_kind(row: Row[Any]) -> None:
    if row.extractor == DEFINITIONS:
        name = row.object.removeprefix(LITERAL)
        raise InputError(f"this is how the page defines a name; `clausegraph entities undo {name!r}` denies it")
