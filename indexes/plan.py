"""What a publish is to change: the difference between the newest state and what some pages shall be.

Decisions about names and statements, and what pages define, are part of the target: the plan applies them to the pages
it is given, to every other support that a changed name touches, and to what was hidden or is so no more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Table, or_, select, true

from clausegraph.core.serial import rule_from_text
from clausegraph.indexes.contradictions.stored import AssertionRow, assertion_rows
from clausegraph.indexes.derive import (
    DEFINITIONS,
    DERIVATION_FINGERPRINT,
    ChunkRow,
    PageRows,
    RuleRow,
    SupportRow,
    VectorRow,
    fact_vectors,
    role_rows,
    stated_texts,
    with_names,
)
from clausegraph.indexes.entities.names import NameDefined, definition_of, open_definitions, open_names, wanted_names
from clausegraph.indexes.hidden import Claim, hidden_claims, split_hidden
from clausegraph.indexes.ledger.cells import decode, record_of
from clausegraph.indexes.ledger.schema import (
    OPEN,
    VERSIONED,
    assertions,
    chunks,
    entity_names,
    hidden_supports,
    members,
    rule_roles,
    rules,
    seen_at,
    supports,
    vectors,
)
from clausegraph.indexes.ledger.store import Ledger, batches
from clausegraph.indexes.spool import Spool
from clausegraph.indexes.truth import load_reading

Row = dict[str, Any]
Claims = Collection[Claim]
NO_ROWS = PageRows((), (), ())
_OF_THE_ROW = {"id", "since", "until"}  # columns that do not follow from the truth


@dataclass(frozen=True, slots=True)
class PageTarget:
    """What a page shall be in the next epoch; no version means that the page goes."""

    page_id: int
    version_id: int | None = None
    rows: PageRows = NO_ROWS
    extractor: str = ""
    lost: int = 0  # chunks whose stored extraction is gone: the rows lack what they state


@dataclass(slots=True)
class PublishPlan:
    """The difference between the newest state and the target: rows to open and ids to close, by table."""

    corpus_id: int
    model: str
    opened: dict[Table, Spool] = field(default_factory=dict)  # of Row
    closed: dict[Table, list[int]] = field(default_factory=dict)
    texts: Spool = field(default_factory=Spool)  # text hash and text of the vectors of the pages, each once
    _hashes: set[bytes] = field(default_factory=set)

    @property
    def size(self) -> int:
        """Rows to open and to close."""
        return sum(len(rows) for rows in self.opened.values()) + sum(len(ids) for ids in self.closed.values())

    @property
    def is_empty(self) -> bool:
        return not self.size

    def add_texts(self, rows: Iterable[VectorRow]) -> None:
        """Add the texts of vectors."""
        for row in rows:
            if (key := bytes.fromhex(row.text_hash)) not in self._hashes:
                self._hashes.add(key)
                self.texts.extend([(row.text_hash, row.text)])

    def counts(self) -> dict[str, dict[str, int]]:
        """Rows opened and closed, by table name."""
        return {
            table.name: {"opened": len(self.opened.get(table, [])), "closed": len(self.closed.get(table, []))}
            for table in VERSIONED
        }


def make_plan(
    ledger: Ledger, corpus_id: int, targets: Iterable[PageTarget], model: str, audited: int | None = None
) -> PublishPlan:
    """Compare the targets with the open rows of their pages; other pages change by decisions alone. Rows of the newest
    epoch that are ``audited`` are not trusted: every cell is compared, not only keys."""
    plan = PublishPlan(corpus_id, model)
    kept, changed, defined = Spool(), set[int](), list[NameDefined]()
    for target in targets:  # what their pages define may rename what any other page names: all of them first
        kept.extend([_target_to_json(target)])
        changed.add(target.page_id)
        stated = (row for row in target.rows.supports if row.extractor == DEFINITIONS)
        defined += [definition_of(row.statement, target.page_id) for row in stated]
    with ledger.read() as connection:
        there = open_definitions(connection, corpus_id).values()
        defined += [one for one in there if one.page_id not in changed]
        names = wanted_names(connection, corpus_id, defined)
        renamed = _plan_names(connection, plan, names)
        planner = _Planner(connection, plan, names, hidden_claims(connection, corpus_id), audited)
        for target in map(_target_from_json, kept):
            planner.plan_page(target)
        for page_id in sorted(planner.touched(renamed) - changed):
            planner.plan_decisions(page_id)
    return plan


def compare_page(
    connection: Connection, corpus_id: int, model: str, target: PageTarget, epoch: int,
    names: Mapping[str, str], hidden: Claims,
) -> PublishPlan:  # fmt: skip
    """What a page must be given and lose, in every cell, so that an epoch shows it as its target is."""
    plan = PublishPlan(corpus_id, model)
    _Planner(connection, plan, names, {target.page_id: hidden}, epoch).plan_page(target)
    return plan


_ROWS: dict[str, Any] = {"chunks": ChunkRow, "supports": SupportRow, "vectors": VectorRow, "rules": RuleRow}


def _target_to_json(target: PageTarget) -> dict[str, Any]:
    cells = {name: [astuple(row) for row in getattr(target.rows, name)] for name in _ROWS}
    texts = [[*place, text] for place, text in target.rows.texts.items()]
    head = {"page_id": target.page_id, "version_id": target.version_id}
    return head | {"extractor": target.extractor, "lost": target.lost, "rows": cells, "texts": texts}


def _target_from_json(value: dict[str, Any]) -> PageTarget:
    rows = {name: tuple(make(*cells) for cells in value["rows"][name]) for name, make in _ROWS.items()}
    texts = {(chunk, body): text for chunk, body, text in value["texts"]}
    made = PageRows(**rows, texts=texts)
    return PageTarget(value["page_id"], value["version_id"], made, value["extractor"], value["lost"])


def _plan_names(connection: Connection, plan: PublishPlan, names: Mapping[str, str]) -> set[str]:
    """Move the map of names to ``names``; returns the entities that the changed names have stood for so far."""
    there = open_names(connection, plan.corpus_id)
    now = {name: entity for name, (_, entity) in there.items()}
    changed = sorted(name for name in now.keys() | names.keys() if now.get(name) != names.get(name))
    base = {"corpus_id": plan.corpus_id}
    plan.opened[entity_names] = Spool(base | {"name": n, "entity": names[n]} for n in changed if n in names)
    plan.closed[entity_names] = [there[n][0] for n in changed if n in there]
    return {now.get(name, name) for name in changed}


@dataclass(frozen=True, slots=True)
class _Planner:
    """Plans pages under ``names``, without the statements that ``hidden`` claims of pages are about."""

    connection: Connection
    plan: PublishPlan
    names: Mapping[str, str]
    hidden: Mapping[int, Claims]
    audited: int | None = None  # an epoch

    def touched(self, entities: Collection[str]) -> set[int]:
        """Pages that decisions may change: those with something hidden, and those that name one of the entities."""
        about: list[tuple[Table, ColumnElement[bool]]] = [(hidden_supports, true())]
        for part in batches(sorted(entities)):
            about.append((supports, or_(supports.c.subject.in_(part), supports.c.object.in_(part))))
            about.append((rule_roles, rule_roles.c.entity.in_(part)))
        found = set(self.hidden)
        for table, condition in about:
            mine = select(table.c.page_id).distinct().where(table.c.corpus_id == self.plan.corpus_id)
            found.update(self.connection.execute(mine.where(table.c.until == OPEN, condition)).scalars())
        return found

    def plan_page(self, target: PageTarget) -> None:
        """Bring a page to what it shall be."""
        page_id, rows = target.page_id, target.rows
        member = {"page_version_id": target.version_id, "extractor": target.extractor}
        wanted = [member | {"projection": DERIVATION_FINGERPRINT}] if target.version_id is not None else []
        shown, hidden = split_hidden(rows.supports, self.hidden.get(page_id, ()))
        renamed = [with_names(s, self.names) if self.names.keys() & {s.subject, s.object} else s for s in shown]
        self._compare(members, page_id, wanted, ("page_version_id", "extractor", "projection"))
        self._compare(chunks, page_id, map(asdict, rows.chunks), ("key", "content_hash", "input_key"))
        self._compare_supports(page_id, renamed, hidden)
        self._compare(rules, page_id, map(asdict, rows.rules), ("content_key",))
        self._compare_roles(page_id, rows.rules)
        self._compare(assertions, page_id, map(asdict, self._asserted(target)), ("content_key",))
        self._compare_vectors(page_id, [*rows.vectors, *fact_vectors(renamed, rows.texts)])

    def _asserted(self, target: PageTarget) -> Iterator[AssertionRow]:
        if target.version_id is not None:
            ruled = {row.content_key: rule_from_text(row.rule) for row in target.rows.rules}
            yield from assertion_rows(ruled, load_reading(self.connection, target.version_id))

    def plan_decisions(self, page_id: int) -> None:
        """Put the statements of a page whose version stays under the names, and hide and show them as decided."""
        there = [
            record_of(SupportRow, row)
            for table in (supports, hidden_supports)
            for row in self.connection.execute(_open(table, table).where(table.c.page_id == page_id))
        ]
        shown, hidden = split_hidden(there, self.hidden.get(page_id, ()))
        shown = [_under(row, self.names) for row in shown]
        ruled = self.connection.execute(_open(rules, rules).where(rules.c.page_id == page_id))
        self._compare_roles(page_id, [record_of(RuleRow, row) for row in ruled])
        if self._compare_supports(page_id, shown, hidden):
            query = _open(members, members.c.page_version_id).where(members.c.page_id == page_id)
            reading = load_reading(self.connection, self.connection.execute(query).scalar_one())
            facts = fact_vectors(shown, stated_texts(reading, shown))
            self._compare_vectors(page_id, facts, vectors.c.kind == "fact")

    def _compare_supports(self, page_id: int, shown: Iterable[SupportRow], hidden: Iterable[SupportRow]) -> bool:
        """The supports of a page under the names that are in force, and those that are hidden, under their own; whether
        any changes."""
        as_written = [asdict(_under(row, {})) for row in hidden]
        changes = self._compare(supports, page_id, map(asdict, shown), ("content_key",))
        return self._compare(hidden_supports, page_id, as_written, ("content_key",)) or changes

    def _compare_roles(self, page_id: int, ruled: Sequence[RuleRow]) -> None:
        """The entities of a page's rules under the names that are in force."""
        wanted = map(asdict, role_rows(ruled, self.names))
        self._compare(rule_roles, page_id, wanted, ("rule_key", "position", "role", "entity"))

    def _compare_vectors(self, page_id: int, rows: Sequence[VectorRow], *among: ColumnElement[bool]) -> None:
        wanted = [
            {"model": self.plan.model, "kind": row.kind, "ref": row.ref, "text_hash": row.text_hash} for row in rows
        ]
        self._compare(vectors, page_id, wanted, ("kind", "ref", "text_hash", "model"), *among)
        self.plan.add_texts(rows)

    def _compare(
        self, table: Table, page_id: int, wanted: Iterable[Row], key: tuple[str, ...], *among: ColumnElement[bool]
    ) -> bool:
        """Open what is wanted and not there, close what is there (``among`` these rows of the page) and not wanted;
        whether there is anything to do."""
        base = {"corpus_id": self.plan.corpus_id, "page_id": page_id}
        shown = table.c.until == OPEN
        if self.audited is not None:
            shown = seen_at(table, self.audited)
            key = tuple(one.name for one in table.c if one.name not in _OF_THE_ROW)
        query = select(table.c.id, *(table.c[name] for name in key)).where(table.c.page_id == page_id, shown, *among)
        new = {tuple(row[name] for name in key): row for row in (base | row for row in wanted)}
        there, closed = set(), []
        for number, *cells in self.connection.execute(query.order_by(table.c.id)):
            if (identity := tuple(cells)) not in new or identity in there:  # a second one of a kind, too
                closed.append(number)
            there.add(identity)
        opened = [row for identity, row in new.items() if identity not in there]
        self.plan.opened.setdefault(table, Spool()).extend(opened)
        self.plan.closed.setdefault(table, []).extend(closed)
        return bool(opened or closed)


def _open(table: Table, *columns: Any) -> Select[Any]:
    return select(*columns).where(table.c.until == OPEN).order_by(table.c.id)


def _under(row: SupportRow, names: Mapping[str, str]) -> SupportRow:
    return decode(supports.c.statement, row.content_key, row, lambda support: with_names(support, names))
