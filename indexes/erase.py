"""Takes pages out of what no publish and no vacuum touches: decisions, reports, answers, addresses.

``begin`` goes before the publish that removes the pages, and keeps them out from then on; ``scrub`` goes after it. Both
may be repeated. A question that people asked stays, unless what they judged or watch rests on a page.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, delete, or_, select, update

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
    page_versions,
    pages,
    rules,
    runs,
    sources,
    supports,
    watch_changes,
    watches,
)  # fmt: skip
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.postings import cut_from_blocks
from clausegraph.indexes.work import held_runs, settle_held

_WINDOW = 32  # characters of a text that tell it
_LISTS = (runs.c.report, runs.c.job, model_calls.c.pages, decisions.c.evidence)  # JSON: entries are left out
_QUOTES = (judged_answers.c.answer, judged_answers.c.expected, watch_changes.c.change)  # the whole row goes


@dataclass(frozen=True, slots=True)
class Quoted:
    """What tells that something names or quotes pages: names, ``source:uri`` among them, and windows of texts."""

    names: Collection[str]
    texts: Collection[str]

    def is_in(self, value: Any) -> bool:
        """Whether a JSON value names or quotes them, in any part of it."""
        return any(map(self._is_said_in, _texts(value)))

    def left_out(self, value: Any) -> Any:
        """A JSON value of the same form without entries and texts that name or quote the pages."""
        if isinstance(value, Mapping):
            return {name: self.left_out(part) for name, part in value.items() if not self.is_in(name)}
        if isinstance(value, list):
            return [self.left_out(part) for part in value if not (isinstance(part, str) and self.is_in(part))]
        return "" if isinstance(value, str) and self.is_in(value) else value

    def _is_said_in(self, text: str) -> bool:
        starts = range(max(1, len(text) - _WINDOW + 1))
        return (
            any(name in text and _is_whole(text, name) for name in self.names)
            or any(text[start : start + _WINDOW].strip() in self.texts for start in starts)
            or any(part in text for part in self.texts if len(part) < _WINDOW)
        )


def _texts(value: Any) -> Iterator[str]:
    """The texts of a JSON value; of a place in it, ``{"source": …, "uri": …}`` or a list, ``source:uri`` too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield f"{value.get('source')}:{value.get('uri')}"
        for name, part in value.items():
            yield from (name, *_texts(part))
    elif isinstance(value, list):
        yield ":".join(map(str, value[:2]))
        for part in value:
            yield from _texts(part)


def _is_whole(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w/%-]){re.escape(name)}(?![\w/%-])", text) is not None


def begin(
    ledger: Ledger, lease: RunLease, rows: Sequence[Mapping[str, Any]], quoted: Quoted, places: set[tuple[str, str]]
) -> int:
    """Keep pages out from now on, and take back what people decided about them alone; returns how many runs of their
    sources were dropped from quarantine, which would bring them back. How watched answers change by it is not told.

    Args:
        rows: of the table ``forgotten``, without their corpus.
        places: sources and uris of the pages.
    """
    mine = lease.corpus_id
    held = held_runs(ledger, mine, runs.c.source.in_({source for source, _ in places}))
    with ledger.write() as connection:
        check_fence(connection, lease)
        ledger.database.promise_removal(connection)
        for row in rows:
            connection.execute(insert_new(forgotten), {**row, "corpus_id": mine})
        for column, change in ((watches.c.answer, {}), (watches.c.approved, {"approved_by": None})):
            for number, _ in _quoting(connection, mine, column, quoted):
                values = {column.name: None} | change
                connection.execute(update(watches).where(watches.c.id == number).values(values))
        for source, uri in places:
            of_page = (hidden_statements.c.source == source, hidden_statements.c.uri == uri)
            connection.execute(delete(hidden_statements).where(hidden_statements.c.corpus_id == mine, *of_page))
        for one in connection.execute(select(decisions).where(decisions.c.corpus_id == mine)).all():
            if any(_is_only_on(connection, mine, name, places) for name in (one.name, one.entity)):
                connection.execute(delete(decisions).where(decisions.c.id == one.id))
    for run in held:
        settle_held(ledger, run, DROPPED)
    return len(held)


def _is_only_on(connection: Connection, corpus_id: int, name: str, places: set[tuple[str, str]]) -> bool:
    """Whether these pages write a name, and no other page does."""
    there: set[tuple[str, str]] = set()
    written = json.dumps(name, ensure_ascii=False)
    for column in (supports.c.statement, hidden_supports.c.statement, rules.c.rule):
        query = select(sources.c.name, pages.c.uri).join(pages, pages.c.source_id == sources.c.id).distinct()
        of_corpus = (column.table.c.corpus_id == corpus_id, column.contains(written, autoescape=True))
        there.update(map(tuple, connection.execute(query.where(column.table.c.page_id == pages.c.id, *of_corpus))))
    return bool(there) and there <= places


def scrub(
    ledger: Ledger, lease: RunLease, quoted: Quoted, places: set[tuple[str, str]], whole: Collection[str]
) -> Counter[str]:
    """Take pages out of addresses, reports and answers; returns how many rows changed or went, by table.

    Args:
        whole: names of sources of which no run is to stay.
    """
    mine, gone = lease.corpus_id, Counter[str]()
    with ledger.write() as connection:
        check_fence(connection, lease)
        for source, uri in places:
            of_source = select(sources.c.id).where(sources.c.corpus_id == mine, sources.c.name == source)
            leads = or_(fetches.c.uri == uri, fetches.c.address == uri, fetches.c.target == uri)
            one = delete(fetches).where(fetches.c.source_id.in_(of_source), leads)
            gone["fetches"] += connection.execute(one).rowcount
        of_whole = delete(runs).where(runs.c.corpus_id == mine, runs.c.source.in_(list(whole)))
        gone["runs"] += connection.execute(of_whole).rowcount
        for column in (*_QUOTES, *_LISTS):
            table = column.table
            for number, value in _quoting(connection, mine, column, quoted):
                changed = update(table).values({column: canonical_json(quoted.left_out(value))})
                connection.execute((changed if column in _LISTS else delete(table)).where(table.c.id == number))
                gone[table.name] += 1
    return +gone


def drop_sources(ledger: Ledger, lease: RunLease, names: Collection[str]) -> None:
    """Remove whole sources, with all that is left of them; not before nobody reads an epoch that shows them."""
    gone = (sources.c.corpus_id == lease.corpus_id, sources.c.name.in_(names))
    theirs = select(page_versions.c.id).join(pages, pages.c.id == page_versions.c.page_id)
    rows = ledger.rows(theirs.join(sources, sources.c.id == pages.c.source_id).where(*gone))
    cut_from_blocks(ledger, lease, [row.id for row in rows])
    with ledger.write() as connection:
        check_fence(connection, lease)
        ledger.database.promise_removal(connection)
        connection.execute(delete(sources).where(*gone))


def _quoting(connection: Connection, corpus_id: int, column: Column[Any], quoted: Quoted) -> list[tuple[Any, Any]]:
    """The ids of the rows that name or quote pages in a column, and the JSON values there."""
    table = column.table
    query = select(table.c.id, column).where(table.c.corpus_id == corpus_id, column.is_not(None))
    found = []
    for number, cell in connection.execute(query).all():
        is_text = column is judged_answers.c.expected
        value = cell if is_text else unpack(cell) if isinstance(cell, bytes) else json.loads(cell)
        found += [(number, value)] if quoted.is_in(value) else []
    return found
