"""Assertions as rows of their pages, and which of them cannot both hold: found when a publish brings one of them, since
that depends on the two alone. A pair holds at an epoch that shows both."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Row, Select, select

from clausegraph.core.hashing import canonical_json, content_hash
from clausegraph.core.types import Element, Link, PageKey, PlacedRule, Reading, Rule
from clausegraph.indexes.contradictions.assertions import Assertion, assertions_of
from clausegraph.indexes.contradictions.compare import Pair, find_pairs, keys_of, sought_by
from clausegraph.indexes.graph.links import may_replace
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.dialect import without_index
from clausegraph.indexes.ledger.schema import assertions, conflicts, on_pages, pages, sources
from clausegraph.indexes.ledger.store import Ledger, Reads, batches

_AT_ONCE = 2000  # assertions that are compared with all others: some 32 pages
_OF_NO_PAGE = PageKey("", "")
_FORM = TypeAdapter(Assertion)


@dataclass(frozen=True, slots=True)
class AssertionRow:
    content_key: str
    first: str  # hashes of what others find it by
    second: str
    assertion: str  # canonical JSON without its page; of the row of the page itself its title, address and links


def assertion_rows(rules: Mapping[str, Rule], reading: Reading) -> Iterator[AssertionRow]:
    """The rows of a page with these rules, by their keys, but for assertions of no words: the first is its own."""
    linked = [[one.anchor, *astuple(link)] for one in reading.elements for link in one.links]
    says = _REPLACES if may_replace(reading) else ""
    yield _row(_PAGE, says, canonical_json([reading.title, reading.url, linked]))
    placed = [PlacedRule(key, _OF_NO_PAGE, "", rule, "", ()) for key, rule in rules.items()]
    for one in assertions_of(placed, {_OF_NO_PAGE: reading}):
        body = _FORM.dump_python(one, mode="json", exclude={"page"}, exclude_defaults=True)
        sets = {name: sorted(body[name], key=str) for name in body if isinstance(getattr(one, name), frozenset)}
        keys = [*map(_hashed, keys_of(one)), ""]
        if len(keys) > 1:
            yield _row(keys[0], keys[1], canonical_json(body | sets))


def _row(first: str, second: str, text: str) -> AssertionRow:
    return AssertionRow(content_hash("assertion", second, text), first, second, text)


def _hashed(key: str) -> str:
    return content_hash("sought", key)[:16]


_PAGE, _REPLACES = _hashed("a page"), _hashed("a page that may replace another")


def new_conflicts(ledger: Ledger, corpus_id: int, number: int) -> Iterator[dict[str, Any]]:
    """The rows of the pairs that an epoch brings, whose other rows are there."""
    shown = _shown(corpus_id, number)
    new = (assertions.c.corpus_id == corpus_id, assertions.c.since == number)
    ids = [row.id for row in ledger.rows(select(assertions.c.id).where(*new).order_by(assertions.c.id))]
    for part in batches(ids, _AT_ONCE):
        mine = _read(ledger.rows_of(_query().where(assertions.c.first != _PAGE), assertions.c.id, part))
        keys = {_hashed(key) for one in mine for key in sought_by(one)}
        before = _query().where(*shown, assertions.c.id <= part[-1])  # those behind it find it themselves
        found = (row for by in ("first", "second") for row in ledger.rows_of(before, assertions.c[by], sorted(keys)))
        there = _read(found) | mine
        for kind, *pair in find_pairs(there, mine):
            one, other = sorted(there[side] for side in pair)
            yield {"corpus_id": corpus_id, "one_id": one, "other_id": other, "kind": kind}


def stored_pairs(reads: Reads, corpus_id: int, epoch: int, of: Collection[PageKey] | None = None) -> list[Pair]:
    """The pairs of an epoch that cannot both hold, or those of some of its pages."""
    one, other = assertions.alias(), assertions.alias()
    query = select(conflicts).join(one, one.c.id == conflicts.c.one_id).join(other, other.c.id == conflicts.c.other_id)
    query = query.where(*_seen(one, epoch), *_seen(other, epoch))
    if of is None:
        rows = set(reads.rows(query.where(conflicts.c.corpus_id == corpus_id)))
    else:
        uris = pages.c.uri.in_(sorted({page.uri for page in of}))  # of other sources, too
        named = select(pages.c.id).join(sources, sources.c.id == pages.c.source_id)
        named = named.where(sources.c.corpus_id == corpus_id, uris)
        mine = [row.id for row in reads.rows(select(assertions.c.id).where(assertions.c.page_id.in_(named)))]
        sides = conflicts.c.one_id, conflicts.c.other_id
        rows = {row for side in sides for row in reads.rows_of(query, side, mine)}
    ids = (number for row in rows for number in (row.one_id, row.other_id))
    there = {number: one for one, number in _read(reads.rows_of(_query(), assertions.c.id, ids)).items()}
    return [(row.kind, there[row.one_id], there[row.other_id]) for row in rows]


def replacing_pages(reads: Reads, corpus_id: int, epoch: int) -> list[PageKey]:
    """The pages of an epoch that may say that they replace another one, or the reverse."""
    return [PageKey(row.name, row.uri) for row in _of_pages(reads, corpus_id, epoch, assertions.c.second == _REPLACES)]


def linked_pages(reads: Reads, corpus_id: int, epoch: int) -> dict[PageKey, Reading]:
    """Every page of an epoch with its title and address, and of its elements with the links and their anchors alone."""
    return {
        PageKey(row.name, row.uri): decode(assertions.c.assertion, row.id, row.assertion, _links)
        for row in _of_pages(reads, corpus_id, epoch, assertions.c.first == _PAGE)
    }


def _of_pages(reads: Reads, corpus_id: int, epoch: int, which: ColumnElement[bool]) -> Sequence[Row[Any]]:
    query = _query().where(which, *_shown(corpus_id, epoch))
    return reads.rows(query.order_by(sources.c.name, pages.c.uri))


def _links(text: str) -> Reading:
    title, url, links = json.loads(text)
    return Reading(title, url, tuple(Element(at, "", "", "", links=(Link(*link),)) for at, *link in links))


def _shown(corpus_id: int, epoch: int) -> tuple[ColumnElement[bool], ...]:
    return (assertions.c.corpus_id == corpus_id, *_seen(assertions, epoch))


def _seen(table: Any, epoch: int) -> tuple[ColumnElement[bool], ...]:
    """Whether a row is visible, with no index that may be taken for it."""
    return without_index(table.c.since) <= epoch, without_index(table.c.until) > epoch


def _query() -> Select[Any]:
    named = select(assertions.c.id, assertions.c.assertion, sources.c.name, pages.c.uri)
    return named.select_from(on_pages(assertions))


def _read(rows: Iterable[Row[Any]]) -> dict[Assertion, int]:
    """Assertions with their ids."""
    column = assertions.c.assertion
    return {decode(column, row.id, row, _assertion): row.id for row in rows}


def _assertion(row: Row[Any]) -> Assertion:
    return _FORM.validate_python(json.loads(row.assertion) | {"page": PageKey(row.name, row.uri)})
