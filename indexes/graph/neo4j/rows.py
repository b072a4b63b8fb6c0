"""From the ledger to Neo4j: rows with an epoch interval as nodes and relationships, in parts of one transaction each.

Pure reading: every part is one short read of the ledger, walked by row id, so that no transaction stays open. The
same parts are written by a projection, and compared with what the server has by ``state.differences``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Row, Table, select

from clausegraph.core.hashing import canonical_json
from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.wording import condition_words, written
from clausegraph.core.serial import condition_from_json, reading_from_bytes, statement_from_text
from clausegraph.core.types import LITERAL, Reading, leaves
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.dialect import without_index
from clausegraph.indexes.ledger.schema import (
    OPEN,
    chunks,
    entity_names,
    members,
    on_pages,
    page_versions,
    pages,
    sources,
    supports,
)
from clausegraph.indexes.ledger.store import Ledger, batches

BATCH = 10_000  # relationships written in one transaction
_PAGES = 50  # read at once, with all their elements
_REMEMBERED = 1_000_000  # names: some 200 MB

Properties = dict[str, Any]
NODES = ("Page", "Chunk", "Element", "Entity", "Value", "Condition")
STATES, HAS_PAGE, HAS_CHUNK, HAS_ELEMENT, TAKEN_FOR = "STATES", "HAS_PAGE", "HAS_CHUNK", "HAS_ELEMENT", "TAKEN_FOR"
TYPES = (STATES, HAS_ELEMENT, HAS_CHUNK, HAS_PAGE, TAKEN_FOR)  # removed in this order


@dataclass(frozen=True, slots=True)
class GraphCorpus:
    """The corpus whose rows these are: its id in the ledger, and its name."""

    id: int
    name: str


def term_key(corpus_id: int, name: str) -> str:
    """Key of the node of an entity or a value: names may be too long for an index."""
    return f"{corpus_id}/{_digest(name)}"


def _digest(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def _edge_id(corpus: GraphCorpus, table: Table, row: Row[Any]) -> str:
    """What a row of a table is called as a relationship."""
    if table is members:
        name = f"{row.page_id}/{row.page_version_id}/{_digest(row.extractor, row.projection)[:8]}"
    elif table is chunks:
        name = f"{row.page_id}/{_digest(row.key, row.content_hash, row.input_key)}"
    elif table is supports:
        name = f"{row.page_id}/{row.content_key}"
    else:
        name = _digest(row.name)
    return f"{corpus.id}/{name}@{row.since}"


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship: keys of its two nodes, label of the second, and its properties, ``id`` among them."""

    start: str | int
    end: str
    target: str
    properties: Properties


@dataclass(slots=True)
class GraphRows:
    """Relationships of one type, the leaves of their conditions, and their nodes by label and key.

    An entity or a value is a node of the first part that needs it, and may be left out of the later ones: whoever
    has a relationship has its nodes.
    """

    type: str
    edges: list[Edge] = field(default_factory=list)
    nodes: dict[str, dict[str, Properties]] = field(default_factory=dict)
    leaves: list[Properties] = field(default_factory=list)

    def add_node(self, label: str, **properties: Any) -> str:
        """Note a node; returns its key."""
        key: str = properties["key"]
        self.nodes.setdefault(label, {})[key] = properties
        return key


@dataclass(frozen=True, slots=True)
class Interval:
    """Epochs ``(after, upto]``: the rows that open in it, ``batch`` at a time. What closes later is open as yet."""

    after: int
    upto: int
    batch: int = BATCH


def opened_rows(ledger: Ledger, corpus: GraphCorpus, interval: Interval) -> Iterator[GraphRows]:
    """Everything that opens in the interval; pages first, for conditions are tied to their elements."""
    made = _Maker(corpus, interval)
    for table, parts in (
        (members, made.pages),
        (chunks, made.chunks),
        (supports, made.states),
        (entity_names, made.names),
    ):
        within = (table.c.since > interval.after, table.c.since <= interval.upto)
        mine = without_index(table.c.corpus_id) == corpus.id  # else all rows would be sorted for every batch
        for rows in _walk(ledger, table, interval, mine, *within):
            yield from parts(rows)


def closed_rows(ledger: Ledger, corpus: GraphCorpus, interval: Interval) -> Iterator[tuple[str, list[Properties]]]:
    """(type, [{id, until}]) of every older row that closes in the interval."""
    for kind, table in ((STATES, supports), (HAS_CHUNK, chunks), (TAKEN_FOR, entity_names), (HAS_PAGE, members)):
        within = (table.c.since <= interval.after, table.c.until > interval.after, table.c.until <= interval.upto)
        for rows in _walk(ledger, table, interval, table.c.corpus_id == corpus.id, *within):
            ends = [{"id": _edge_id(corpus, table, row), "until": row.until} for row in rows]
            yield kind, ends
            if table is members:
                of_elements = [
                    {"id": f"{end['id']}#{element.anchor}", "until": row.until}
                    for row, end in zip(rows, ends, strict=True)
                    for element in _reading(row).elements
                ]
                for part in batches(of_elements, interval.batch):
                    yield HAS_ELEMENT, list(part)


def _walk(
    ledger: Ledger, table: Table, interval: Interval, *among: ColumnElement[bool]
) -> Iterator[Sequence[Row[Any]]]:
    """Rows by id, each time in a short transaction of its own; pages are few at once, with all their elements."""
    size, query = interval.batch, select(table)
    if table is members:
        size = min(size, _PAGES)
        query = (
            select(members, pages.c.uri, sources.c.name.label("source"), page_versions.c.reading)
            .select_from(on_pages(members))
            .join(page_versions, page_versions.c.id == members.c.page_version_id)
        )
    last = 0
    while rows := ledger.rows(query.where(*among, table.c.id > last).order_by(table.c.id).limit(size)):
        yield rows
        last = rows[-1].id


def _reading(row: Row[Any]) -> Reading:
    return decode(page_versions.c.reading, row.page_version_id, row.reading, reading_from_bytes)


class _Maker:
    """Makes nodes and relationships of rows."""

    def __init__(self, corpus: GraphCorpus, interval: Interval) -> None:
        self._corpus, self._interval = corpus, interval
        self._terms: dict[str, str] = {}  # key of a node by name; a value's begins with LITERAL, an entity's never

    def _page_key(self, row: Row[Any]) -> str:
        return f"{self._corpus.id}/{row.page_id}"

    def _seen(self, table: Table, row: Row[Any]) -> Properties:
        """What every relationship has: its id, and its epochs as they are known at the interval's end."""
        until = row.until if row.until <= self._interval.upto else OPEN
        identity = _edge_id(self._corpus, table, row)
        return {"id": identity, "corpus": self._corpus.name, "since": row.since, "until": until}

    def pages(self, rows: Sequence[Row[Any]]) -> Iterator[GraphRows]:
        """The pages with their elements."""
        corpus = self._corpus.name
        heads, part = GraphRows(HAS_PAGE), GraphRows(HAS_ELEMENT)
        bodies = [part]
        for row in rows:
            reading, seen = _reading(row), self._seen(members, row)
            page = heads.add_node("Page", key=self._page_key(row), corpus=corpus, source=row.source, uri=row.uri)
            stated = {"title": reading.title, "url": reading.url, "updated": reading.updated}
            heads.edges.append(Edge(self._corpus.id, page, "Page", seen | stated))
            for position, e in enumerate(reading.elements):
                if len(part.edges) >= self._interval.batch:
                    bodies.append(part := GraphRows(HAS_ELEMENT))
                about = {"page": page, "anchor": e.anchor, "tag": e.tag, "text": e.text}
                end = part.add_node("Element", key=f"{page}#{e.anchor}", corpus=corpus, **about)
                place = {"id": f"{seen['id']}#{e.anchor}", "position": position, "headings": list(e.headings)}
                part.edges.append(Edge(page, end, "Element", seen | place))
        yield heads
        yield from (body for body in bodies if body.edges)

    def chunks(self, rows: Sequence[Row[Any]]) -> Iterator[GraphRows]:
        """The chunks of pages."""
        part = GraphRows(HAS_CHUNK)
        for row in rows:
            page = self._page_key(row)
            end = part.add_node("Chunk", key=f"{page}#{row.key}", corpus=self._corpus.name, page=page, chunk=row.key)
            part.edges.append(Edge(page, end, "Chunk", self._seen(chunks, row) | {"content_hash": row.content_hash}))
        yield part

    def states(self, rows: Sequence[Row[Any]]) -> Iterator[GraphRows]:
        """The supports, with their conditions."""
        part = GraphRows(STATES)
        for row in rows:
            stated = decode(supports.c.statement, row.id, row.statement, statement_from_text)
            statement, page = json.loads(row.statement), self._page_key(row)
            tree = statement.get("condition")
            properties = self._seen(supports, row) | {
                "fact_id": row.fact_id,
                "relation": row.relation,
                "page": page,
                "chunk": row.chunk_key,
                "anchors": list(dict.fromkeys(span.anchor for span in stated.spans)),
                "polarity": statement["polarity"],
                "modality": statement["modality"],
                "wording": statement.get("wording"),
                "subject_written": written(stated.subject),
                "object_written": written(stated.object),
                "effective_from": stated.effective_from,
                "effective_to": stated.effective_to,
                "step": stated.step.text if stated.step else None,
                "procedure": stated.step.procedure if stated.step else None,
                "condition": None if tree is None else self._condition(part, page, tree),
                "extractor": row.extractor,
                "content_key": row.content_key,
                "statement": row.statement,
            }
            label = "Value" if row.object.startswith(LITERAL) else "Entity"
            part.edges.append(Edge(self._term(part, row.subject), self._term(part, row.object), label, properties))
        yield part

    def names(self, rows: Sequence[Row[Any]]) -> Iterator[GraphRows]:
        """The names that are taken for another entity."""
        part = GraphRows(TAKEN_FOR)
        for row in rows:
            ends = self._term(part, row.name), self._term(part, row.entity)
            part.edges.append(Edge(*ends, "Entity", self._seen(entity_names, row)))
        yield part

    def _term(self, part: GraphRows, name: str) -> str:
        """The key of an entity's or a value's node, which the part gets unless an earlier one had it."""
        key = self._terms.get(name)
        if key is None:
            if len(self._terms) >= _REMEMBERED:
                self._terms.clear()
            said, corpus = name.removeprefix(LITERAL), self._corpus
            key = self._terms[name] = term_key(corpus.id, said)
            if name.startswith(LITERAL):
                part.add_node("Value", key=key, corpus=corpus.name, name=said)
            else:
                words = f" {' '.join(sorted(set(tokens(name))))} "  # each between blanks, as a text index finds them
                part.add_node("Entity", key=key, corpus=corpus.name, name=said, words=words)
        return key

    def _condition(self, part: GraphRows, page: str, tree: Any) -> str:
        """A node for the tree, tied to the elements of its leaves; equal trees of a page are one node."""
        body = canonical_json(tree)
        key = f"{page}/{_digest(body)}"
        if key not in part.nodes.get("Condition", {}):
            condition = condition_from_json(tree)
            words = condition_words(condition, parts_in_brackets=True)
            part.add_node("Condition", key=key, corpus=self._corpus.name, page=page, tree=body, text=words)
            for position, leaf in enumerate(leaves(condition)):
                where = {"start": leaf.start, "end": leaf.end, "text": leaf.text}
                part.leaves.append({"condition": key, "element": f"{page}#{leaf.anchor}", "position": position} | where)
        return key
