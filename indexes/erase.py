"""Takes pages out of what no publish and no vacuum touches: decisions, reports, answers, records of runs.

``begin`` goes before the publish that removes the pages, and keeps them out from then on; ``scrub`` goes after the
vacuum. Both may be repeated. A question that people asked stays, unless what they judged or watch rests on a page.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, or_, select, update

from clausegraph.core.hashing import canonical_json
from clausegraph.core.serial import unpack
from clausegraph.indexes.corpora import DROPPED
from clausegraph.indexes.ledger.dialect import insert_new
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.schema import (
    decisions,
    fetches,
    forgotten,
    hidden_statements,
    hidden_supports,
    judged_answers,
    model_calls,
    rules,
    run_pages,
    run_steps,
    runs,
    sources,
    supports,
    watch_changes,
    watches,
)  # fmt: skip
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.work import HELD, held_runs, settle_held

_WINDOW = 32  # characters of a text that tell it
_LISTS = (runs.c.report, model_calls.c.pages, decisions.c.evidence, run_steps.c.data)  # JSON: entries are left out
_QUOTES = (judged_answers.c.answer, judged_answers.c.expected, watch_changes.c.change)  # the whole row goes
_WATCHED = (watches.c.answer, watches.c.approved)

Place = tuple[str, str]  # source and uri of a page


@dataclass(frozen=True, slots=True)
class Quoted:
    """What tells that something names, quotes or rests on pages: their places, their names, parts of their texts."""

    places: frozenset[Place]
    names: Collection[str]
    texts: Collection[str]

    def is_in(self, value: Any) -> bool:
        """Whether a JSON value does, in any part of it."""
        if isinstance(value, str):
            return self.is_said_in(value)
        parts = list(value.items()) if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
        place = [value.get("source"), value.get("uri")] if isinstance(value, Mapping) else list(parts[:2])
        is_place = all(isinstance(part, str) for part in place) and tuple(place) in self.places
        return is_place or any(map(self.is_in, parts))

    def is_said_in(self, text: str) -> bool:
        """Whether a text does."""
        starts = range(max(1, len(text) - _WINDOW + 1))
        return (
            any(name in text and re.search(rf"(?<![\w/%-]){re.escape(name)}(?![\w/%-])", text) for name in self.names)
            or any(text[start : start + _WINDOW].strip() in self.texts for start in starts)
            or any(part in text for part in self.texts if len(part) < _WINDOW)
        )

    def left_out(self, value: Any) -> Any:
        """A JSON value of the same form without entries and texts that name or quote the pages."""
        if isinstance(value, Mapping):
            return {name: self.left_out(part) for name, part in value.items() if not self.is_in(name)}
        if isinstance(value, list):
            return [self.left_out(part) for part in value if not (isinstance(part, str) and self.is_said_in(part))]
        return "" if isinstance(value, str) and self.is_said_in(value) else value


def begin(ledger: Ledger, lease: RunLease, row: Mapping[str, Any], quoted: Quoted, ids: Collection[int]) -> list[str]:
    """Keep pages, of these ``ids``, out from now on, and take back what people decided about them alone; returns the
    runs that were dropped from quarantine, because they would bring one back. Nobody is told how watched answers change
    by it. ``row`` is that of the table ``forgotten``, without its corpus."""
    mine = lease.corpus_id
    held = [run for run in held_runs(ledger, mine) if _holds(ledger, run, quoted.places, ids)]
    with ledger.write() as connection:
        check_fence(connection, lease)
        ledger.database.promise_removal(connection)
        connection.execute(insert_new(forgotten), dict(row) | {"corpus_id": mine})
        for column in _WATCHED:
            _scrub_column(connection, mine, column, quoted)
        for source, uri in quoted.places:
            here = (hidden_statements.c.source == source, hidden_statements.c.uri == uri)
            connection.execute(delete(hidden_statements).where(hidden_statements.c.corpus_id == mine, *here))
        for one in connection.execute(select(decisions).where(decisions.c.corpus_id == mine)).all():
            if any(_is_only_on(connection, mine, name, set(ids)) for name in (one.name, one.entity)):
                connection.execute(delete(decisions).where(decisions.c.id == one.id))
    for run in held:
        settle_held(ledger, run, DROPPED)
    return held


def _is_only_on(connection: Connection, corpus_id: int, name: str, ids: set[int]) -> bool:
    """Whether these pages write a name, and no other page does."""
    there: set[int] = set()
    written = json.dumps(name, ensure_ascii=False)
    for column in (supports.c.statement, hidden_supports.c.statement, rules.c.rule):
        of_corpus = (column.table.c.corpus_id == corpus_id, column.contains(written, autoescape=True))
        there.update(connection.execute(select(column.table.c.page_id).distinct().where(*of_corpus)).scalars())
    return bool(there) and there <= ids


def _holds(ledger: Ledger, run: str, places: Collection[Place], ids: Collection[int]) -> bool:
    """Whether a run in quarantine would publish one of the pages, or remove it."""
    planned = {row.page_id for row in ledger.rows(select(run_pages.c.page_id).where(run_pages.c.run_id == run))}
    left = ledger.value(select(run_steps.c.data).where(run_steps.c.run_id == run, run_steps.c.step == HELD))
    return not planned.isdisjoint(ids) or not {uri for _, uri in places}.isdisjoint(json.loads(left)["removed"])


def scrub(ledger: Ledger, lease: RunLease, quoted: Quoted, whole: Collection[str]) -> Counter[str]:
    """Take pages out of addresses, reports, answers and watches; returns how many rows changed or went, by table. Of
    the sources named in ``whole`` nothing stays, no runs either."""
    mine, gone = lease.corpus_id, Counter[str]()
    with ledger.write() as connection:
        check_fence(connection, lease)
        for source, uri in quoted.places:
            of_source = select(sources.c.id).where(sources.c.corpus_id == mine, sources.c.name == source)
            leads = or_(fetches.c.uri == uri, fetches.c.address == uri, fetches.c.target == uri)
            one = delete(fetches).where(fetches.c.source_id.in_(of_source), leads)
            gone["fetches"] += connection.execute(one).rowcount
        for column in (runs.c.source, sources.c.name):
            one = delete(column.table).where(column.table.c.corpus_id == mine, column.in_(list(whole)))
            gone[column.table.name] += connection.execute(one).rowcount
        for column in (*_LISTS, *_QUOTES, *_WATCHED):
            gone[column.table.name] += _scrub_column(connection, mine, column, quoted)
    return +gone


def _scrub_column(connection: Connection, corpus_id: int, column: Any, quoted: Quoted) -> int:
    table, count = column.table, 0
    for row in connection.execute(select(table).where(table.c.corpus_id == corpus_id, column.is_not(None))).all():
        cell = row._mapping[column.name]
        value = cell if column.name == "expected" else unpack(cell) if isinstance(cell, bytes) else json.loads(cell)
        if not quoted.is_in(value):
            continue
        count += 1
        here = [key == row._mapping[key.name] for key in table.primary_key.columns]
        if column in _QUOTES:
            connection.execute(delete(table).where(*here))
        else:
            change: dict[str, Any] = {column.name: None}  # of a watch: it is asked anew
            if column is watches.c.approved:
                change["approved_by"] = None
            elif column in _LISTS:
                change = {column.name: canonical_json(quoted.left_out(value))}
            connection.execute(update(table).where(*here).values(**change))
    return count
