"""The shape of the graph in Neo4j, and everything that is written to it. Every statement can be repeated.

::

    (:Ledger {id, schema})                           one: which ledger the database belongs to
    (:Corpus {id, name, newest, published, …})       -[:HAS_PAGE]->  (:Page {key, corpus, source, uri})
    (:Page)     -[:HAS_CHUNK]->    (:Chunk {key, corpus, page, chunk})
    (:Page)     -[:HAS_ELEMENT]->  (:Element {key, corpus, page, anchor, tag, text})
    (:Entity {key, corpus, name, words})  -[:STATES]->  (:Entity) or (:Value {key, corpus, name})
    (:Entity)   -[:TAKEN_FOR]->    (:Entity)         a name that a decision takes for another
    (:Page)     -[:HAS_RULE]->     (:Rule {key, corpus, page, chunk, kind, text, condition, …})
    (:Rule)     -[:ABOUT, :ACTOR, … {position}]->    (:Entity)          its roles
    (:Rule)     -[:EXCEPTION_OF, :STEP_AFTER, :REFERS_TO]->  (:Rule)    of the same page
    (:Condition {key, corpus, page, tree, text})  -[:LEAF]->  (:Element)

Every relationship but LEAF carries ``since`` and ``until``: it is seen at an epoch e if and only if ``since <= e <
until``, and a node if and only if one of its relationships is. STATES is one statement of a fact; its ``relation``
says which, its ``page`` and ``condition``, as those of a rule, are the keys of those nodes. Relations are never types:
there may be any number of them, with any characters. What can be long (names, uris) is in no index that has a length
limit; keys are hashes of it. Labels and types are ours, what came from a page or a model is always a parameter.
"""

from __future__ import annotations

from collections.abc import Sequence

from clausegraph.core.errors import StoreMismatch
from clausegraph.indexes.graph.neo4j.rows import (
    BATCH,
    HAS_CHUNK,
    HAS_ELEMENT,
    HAS_PAGE,
    HAS_RULE,
    LINKS,
    NODES,
    ROLES,
    TYPES,
    Edge,
    GraphCorpus,
    GraphRows,
    Properties,
)
from clausegraph.indexes.graph.neo4j.server import BoundQuery, Neo4jServer
from clausegraph.indexes.graph.neo4j.state import RECONCILING
from clausegraph.indexes.ledger.store import batches

SCHEMA_VERSION = 2

_FIRST = (
    "CREATE CONSTRAINT corpus_id IF NOT EXISTS FOR (n:Corpus) REQUIRE n.id IS UNIQUE",
    *(f"CREATE CONSTRAINT {n.lower()}_key IF NOT EXISTS FOR (n:{n}) REQUIRE n.key IS UNIQUE" for n in NODES),
    *(f"CREATE CONSTRAINT {t.lower()}_id IF NOT EXISTS FOR ()-[r:{t}]-() REQUIRE r.id IS UNIQUE" for t in TYPES),
)
INDEXES = (  # after the first load: to fill them at once costs less than row by row
    "CREATE INDEX states_fact IF NOT EXISTS FOR ()-[r:STATES]-() ON (r.fact_id)",
    "CREATE INDEX states_page IF NOT EXISTS FOR ()-[r:STATES]-() ON (r.page)",
    "CREATE TEXT INDEX entity_words IF NOT EXISTS FOR (n:Entity) ON (n.words)",
    "CREATE FULLTEXT INDEX names IF NOT EXISTS FOR (n:Entity|Value) ON EACH [n.name] "
    "OPTIONS {indexConfig: {`fulltext.eventually_consistent`: true}}",
    "CREATE FULLTEXT INDEX texts IF NOT EXISTS FOR (n:Element|Condition) ON EACH [n.text] "
    "OPTIONS {indexConfig: {`fulltext.eventually_consistent`: true}}",
)

_CLAIM = (  # of two ledgers that come at once, one gets the database
    "CREATE CONSTRAINT ledger_name IF NOT EXISTS FOR (n:Ledger) REQUIRE n.name IS UNIQUE",
    "MERGE (l:Ledger {name: 'ClauseGraph'}) ON CREATE SET l.id = $id, l.schema = 0",
)
_OUTDATED = "MATCH (c:Corpus) SET c.busy = $busy, c.prepared = 0"  # what an older schema has is compared
FILLING = "SHOW INDEXES YIELD state WHERE state = 'POPULATING' RETURN count(*) AS indexes"
_OWNER = "MATCH (l:Ledger) RETURN l.id AS id, l.schema AS schema"
_FOREIGN = f"MATCH (n:Corpus|{'|'.join(NODES)}) RETURN labels(n)[0] AS label LIMIT 1"


def check_owner(server: Neo4jServer, ledger: str) -> bool:
    """Whether the database is this ledger's and of this schema; false where nothing of ours is in it yet."""
    owners = server.read(_OWNER)
    where = f"database {server.address.database!r} at {server.address.uri}"
    if not owners:
        foreign = server.read(_FOREIGN)
        if foreign:
            raise StoreMismatch(
                f"{where} holds {foreign[0]['label']} nodes that no ledger of ClauseGraph wrote; "
                "name an empty one with CLAUSEGRAPH_NEO4J_DATABASE or CLAUSEGRAPH_NEO4J_URI"
            )
        return False
    other = [row["id"] for row in owners if row["id"] != ledger]
    if other:
        raise StoreMismatch(
            f"{where} belongs to another ledger ({other[0]}, this one is {ledger}); name another database, or empty "
            "that one (MATCH (n) DETACH DELETE n) if its ledger is gone"
        )
    schema = owners[0]["schema"]
    if schema > SCHEMA_VERSION:
        raise StoreMismatch(
            f"{where} has schema version {schema}, this ClauseGraph knows {SCHEMA_VERSION}: a newer version wrote it; "
            "upgrade with `pip install -U clausegraph`"
        )
    return bool(schema == SCHEMA_VERSION)


def migrate(server: Neo4jServer, ledger: str) -> None:
    """Make the database this ledger's, with every constraint; at once where it is done already."""
    if check_owner(server, ledger):
        return
    for statement in _CLAIM:
        server.write(statement, id=ledger)
    check_owner(server, ledger)
    for statement in _FIRST:
        server.write(statement)
    server.write("CALL db.awaitIndexes(60)")
    server.write(_OUTDATED, busy=RECONCILING)
    server.write("MATCH (l:Ledger {id: $id}) SET l.schema = $version", id=ledger, version=SCHEMA_VERSION)


_START = {  # of others an entity
    HAS_PAGE: "Corpus {id:",
    **dict.fromkeys((HAS_CHUNK, HAS_ELEMENT, HAS_RULE), "Page {key:"),
    **dict.fromkeys((*ROLES, *LINKS), "Rule {key:"),
}
_LEAVES = (
    "UNWIND $rows AS row MATCH (c:Condition {key: row.condition}) MATCH (e:Element {key: row.element}) "
    "MERGE (c)-[l:LEAF {position: row.position}]->(e) SET l.start = row.start, l.end = row.end, l.text = row.text"
)
_REMOVE = """
WITH collect(r) AS gone, collect(DISTINCT a) + collect(DISTINCT b) AS ends,
  collect(DISTINCT coalesce(r.condition, b.condition)) AS named
FOREACH (one IN gone | DELETE one)
WITH ends, named
CALL (ends) {
  UNWIND ends AS n WITH DISTINCT n WHERE NOT n:Corpus AND NOT EXISTS { (n)--() } DELETE n
}
CALL (named) {
  UNWIND named AS key MATCH (c:Condition {key: key})
  WHERE NOT EXISTS { MATCH ()-[r:STATES]->() WHERE r.page = c.page AND r.condition = key }
    AND NOT EXISTS { MATCH (:Page {key: c.page})-[:HAS_RULE]->(n) WHERE n.condition = key }
  DETACH DELETE c
}
"""


# Rows are lists, not maps: names of properties are in the query, not in every row, which halves what is packed, sent
# and read. And properties that are part of CREATE need no second pass over the batch, as ``SET r = row`` does.
def _put_nodes(label: str, nodes: Sequence[Properties]) -> BoundQuery:
    names = list(nodes[0])  # the same of all
    values = ", ".join(f"n.{name} = row[{names.index(name)}]" for name in names if name != "key")
    query = f"UNWIND $rows AS row MERGE (n:{label} {{key: row[{names.index('key')}]}}) ON CREATE SET {values}"
    return query, {"rows": [[node[name] for name in names] for node in nodes]}


def _put_edges(kind: str, target: str, edges: Sequence[Edge]) -> BoundQuery:
    names = list(edges[0].properties)
    values = ", ".join(f"{name}: row[{at}]" for at, name in enumerate(names, 2))
    query = (
        f"UNWIND $rows AS row MATCH (a:{_START.get(kind, 'Entity {key:')} row[0]}}) MATCH (b:{target} {{key: row[1]}}) "
        f"CREATE (a)-[r:{kind} {{{values}}}]->(b) RETURN count(*) AS made"
    )
    return query, {"rows": [[edge.start, edge.end, *(edge.properties[name] for name in names)] for edge in edges]}


def write_part(server: Neo4jServer, corpus: GraphCorpus, part: GraphRows) -> int:
    """Write a part whose relationships are not there, in one transaction; returns how many were made."""
    if not part.edges:
        return 0
    statements = [_put_nodes(label, list(nodes.values())) for label, nodes in part.nodes.items()]
    if part.leaves:
        statements.append((_LEAVES, {"rows": part.leaves}))
    others = len(statements)
    for target in sorted({edge.target for edge in part.edges}):
        statements.append(_put_edges(part.type, target, [edge for edge in part.edges if edge.target == target]))
    answers = server.write_all(statements)
    if sum(answer[0]["made"] for answer in answers[others:]) != len(part.edges):
        raise StoreMismatch(
            f"nodes of corpus {corpus.name!r} went from Neo4j at {server.address.uri} while it was written: something "
            "else changes this database; run `clausegraph project neo4j` again"
        )
    return len(part.edges)


def set_ends(server: Neo4jServer, kind: str, rows: Sequence[Properties]) -> int:
    """Set where intervals end, by id; touches these relationships only."""
    query = f"UNWIND $rows AS row MATCH ()-[r:{kind} {{id: row.id}}]->() SET r.until = row.until"
    for part in batches(rows, BATCH):
        server.write(query, rows=list(part))
    return len(rows)


def remove(server: Neo4jServer, kind: str, ids: Sequence[str]) -> int:
    """Remove relationships, and each node and condition that nothing names any more, by the same transaction."""
    for part in batches(ids, BATCH):
        server.write(f"UNWIND $ids AS id MATCH (a)-[r:{kind} {{id: id}}]->(b) {_REMOVE}", ids=list(part))
    return len(ids)


def intervals(server: Neo4jServer, corpus: GraphCorpus, kind: str) -> dict[str, int]:
    """Where the interval of every relationship of this type ends, by id: reads all of them."""
    query = f"MATCH ()-[r:{kind}]->() WHERE r.corpus = $corpus RETURN r.id AS id, r.until AS until"
    return {row["id"]: row["until"] for row in server.read(query, corpus=corpus.name)}


def wipe(server: Neo4jServer, name: str) -> None:
    """Remove everything of a corpus but its node, in small transactions."""
    found = ["MATCH ()-[r:STATES]->() WHERE r.corpus = $corpus WITH r LIMIT 20000 DELETE r"]
    for label in NODES:
        found.append(f"MATCH (n:{label}) WHERE n.corpus = $corpus WITH n LIMIT 5000 DETACH DELETE n")
    for query in found:
        while server.write(f"{query} RETURN count(*) AS gone", corpus=name)[0]["gone"]:
            pass
