"""What a publish is to change: the difference between the newest state and what some pages shall be.

Decisions about names and statements, and what pages define, are part of the target: the plan applies them to the pages
it is given, to every other support that a changed name touches, and to what was hidden or is so no more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, or_, select

from clausegraph.indexes.derive import (
    DEFINITIONS,
    DERIVATION_FINGERPRINT,
    PageRows,
    SupportRow,
    VectorRow,
    fact_vectors,
    stated_texts,
    with_names,
)
from clausegraph.indexes.entities.names import NameDefined, definition_of, open_definitions, open_names, wanted_names
from clausegraph.indexes.hidden import Claim, hidden_claims, split_hidden
from clausegraph.indexes.ledger.cells import decode, record_of
from clausegraph.indexes.ledger.schema import (
    OPEN,
    VERSIONED,
    chunks,
    entity_names,
    hidden_supports,
    members,
    passages,
    supports,
    vectors,
)
from clausegraph.indexes.ledger.store import Ledger, batches
from clausegraph.indexes.truth import load_reading

Row = dict[str, Any]
NO_ROWS = PageRows((), (), ())


@dataclass(frozen=True, slots=True)
class PageTarget:
    """What a page shall be in the next epoch; no version means that the page goes."""

    page_id: int
    version_id: int | None = None
    rows: PageRows = NO_ROWS
    extractor: str = ""


@dataclass(slots=True)
class PublishPlan:
    """The difference between the newest state and the target: rows to open and ids to close, by table."""

    corpus_id: int
    model: str
    opened: dict[Table, list[Row]] = field(default_factory=dict)
    closed: dict[Table, list[int]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)  # text hash → text, of the vector rows opened

    @property
    def is_empty(self) -> bool:
        return not any(self.opened.values()) and not any(self.closed.values())

    def counts(self) -> dict[str, dict[str, int]]:
        """Rows opened and closed, by table name."""
        return {
            table.name: {"opened": len(self.opened.get(table, [])), "closed": len(self.closed.get(table, []))}
            for table in VERSIONED
        }


def make_plan(ledger: Ledger, corpus_id: int, targets: Iterable[PageTarget], model: str) -> PublishPlan:
    """Compare the targets with the open rows of their pages; other pages change by decisions alone."""
    plan = PublishPlan(corpus_id, model)
    targets = list(targets)  # what their pages define may rename what any other page names
    with ledger.read() as connection:
        names = wanted_names(connection, corpus_id, _definitions(connection, corpus_id, targets))
        replaced = _plan_names(connection, plan, names)
        hidden = hidden_claims(connection, corpus_id)
        planned: set[int] = set()
        for target in targets:
            _plan_page(connection, plan, target, names, hidden.get(target.page_id, ()))
            planned.add(target.page_id)
        moved = _plan_hidden(connection, plan, names, hidden, planned)
        _plan_renamed(connection, plan, names, replaced, planned | moved)
    return plan


def _definitions(connection: Connection, corpus_id: int, targets: Sequence[PageTarget]) -> Iterator[NameDefined]:
    """What the pages define once the plan is carried out."""
    changed = {target.page_id for target in targets}
    there = open_definitions(connection, corpus_id).values()
    yield from (one for one in there if one.page_id not in changed)
    for target in targets:
        for row in target.rows.supports:
            if row.extractor == DEFINITIONS:
                yield definition_of(row.statement, target.page_id)


def _plan_names(connection: Connection, plan: PublishPlan, names: Mapping[str, str]) -> set[str]:
    """Move the map of names to ``names``; returns the entities that the changed names have stood for so far."""
    there = open_names(connection, plan.corpus_id)
    now = {name: entity for name, (_, entity) in there.items()}
    changed = sorted(name for name in now.keys() | names.keys() if now.get(name) != names.get(name))
    base = {"corpus_id": plan.corpus_id}
    plan.opened[entity_names] = [base | {"name": n, "entity": names[n]} for n in changed if n in names]
    plan.closed[entity_names] = [there[n][0] for n in changed if n in there]
    return {now.get(name, name) for name in changed}


def _plan_hidden(
    connection: Connection,
    plan: PublishPlan,
    names: Mapping[str, str],
    hidden: Mapping[int, Collection[Claim]],
    planned: set[int],
) -> set[int]:
    """Hide what was decided to be wrong, and show again what is not any more, on pages that are not planned as a whole;
    returns those on which something moves: all their supports are under ``names`` then."""
    withheld = select(hidden_supports.c.page_id).where(
        hidden_supports.c.corpus_id == plan.corpus_id, hidden_supports.c.until == OPEN
    )
    moved = set()
    for page_id in sorted({*hidden, *connection.execute(withheld).scalars()} - planned):
        claims = hidden.get(page_id, ())
        shown, to_hide = split_hidden(_open_rows(connection, supports, page_id), claims)
        to_show, hidden_still = split_hidden(_open_rows(connection, hidden_supports, page_id), claims)
        if not to_hide and not to_show:
            continue
        moved.add(page_id)
        rows = [_under(row, names) for row in (*shown, *to_show)]
        _compare_supports(connection, plan, page_id, rows, [*to_hide, *hidden_still])
        _plan_facts(connection, plan, page_id, rows)
    return moved


def _open_rows(connection: Connection, table: Table, page_id: int) -> list[SupportRow]:
    query = select(table).where(table.c.page_id == page_id, table.c.until == OPEN).order_by(table.c.id)
    return [record_of(SupportRow, row) for row in connection.execute(query)]


def _under(row: SupportRow, names: Mapping[str, str]) -> SupportRow:
    return decode(supports.c.statement, row.content_key, row, lambda support: with_names(support, names))


def _compare_supports(
    connection: Connection, plan: PublishPlan, page_id: int, shown: Iterable[SupportRow], hidden: Iterable[SupportRow]
) -> None:
    """The supports of a page under the names that are in force, and those that are hidden, under their own."""
    base = {"corpus_id": plan.corpus_id, "page_id": page_id}
    for table, rows in ((supports, shown), (hidden_supports, (_under(row, {}) for row in hidden))):
        _compare(connection, plan, table, page_id, [base | asdict(row) for row in rows], ("content_key",))


def _plan_renamed(
    connection: Connection, plan: PublishPlan, names: Mapping[str, str], entities: set[str], planned: set[int]
) -> None:
    """Put the open supports of these entities under ``names``, but for pages that are planned as a whole."""
    base = {"corpus_id": plan.corpus_id}
    seen: set[int] = set()
    moved: dict[int, dict[int, SupportRow]] = {}  # page → id of a row → what it becomes
    for part in batches(sorted(entities)):
        touched = select(supports).where(
            supports.c.corpus_id == plan.corpus_id,
            supports.c.until == OPEN,
            or_(supports.c.subject.in_(part), supports.c.object.in_(part)),
        )
        for row in connection.execute(touched.order_by(supports.c.id)):
            if row.page_id in planned or row.id in seen:
                continue
            seen.add(row.id)
            is_now = record_of(SupportRow, row)
            wanted = decode(supports.c.statement, row.id, is_now, lambda support: with_names(support, names))
            if wanted.content_key != is_now.content_key:
                plan.closed.setdefault(supports, []).append(row.id)
                plan.opened.setdefault(supports, []).append(base | {"page_id": row.page_id} | asdict(wanted))
                moved.setdefault(row.page_id, {})[row.id] = wanted
    for page_id, changed in moved.items():
        open_rows = connection.execute(select(supports).where(supports.c.page_id == page_id, supports.c.until == OPEN))
        _plan_facts(connection, plan, page_id, [changed.get(row.id) or record_of(SupportRow, row) for row in open_rows])


def _plan_facts(connection: Connection, plan: PublishPlan, page_id: int, rows: Sequence[SupportRow]) -> None:
    """The fact vectors of a page whose version stays, and whose supports are to be these."""
    version = select(members.c.page_version_id).where(members.c.page_id == page_id, members.c.until == OPEN)
    reading = load_reading(connection, connection.execute(version).scalar_one())
    wanted = fact_vectors(rows, stated_texts(reading, rows))
    _compare_vectors(connection, plan, page_id, wanted, vectors.c.kind == "fact")


def _plan_page(
    connection: Connection, plan: PublishPlan, target: PageTarget, names: Mapping[str, str], claims: Collection[Claim]
) -> None:
    base = {"corpus_id": plan.corpus_id, "page_id": target.page_id}
    rows = target.rows
    member = base | {"page_version_id": target.version_id, "extractor": target.extractor}
    wanted_members = [member | {"projection": DERIVATION_FINGERPRINT}] if target.version_id is not None else []
    wanted_chunks = [
        base | {"key": c.key, "content_hash": c.content_hash, "input_key": c.input_key} for c in rows.chunks
    ]
    shown, hidden = split_hidden(rows.supports, claims)
    renamed = [with_names(s, names) if s.subject in names or s.object in names else s for s in shown]
    _compare(connection, plan, members, target.page_id, wanted_members, ("page_version_id", "extractor", "projection"))
    _compare(connection, plan, chunks, target.page_id, wanted_chunks, ("key", "content_hash", "input_key"))
    _compare_supports(connection, plan, target.page_id, renamed, hidden)
    _compare(connection, plan, passages, target.page_id, [base | asdict(p) for p in rows.passages], ("content_key",))
    _compare_vectors(connection, plan, target.page_id, [*rows.vectors, *fact_vectors(renamed, rows.texts)])


def _compare_vectors(
    connection: Connection, plan: PublishPlan, page_id: int, rows: Sequence[VectorRow], *among: ColumnElement[bool]
) -> None:
    base = {"corpus_id": plan.corpus_id, "page_id": page_id, "model": plan.model}
    wanted = [base | {"kind": row.kind, "ref": row.ref, "text_hash": row.text_hash} for row in rows]
    _compare(connection, plan, vectors, page_id, wanted, ("kind", "ref", "text_hash", "model"), *among)
    plan.texts |= {row.text_hash: row.text for row in rows}


def _compare(
    connection: Connection,
    plan: PublishPlan,
    table: Table,
    page_id: int,
    wanted: Sequence[Row],
    key: tuple[str, ...],
    *among: ColumnElement[bool],
) -> None:
    """Open what is wanted and not there, close what is there (``among`` these rows of the page) and not wanted."""
    query = select(table.c.id, *(table.c[name] for name in key)).where(
        table.c.page_id == page_id, table.c.until == OPEN, *among
    )
    there = {tuple(row[1:]): row.id for row in connection.execute(query)}
    new = {tuple(row[name] for name in key): row for row in wanted}
    plan.opened.setdefault(table, []).extend(row for identity, row in new.items() if identity not in there)
    plan.closed.setdefault(table, []).extend(number for identity, number in there.items() if identity not in new)
