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

from sqlalchemy import Row, Select, Table, select

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
    page_versions,
    pages,
    sources,
    supports,
)
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import batches


@dataclass(frozen=True, slots=True)
class GraphCorpus:
    """The corpus whose rows these are: its id in the ledger, and its name."""

    id: int
    name: str


def page_key(corpus_id: int, page_id: int) -> str:
    return f"{corpus_id}/{page_id}"


def term_key(corpus_id: int, name: str) -> str:
    """Key of the node of an entity or a value: names may be too long for an index."""
    return f"{corpus_id}/{digest(name)}"


def words(name: str) -> str:
    """The tokens of a name, each between blanks, as a text index finds them."""
    return f" {' '.join(sorted(set(tokens(name))))} "


def digest(*parts: str) -> str:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).hexdigest()


def member_id(corpus: GraphCorpus, row: Row[Any]) -> str:
    return f"{corpus.id}/{row.page_id}/{row.page_version_id}/{digest(row.extractor, row.projection)[:8]}@{row.since}"


def chunk_id(corpus: GraphCorpus, row: Row[Any]) -> str:
    return f"{corpus.id}/{row.page_id}/{digest(row.key, row.content_hash, row.input_key)}@{row.since}"


def support_id(corpus: GraphCorpus, row: Row[Any]) -> str:
    return f"{corpus.id}/{row.page_id}/{row.content_key}@{row.since}"


def name_id(corpus: GraphCorpus, row: Row[Any]) -> str:
    return f"{corpus.id}/{digest(row.name)}@{row.since}"


BATCH = 10_000  # relationships written in one transaction
_PAGES = 50  # read at once, with all their elements
_REMEMBERED = 1_000_000  # names: some 200 MB

Properties = dict[str, Any]
NODES = ("Page", "Chunk", "Element", "Entity", "Value", "Condition")
STATES, HAS_PAGE, HAS_CHUNK, HAS_ELEMENT, TAKEN_FOR = "STATES", "HAS_PAGE", "HAS_CHUNK", "HAS_ELEMENT", "TAKEN_FOR"
TYPES = (STATES, HAS_ELEMENT, HAS_CHUNK, HAS_PAGE, TAKEN_FOR)  # removed in this order


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

    def add_node(self, label: str, properties: Properties) -> str:
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
    yield from _pages(ledger, corpus, interval)
    yield from _chunks(ledger, corpus, interval)
    yield from _supports(ledger, corpus, interval)
    yield from _names(ledger, corpus, interval)


def closed_rows(ledger: Ledger, corpus: GraphCorpus, interval: Interval) -> Iterator[tuple[str, list[Properties]]]:
    """(type, [{id, until}]) of every older row that closes in the interval."""

    for kind, table, query, identity in (
        (STATES, supports, select(supports), support_id),
        (HAS_CHUNK, chunks, select(chunks), chunk_id),
        (TAKEN_FOR, entity_names, select(entity_names), name_id),
        (HAS_PAGE, members, _members(), member_id),
    ):
        within = (table.c.since <= interval.after, table.c.until > interval.after, table.c.until <= interval.upto)
        mine = query.where(table.c.corpus_id == corpus.id, *within)
        for rows in _walk(ledger, table, mine, _size(interval, table)):
            yield kind, [{"id": identity(corpus, row), "until": row.until} for row in rows]
            if table is members:
                ends = [
                    {"id": f"{member_id(corpus, row)}#{element.anchor}", "until": row.until}
                    for row in rows
                    for element in _reading(row).elements
                ]
                for part in batches(ends, interval.batch):
                    yield HAS_ELEMENT, list(part)


# --- parts ----------------------------------------------------------------------------------------


def _walk(ledger: Ledger, table: Table, query: Select[Any], size: int) -> Iterator[Sequence[Row[Any]]]:
    """Rows by id, ``size`` at a time, each time in a short transaction of its own."""
    last = 0
    while True:
        with ledger.read() as connection:
            rows = connection.execute(query.where(table.c.id > last).order_by(table.c.id).limit(size)).all()
        if not rows:
            return
        yield rows
        last = rows[-1].id


def _size(interval: Interval, table: Table) -> int:
    """Rows read at once: pages come with all their elements."""
    return min(interval.batch, _PAGES) if table is members else interval.batch


def _opening(
    ledger: Ledger, corpus: GraphCorpus, interval: Interval, table: Table, query: Select[Any]
) -> Iterator[Sequence[Row[Any]]]:
    within = (table.c.since > interval.after, table.c.since <= interval.upto)
    mine = without_index(table.c.corpus_id) == corpus.id  # else all rows would be sorted for every batch
    return _walk(ledger, table, query.where(mine, *within), _size(interval, table))


def _members() -> Select[Any]:
    return (
        select(members, pages.c.uri, sources.c.name.label("source"), page_versions.c.reading, page_versions.c.url)
        .join(page_versions, page_versions.c.id == members.c.page_version_id)
        .join(pages, pages.c.id == members.c.page_id)
        .join(sources, sources.c.id == pages.c.source_id)
    )


def _reading(row: Row[Any]) -> Reading:
    return decode(page_versions.c.reading, row.page_version_id, row.reading, reading_from_bytes)


def _seen(corpus: GraphCorpus, interval: Interval, row: Row[Any]) -> Properties:
    """What every relationship has: its corpus, and its epochs as they are known at the interval's end."""
    until = row.until if row.until <= interval.upto else OPEN
    return {"corpus": corpus.name, "since": row.since, "until": until}


def _pages(ledger: Ledger, corpus: GraphCorpus, interval: Interval) -> Iterator[GraphRows]:
    for rows in _opening(ledger, corpus, interval, members, _members()):
        heads, part = GraphRows(HAS_PAGE), GraphRows(HAS_ELEMENT)
        bodies = [part]
        for row in rows:
            reading = _reading(row)
            page = {"corpus": corpus.name, "source": row.source, "uri": row.uri}
            key = heads.add_node("Page", {"key": page_key(corpus.id, row.page_id)} | page)
            span = _seen(corpus, interval, row)
            stated = {"title": reading.title, "url": reading.url, "updated": reading.updated}
            heads.edges.append(Edge(corpus.id, key, "Page", {"id": member_id(corpus, row)} | span | stated))
            for position, e in enumerate(reading.elements):
                if len(part.edges) >= interval.batch:
                    bodies.append(part := GraphRows(HAS_ELEMENT))
                node = {"key": f"{key}#{e.anchor}", "page": key, "anchor": e.anchor, "tag": e.tag, "text": e.text}
                end = part.add_node("Element", node | {"corpus": corpus.name})
                place = {"position": position, "headings": list(e.headings)}
                identity = {"id": f"{member_id(corpus, row)}#{e.anchor}"}
                part.edges.append(Edge(key, end, "Element", identity | span | place))
        yield heads
        yield from (body for body in bodies if body.edges)


def _chunks(ledger: Ledger, corpus: GraphCorpus, interval: Interval) -> Iterator[GraphRows]:
    for rows in _opening(ledger, corpus, interval, chunks, select(chunks)):
        part = GraphRows(HAS_CHUNK)
        for row in rows:
            page = page_key(corpus.id, row.page_id)
            node = {"key": f"{page}#{row.key}", "corpus": corpus.name, "page": page, "chunk": row.key}
            identity = {"id": chunk_id(corpus, row), "content_hash": row.content_hash}
            part.edges.append(
                Edge(page, part.add_node("Chunk", node), "Chunk", identity | _seen(corpus, interval, row))
            )
        yield part


class _Terms:
    """Entities and values by name: each is made once, for the first part that it is part of."""

    def __init__(self, corpus: GraphCorpus) -> None:
        self._corpus = corpus
        self._keys: dict[str, str] = {}  # by name; a value's begins with LITERAL, an entity's never

    def add(self, part: GraphRows, name: str) -> str:
        """The key of the term's node, which the part gets unless an earlier one had it."""
        key = self._keys.get(name)
        if key is None:
            if len(self._keys) >= _REMEMBERED:
                self._keys.clear()
            said = name.removeprefix(LITERAL)
            key = self._keys[name] = term_key(self._corpus.id, said)
            node = {"key": key, "corpus": self._corpus.name, "name": said}
            if name.startswith(LITERAL):
                part.add_node("Value", node)
            else:
                part.add_node("Entity", node | {"words": words(name)})
        return key


def _supports(ledger: Ledger, corpus: GraphCorpus, interval: Interval) -> Iterator[GraphRows]:
    terms = _Terms(corpus)
    for rows in _opening(ledger, corpus, interval, supports, select(supports)):
        part = GraphRows(STATES)
        for row in rows:
            _add_support(part, terms, corpus, row, interval)
        yield part


def _add_support(part: GraphRows, terms: _Terms, corpus: GraphCorpus, row: Row[Any], interval: Interval) -> None:
    stated = decode(supports.c.statement, row.id, row.statement, statement_from_text)
    statement = json.loads(row.statement)
    page = page_key(corpus.id, row.page_id)
    start, end = terms.add(part, row.subject), terms.add(part, row.object)
    tree = statement.get("condition")
    properties = {
        "id": support_id(corpus, row),
        "fact_id": row.fact_id,
        "relation": row.relation,
        "page": page,
        "chunk": row.chunk_key,
        "anchors": list(dict.fromkeys(span[0] for span in statement["spans"])),
        "polarity": statement["polarity"],
        "modality": statement["modality"],
        "wording": statement.get("wording"),
        "subject_written": written(stated.subject),
        "object_written": written(stated.object),
        "effective_from": statement.get("from"),
        "effective_to": statement.get("to"),
        "step": stated.step.text if stated.step else None,
        "procedure": stated.step.procedure if stated.step else None,
        "condition": None if tree is None else _add_condition(part, corpus, page, tree),
        "extractor": row.extractor,
        "content_key": row.content_key,
        "statement": row.statement,
    } | _seen(corpus, interval, row)
    part.edges.append(Edge(start, end, "Value" if row.object.startswith(LITERAL) else "Entity", properties))


def _add_condition(part: GraphRows, corpus: GraphCorpus, page: str, tree: Any) -> str:
    """A node for the tree, tied to the elements of its leaves; equal trees of a page are one node."""
    body = json.dumps(tree, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    key = f"{page}/{digest(body)}"
    if key not in part.nodes.get("Condition", {}):
        condition = condition_from_json(tree)
        words = condition_words(condition, parts_in_brackets=True)
        part.add_node("Condition", {"key": key, "corpus": corpus.name, "page": page, "tree": body, "text": words})
        for position, leaf in enumerate(leaves(condition)):
            where = {"start": leaf.start, "end": leaf.end, "text": leaf.text}
            part.leaves.append({"condition": key, "element": f"{page}#{leaf.anchor}", "position": position} | where)
    return key


def _names(ledger: Ledger, corpus: GraphCorpus, interval: Interval) -> Iterator[GraphRows]:
    terms = _Terms(corpus)
    for rows in _opening(ledger, corpus, interval, entity_names, select(entity_names)):
        part = GraphRows(TAKEN_FOR)
        for row in rows:
            ends = terms.add(part, row.name), terms.add(part, row.entity)
            part.edges.append(Edge(*ends, "Entity", {"id": name_id(corpus, row)} | _seen(corpus, interval, row)))
        yield part
