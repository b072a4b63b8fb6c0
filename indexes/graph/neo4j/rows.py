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

from sqlalchemy import Column, ColumnElement, Row, Table, and_, or_, select

from clausegraph.core.hashing import canonical_json
from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.wording import condition_words, written
from clausegraph.core.serial import condition_from_json, reading_from_bytes, rule_from_text, statement_from_text
from clausegraph.core.types import LITERAL, Reading, RoleName, Rule, RuleLinkName, leaves
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.dialect import without_index
from clausegraph.indexes.ledger.schema import (
    IS_FACT,
    OPEN,
    chunks,
    entity_names,
    members,
    on_pages,
    page_versions,
    pages,
    rule_roles,
    rules,
    sources,
    supports,
)
from clausegraph.indexes.ledger.store import Ledger, batches

BATCH = 10_000  # relationships written in one transaction
_PAGES = 50  # read at once, with all their elements
_RULES = 1_000  # read at once, with the pages that they are on
_REMEMBERED = 1_000_000  # names: some 200 MB

Properties = dict[str, Any]
NODES = ("Rule", "Condition", "Element", "Chunk", "Page", "Entity", "Value")
STATES, HAS_PAGE, HAS_CHUNK, HAS_ELEMENT, TAKEN_FOR = "STATES", "HAS_PAGE", "HAS_CHUNK", "HAS_ELEMENT", "TAKEN_FOR"
HAS_RULE = "HAS_RULE"
ROLES = tuple(role.name for role in RoleName)  # from a rule to an entity
LINKS = tuple(link.name for link in RuleLinkName)  # from a rule to another one of its page
TYPES = (*LINKS, *ROLES, HAS_RULE, STATES, HAS_ELEMENT, HAS_CHUNK, HAS_PAGE, TAKEN_FOR)  # removed in this order
_TYPE_OF = {members: HAS_PAGE, chunks: HAS_CHUNK, supports: STATES, entity_names: TAKEN_FOR, rules: HAS_RULE}


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
    elif table in (supports, rules):
        name = f"{row.page_id}/{row.content_key}"
    elif table is rule_roles:
        name = f"{row.page_id}/{row.rule_key}/{row.position}"
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
    made = _Maker(ledger, corpus, interval)
    for table, parts in (
        (members, made.pages),
        (chunks, made.chunks),
        (supports, made.states),
        (entity_names, made.names),
        (rules, made.rules),
        (rule_roles, made.roles),
    ):
        within = (table.c.since > interval.after, table.c.since <= interval.upto)
        mine = without_index(table.c.corpus_id) == corpus.id  # else all rows would be sorted for every batch
        for rows in _walk(ledger, table, interval, mine, *within):
            yield from parts(rows)
    for kind, links in _links(ledger, corpus, interval, rules.c.since):
        for some in batches([edge for edge in links if edge.properties["since"] > interval.after], interval.batch):
            yield GraphRows(kind, list(some))


def closed_rows(ledger: Ledger, corpus: GraphCorpus, interval: Interval) -> Iterator[tuple[str, list[Properties]]]:
    """(type, [{id, until}]) of every older row that closes in the interval."""
    for table in (supports, chunks, entity_names, rules, rule_roles, members):
        within = (table.c.since <= interval.after, table.c.until > interval.after, table.c.until <= interval.upto)
        for rows in _walk(ledger, table, interval, table.c.corpus_id == corpus.id, *within):
            ends: dict[str, list[Properties]] = {}
            for row in rows:
                kind = RoleName(row.role).name if table is rule_roles else _TYPE_OF[table]
                ends.setdefault(kind, []).append({"id": _edge_id(corpus, table, row), "until": row.until})
            yield from ends.items()
            if table is members:
                of_elements = [
                    {"id": f"{end['id']}#{element.anchor}", "until": row.until}
                    for row, end in zip(rows, ends[HAS_PAGE], strict=True)
                    for element in _reading(row).elements
                ]
                for part in batches(of_elements, interval.batch):
                    yield HAS_ELEMENT, list(part)
    for kind, links in _links(ledger, corpus, interval, rules.c.until):
        older = (edge.properties for edge in links if edge.properties["since"] <= interval.after)
        gone = [{"id": edge["id"], "until": edge["until"]} for edge in older if interval.after < edge["until"] < OPEN]
        for some in batches(gone, interval.batch):
            yield kind, list(some)


def _links(
    ledger: Ledger, corpus: GraphCorpus, interval: Interval, moved: Column[int]
) -> Iterator[tuple[str, list[Edge]]]:
    """The links, by type, of pages of which a rule has moved in the interval. Each is seen while both its rules are:
    the one that it leads to may change while its own stays."""
    changed = (
        select(rules.c.page_id)
        .distinct()
        .where(rules.c.corpus_id == corpus.id, moved > interval.after, moved <= interval.upto)
    )
    for some in batches([row.page_id for row in ledger.rows(changed.order_by(rules.c.page_id))], _PAGES):
        query = select(rules).where(rules.c.page_id.in_(some), rules.c.since <= interval.upto)
        placed = [(row, _rule(row)) for row in ledger.rows(query.order_by(rules.c.id))]
        there: dict[tuple[int, str, int], list[Row[Any]]] = {}
        for row, rule in placed:
            there.setdefault((row.page_id, rule.spans[0].anchor, rule.spans[0].start), []).append(row)
        found: dict[str, list[Edge]] = {}
        for row, rule in placed:
            for link in dict.fromkeys(rule.links):
                for other in there.get((row.page_id, link.anchor, link.start), ()):
                    since, until = max(row.since, other.since), min(row.until, other.until)
                    if since < until and other.content_key != row.content_key:
                        name = f"{corpus.id}/{row.page_id}/{_digest(row.content_key, other.content_key)}@{since}"
                        seen = _seen(corpus, interval, name, since, until)
                        ends = _rule_key(corpus, row, row.content_key), _rule_key(corpus, other, other.content_key)
                        found.setdefault(link.name.name, []).append(Edge(*ends, "Rule", seen))
        yield from found.items()


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
    elif table is supports:
        query = query.where(IS_FACT)
    elif table is rules:  # each with the last version of its page that has it: older ones may be gone
        last_seen = and_(
            members.c.since <= interval.upto,
            members.c.since < rules.c.until,
            or_(members.c.until > interval.upto, members.c.until >= rules.c.until),
        )
        size = min(size, _RULES)
        query = (
            query.add_columns(members.c.page_version_id)
            .join(page_versions, page_versions.c.page_id == rules.c.page_id)
            .join(members, and_(members.c.page_version_id == page_versions.c.id, last_seen))
        )
    last = 0
    while rows := ledger.rows(query.where(*among, table.c.id > last).order_by(table.c.id).limit(size)):
        yield rows
        last = rows[-1].id


def _reading(row: Row[Any]) -> Reading:
    return decode(page_versions.c.reading, row.page_version_id, row.reading, reading_from_bytes)


def _rule(row: Row[Any]) -> Rule:
    return decode(rules.c.rule, row.id, row.rule, rule_from_text)


def _rule_key(corpus: GraphCorpus, row: Row[Any], rule: str) -> str:
    """Key of a rule's node, by its page and its content key."""
    return f"{corpus.id}/{row.page_id}#{rule}"


def _seen(corpus: GraphCorpus, interval: Interval, identity: str, since: int, until: int) -> Properties:
    """What every relationship has: its id, and its epochs as they are known at the interval's end."""
    return {"id": identity, "corpus": corpus.name, "since": since, "until": until if until <= interval.upto else OPEN}


class _Maker:
    """Makes nodes and relationships of rows."""

    def __init__(self, ledger: Ledger, corpus: GraphCorpus, interval: Interval) -> None:
        self._ledger, self._corpus, self._interval = ledger, corpus, interval
        self._terms: dict[str, str] = {}  # key of a node by name; a value's begins with LITERAL, an entity's never

    def _page_key(self, row: Row[Any]) -> str:
        return f"{self._corpus.id}/{row.page_id}"

    def _seen(self, table: Table, row: Row[Any]) -> Properties:
        return _seen(self._corpus, self._interval, _edge_id(self._corpus, table, row), row.since, row.until)

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

    def rules(self, rows: Sequence[Row[Any]]) -> Iterator[GraphRows]:
        """The rules of pages, with their words and conditions."""
        part, version = GraphRows(HAS_RULE), page_versions.c.id
        query = select(version.label("page_version_id"), page_versions.c.reading)
        found = self._ledger.rows_of(query, version, [row.page_version_id for row in rows])
        elements = {one.page_version_id: _reading(one).elements for one in found}
        for row in rows:
            rule, page, there = _rule(row), self._page_key(row), elements[row.page_version_id]
            text = {e.anchor: e.text for e in there}
            own, before = rule.in_order(there)
            tree = json.loads(row.rule).get("condition")
            key = part.add_node(
                "Rule",
                key=_rule_key(self._corpus, row, row.content_key),
                corpus=self._corpus.name,
                page=page,
                chunk=row.chunk_key,
                kind=row.kind,
                kinds=[kind.value for kind in rule.kinds],
                text=" ".join(text[span.anchor][span.start : span.end] for span in own + before),
                condition=None if tree is None else self._condition(part, page, tree),
                polarity=rule.polarity,
                modality=rule.modality.value,
                values=[one.value for one in rule.values],
                effective_from=rule.effective_from,
                effective_to=rule.effective_to,
                step=rule.step.text if rule.step else None,
                procedure=rule.step.procedure if rule.step else None,
                extractor=row.extractor,
                rule=row.rule,
            )
            part.edges.append(Edge(page, key, "Rule", self._seen(rules, row)))
        yield part

    def roles(self, rows: Sequence[Row[Any]]) -> Iterator[GraphRows]:
        """The entities of rules, by role."""
        for role in RoleName:
            part = GraphRows(role.name)
            for row in rows:
                if row.role == role:
                    ends = _rule_key(self._corpus, row, row.rule_key), self._term(part, row.entity)
                    seen = self._seen(rule_roles, row) | {"position": row.position}
                    part.edges.append(Edge(*ends, "Entity", seen))
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
