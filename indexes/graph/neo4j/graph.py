"""The graph of one corpus at one epoch, read from Neo4j; what it answers is what ``SqlGraph`` answers.

Readers trust only the ledger: the epoch comes from there, and every answer is checked against the corpus node
after it was read. Rows of a database that lags, was wiped or rebuilt meanwhile are never handed out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from clausegraph.core.errors import StoreMismatch
from clausegraph.core.serial import rule_from_text, statement_from_text
from clausegraph.core.types import Fact, PageKey, PlacedRule, Support
from clausegraph.indexes.graph.neo4j.rows import ROLES, STATES, GraphCorpus, term_key
from clausegraph.indexes.graph.neo4j.server import Neo4jServer, Record
from clausegraph.indexes.graph.neo4j.state import RECONCILING
from clausegraph.indexes.graph.neo4j.writes import check_owner
from clausegraph.indexes.graph.protocol import CANDIDATES, GraphCounts, StoredGraph, SupportKey, in_order

_CORPUS = (
    "OPTIONAL MATCH (c:Corpus {id: $corpus_id}) RETURN %s c.prepared AS prepared, c.floor AS floor, "
    "c.generation AS generation, coalesce(c.busy, '') AS busy"
)
_CHECK = _CORPUS % ""


def _checked(query: str, *columns: str) -> str:
    """The query as one row: its rows as a list, and, read after them, what the corpus node says."""
    named = ", ".join(f"{name}: {name}" for name in columns)
    return f"CALL () {{ {query} }} WITH collect({{{named}}}) AS rows " + _CORPUS % "rows,"


_SEEN = " r.since <= $epoch AND r.until > $epoch "
_ROLES = "|".join(ROLES)
_NAMING = "|".join((STATES, *ROLES))
_BEST = " WITH r.fact_id AS id, count(DISTINCT r) AS held, head(collect(r)) AS one ORDER BY held DESC, id LIMIT "
_ENDS = (
    "id, held, one.relation AS relation, startNode(one).name AS subject, "
    "CASE WHEN endNode(one):Value THEN '=' + endNode(one).name ELSE endNode(one).name END AS object"
)
_FACT = ("id", "held", "relation", "subject", "object")
_OF_KIND = _SEEN + "AND ($relations IS NULL OR r.relation IN $relations)"
_AROUND = f"UNWIND $keys AS key MATCH (e:Entity {{key: key}})-[r:STATES]-() WHERE{_OF_KIND}{_BEST}$limit "
_NEAR = _checked(f"{_AROUND}RETURN 1 AS hop, {_ENDS}", "hop", *_FACT)
_FAR = _checked(  # as _NEAR and one hop more, from the ends of what was found
    _AROUND + "WITH collect({id: id, held: held, one: one}) AS first CALL (first) { "
    "UNWIND first AS f RETURN 1 AS hop, f.id AS id, f.held AS held, f.one AS one UNION ALL "
    "WITH first WHERE size(first) < $limit UNWIND first AS f UNWIND [startNode(f.one), endNode(f.one)] AS n "
    "WITH DISTINCT n WHERE n:Entity AND NOT n.key IN $keys MATCH (n)-[r:STATES]-() WHERE" + _OF_KIND
    + _BEST + "$most RETURN 2 AS hop, id, held, one } RETURN hop, " + _ENDS,
    "hop", *_FACT,
)  # fmt: skip
_STATED = "MATCH ()-[r:STATES]->() WHERE r.corpus = $corpus AND" + _SEEN
_BY_ID = _checked(f"{_STATED}AND r.fact_id IN $ids {_BEST}$limit RETURN {_ENDS}", *_FACT)
_CANDIDATES = _checked(
    "UNWIND $tokens AS token MATCH (e:Entity) WHERE e.words CONTAINS (' ' + token + ' ') AND e.corpus = $corpus "
    "WITH e.name AS name, count(*) AS matched RETURN name, matched ORDER BY matched DESC, size(name), name "
    "SKIP $skip LIMIT $limit",
    "name", "matched",
)  # fmt: skip
_ALIASES = _checked(
    f"UNWIND $keys AS key MATCH (n:Entity {{key: key}})-[r:TAKEN_FOR]->(e:Entity) WHERE{_SEEN}"
    "RETURN n.name AS name, e.name AS entity",
    "name", "entity",
)  # fmt: skip
_NAMES = _checked(
    f"MATCH (n:Entity)-[r:TAKEN_FOR]->(e:Entity) WHERE r.corpus = $corpus AND{_SEEN}"
    "RETURN n.name AS name, e.name AS entity",
    "name", "entity",
)  # fmt: skip
_HELD = _checked(
    f"UNWIND $keys AS key MATCH (e:Entity {{key: key}}) WITH e, COUNT {{ (e)-[r:STATES]->() WHERE{_SEEN}}} + "
    f"COUNT {{ (e)<-[r:{_NAMING}]-() WHERE{_SEEN}}} AS held WHERE held > 0 RETURN e.name AS name, held",
    "name", "held",
)  # fmt: skip
_SUPPORT = (
    "WITH r MATCH (p:Page {key: r.page}) RETURN r.fact_id AS fact, p.source AS source, p.uri AS uri, "
    "r.chunk AS chunk, r.content_key AS content, r.statement AS statement, r.extractor AS extractor"
)
_SUPPORT_ROW = ("fact", "source", "uri", "chunk", "content", "statement", "extractor")
_SUPPORTS = _checked(f"{_STATED}AND r.fact_id IN $ids {_SUPPORT}", *_SUPPORT_ROW)
_ON_PAGE = _checked(
    "MATCH (p:Page) WHERE p.corpus = $corpus AND p.source = $source AND p.uri = $uri WITH p.key AS page "
    "MATCH ()-[r:STATES]->() WHERE r.page = page AND any(a IN r.anchors WHERE a IN $anchors) AND" + _SEEN + _SUPPORT,
    *_SUPPORT_ROW,
)
_ALL = _STATED + _SUPPORT
_RELATIONS = _checked(f"{_STATED}RETURN r.relation AS name, count(*) AS held", "name", "held")
_RULED = "MATCH (p:Page)-[r:HAS_RULE]->(n:Rule) WHERE r.corpus = $corpus AND" + _SEEN
_RULE = (
    "WITH p, n RETURN p.source AS source, p.uri AS uri, split(n.key, '#')[1] AS key, n.chunk AS chunk, n.rule AS rule, "
    f"n.extractor AS extractor, [(n)-[r:{_ROLES}]->(e) WHERE{_SEEN}| [r.position, e.name]] AS entities"
)
_RULE_ROW = ("source", "uri", "key", "chunk", "rule", "extractor", "entities")
_RULES_OF = _checked(
    f"UNWIND $keys AS key MATCH (:Entity {{key: key}})<-[r:{_ROLES}]-(n:Rule) WHERE{_SEEN}WITH DISTINCT n "
    f"MATCH (p:Page {{key: n.page}}) WITH p, n ORDER BY p.source, p.uri, n.key LIMIT $limit {_RULE}",
    *_RULE_ROW,
)
_RULES_ON = _checked(f"{_RULED}AND p.source = $source AND p.uri = $uri {_RULE}", *_RULE_ROW)
_ALL_RULES = _RULED + _RULE
_COUNTS = _checked(
    f"CALL () {{ MATCH (e:Entity) WHERE e.corpus = $corpus AND EXISTS {{ (e)-[r:{_NAMING}]-() WHERE{_SEEN}}} "
    f"RETURN count(e) AS entities }} CALL () {{ {_RULED}RETURN count(*) AS rules }} "
    f"CALL () {{ {_STATED}RETURN count(DISTINCT r.fact_id) AS facts, count(*) AS supports }} "
    "RETURN entities, facts, supports, rules",
    "entities", "facts", "supports", "rules",
)  # fmt: skip


class Neo4jGraph(StoredGraph):
    """A ``Graph``, which documents the methods: corpus and epoch are the ledger's, the rows Neo4j's.

    Raises:
        StoreMismatch: the database is another ledger's, or lacks the epoch; from the constructor, and from every
            method when that comes about later.
        StoreUnavailable, StoreRefused: as ``Neo4jServer``.
    """

    def __init__(self, server: Neo4jServer, ledger_id: str, corpus: GraphCorpus, epoch: int) -> None:
        self._server = server
        self._corpus = corpus
        self._epoch = epoch
        self._generation: str | None = None
        if not check_owner(server, ledger_id):
            raise StoreMismatch(self._lacking("it is empty"))
        self._check(server.read(_CHECK, corpus_id=corpus.id))

    def _candidates(self, tokens: Sequence[str]) -> Iterator[dict[str, int]]:
        skip = 0
        while rows := self._read(_CANDIDATES, tokens=list(tokens), skip=skip, limit=CANDIDATES):
            yield {row["name"]: row["matched"] for row in rows}
            if len(rows) < CANDIDATES:
                return
            skip += CANDIDATES

    def _aliases(self, names: Sequence[str]) -> dict[str, str]:
        return {row["name"]: row["entity"] for row in self._read(_ALIASES, keys=self._keys(names))}

    def held(self, names: Sequence[str]) -> dict[str, int]:
        return {row["name"]: row["held"] for row in self._read(_HELD, keys=self._keys(names))}

    def names(self) -> dict[str, str]:
        return dict(sorted((row["name"], row["entity"]) for row in self._read(_NAMES)))

    def neighbourhood(
        self, keys: Sequence[str], hops: int = 1, limit: int = 200, relations: Sequence[str] | None = None
    ) -> list[Fact]:
        if limit < 1 or hops < 1 or (relations is not None and not relations):
            return []
        asked = {
            "keys": self._keys(sorted(set(keys))),
            "relations": None if relations is None else list(relations),
            "limit": limit,
            "most": 2 * limit,  # up to ``limit`` of them may be of the first hop
        }
        rows = self._read(_FAR if hops > 1 else _NEAR, **asked) if keys else []
        rows.sort(key=lambda row: (row["hop"], -row["held"], row["id"]))
        found: dict[str, Fact] = {}
        for row in rows:
            found.setdefault(row["id"], _fact(row, row["hop"]))
        return list(found.values())[:limit]

    def _facts_of(self, ids: Sequence[str]) -> list[Fact]:
        return [_fact(row, 0) for row in self._read(_BY_ID, ids=list(ids), limit=len(ids))]

    def supports(self, fact_ids: Sequence[str]) -> list[Support]:
        wanted = list(dict.fromkeys(fact_ids))
        return _supports(self._read(_SUPPORTS, ids=wanted)) if wanted else []

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> list[Support]:
        wanted = sorted(set(anchors))
        if not wanted:
            return []
        return _supports(self._read(_ON_PAGE, source=page.source, uri=page.uri, anchors=wanted))

    def rules_of(self, entities: Sequence[str], limit: int = 200) -> list[PlacedRule]:
        keys = self._keys(sorted(set(entities)))
        return _rules(self._read(_RULES_OF, keys=keys, limit=limit)) if keys and limit > 0 else []

    def rules_on(self, page: PageKey) -> list[PlacedRule]:
        return _rules(self._read(_RULES_ON, source=page.source, uri=page.uri))

    def all_rules(self) -> list[PlacedRule]:
        return _rules(self._stream(_ALL_RULES))

    def relations(self) -> dict[str, int]:
        return dict(sorted((row["name"], row["held"]) for row in self._read(_RELATIONS)))

    def counts(self) -> GraphCounts:
        return GraphCounts(**self._read(_COUNTS)[0])

    def all_supports(self) -> list[Support]:
        return _supports(self._stream(_ALL))

    def _keys(self, names: Sequence[str]) -> list[str]:
        return [term_key(self._corpus.id, name) for name in names]

    def _read(self, query: str, **parameters: Any) -> list[Record]:
        """The rows, once it is certain that the database still had the epoch when they had been read."""
        mine = {"corpus": self._corpus.name, "corpus_id": self._corpus.id, "epoch": self._epoch}
        found = self._server.read(query, **parameters, **mine)
        self._check(found)
        rows: list[Record] = found[0]["rows"]
        return rows

    def _stream(self, query: str) -> list[Record]:
        """As ``_read``, for what is too much to be one row of an answer."""
        mine = {"corpus": self._corpus.name, "epoch": self._epoch}
        rows, now = self._server.read_all([(query, mine), (_CHECK, {"corpus_id": self._corpus.id})])
        self._check(now)
        return rows

    def _check(self, now: list[Record]) -> None:
        there = now[0]
        if there["generation"] is None:
            raise StoreMismatch(self._lacking("the corpus is not in it"))
        if there["busy"] == RECONCILING or (self._generation or there["generation"]) != there["generation"]:
            raise StoreMismatch(self._lacking("it is being rebuilt, or was"))
        if there["prepared"] < self._epoch:
            raise StoreMismatch(self._lacking(f"it ends at epoch {there['prepared']}"))
        if there["floor"] > self._epoch:
            raise StoreMismatch(self._lacking(f"it begins at epoch {there['floor']}"))
        self._generation = there["generation"]

    def _lacking(self, why: str) -> str:
        address = self._server.address
        return (
            f"Neo4j at {address.uri} (database {address.database!r}) does not have epoch {self._epoch} of corpus "
            f"{self._corpus.name!r}: {why}; run `clausegraph project neo4j --corpus {self._corpus.name}`"
        )


def _fact(row: Record, hop: int) -> Fact:
    return Fact(row["id"], row["subject"], row["relation"], row["object"], supports=row["held"], hop=hop)


def _supports(rows: list[Record]) -> list[Support]:
    found: list[tuple[SupportKey, Support]] = []
    for row in rows:
        page = PageKey(row["source"], row["uri"])
        statement = statement_from_text(row["statement"])
        support = Support(row["fact"], page, row["chunk"], statement, row["extractor"])
        found.append(((page.source, page.uri, row["chunk"], row["content"]), support))
    return in_order(found)


def _rules(rows: list[Record]) -> list[PlacedRule]:
    found = []
    for row in rows:
        rule, named, page = rule_from_text(row["rule"]), dict(row["entities"]), PageKey(row["source"], row["uri"])
        entities = tuple(named.get(at, role.entity.key) for at, role in enumerate(rule.roles))
        found.append(PlacedRule(row["key"], page, row["chunk"], rule, row["extractor"], entities))
    return sorted(found, key=lambda one: (one.page, one.key))
