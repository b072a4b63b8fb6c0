"""The shape of the graph in Neo4j, brought about by an idempotent, versioned migration.

::

    (:Ledger {id, schema})                           one: which ledger the database belongs to
    (:Corpus {id, name, newest, published, …})       -[:HAS_PAGE]->  (:Page {key, corpus, source, uri})
    (:Page)     -[:HAS_CHUNK]->    (:Chunk {key, corpus, page, chunk})
    (:Page)     -[:HAS_ELEMENT]->  (:Element {key, corpus, page, anchor, tag, text})
    (:Entity {key, corpus, name, words})  -[:STATES]->  (:Entity) or (:Value {key, corpus, name})
    (:Entity)   -[:TAKEN_FOR]->    (:Entity)         a name that a decision takes for another
    (:Condition {key, corpus, page, tree, text})  -[:LEAF]->  (:Element)

Every relationship but LEAF carries ``since`` and ``until``: it is seen at an epoch e if and only if ``since <= e <
until``, and a node if and only if one of its relationships is. STATES is one statement of a fact; its ``relation``
says which, its ``page`` and ``condition`` are the keys of those nodes. Relations are never types: there may be any
number of them, with any characters. What can be long (names, uris) is in no index that has a length limit; keys are
hashes of it.
"""

from __future__ import annotations

from typing import LiteralString

from clausegraph.core.errors import StoreMismatch
from clausegraph.indexes.graph.neo4j.server import Neo4jServer

SCHEMA_VERSION = 1

_FIRST: tuple[LiteralString, ...] = (
    "CREATE CONSTRAINT corpus_id IF NOT EXISTS FOR (n:Corpus) REQUIRE n.id IS UNIQUE",
    "CREATE CONSTRAINT page_key IF NOT EXISTS FOR (n:Page) REQUIRE n.key IS UNIQUE",
    "CREATE CONSTRAINT chunk_key IF NOT EXISTS FOR (n:Chunk) REQUIRE n.key IS UNIQUE",
    "CREATE CONSTRAINT element_key IF NOT EXISTS FOR (n:Element) REQUIRE n.key IS UNIQUE",
    "CREATE CONSTRAINT entity_key IF NOT EXISTS FOR (n:Entity) REQUIRE n.key IS UNIQUE",
    "CREATE CONSTRAINT value_key IF NOT EXISTS FOR (n:Value) REQUIRE n.key IS UNIQUE",
    "CREATE CONSTRAINT condition_key IF NOT EXISTS FOR (n:Condition) REQUIRE n.key IS UNIQUE",
    "CREATE CONSTRAINT states_id IF NOT EXISTS FOR ()-[r:STATES]-() REQUIRE r.id IS UNIQUE",
    "CREATE CONSTRAINT has_page_id IF NOT EXISTS FOR ()-[r:HAS_PAGE]-() REQUIRE r.id IS UNIQUE",
    "CREATE CONSTRAINT has_chunk_id IF NOT EXISTS FOR ()-[r:HAS_CHUNK]-() REQUIRE r.id IS UNIQUE",
    "CREATE CONSTRAINT has_element_id IF NOT EXISTS FOR ()-[r:HAS_ELEMENT]-() REQUIRE r.id IS UNIQUE",
    "CREATE CONSTRAINT taken_for_id IF NOT EXISTS FOR ()-[r:TAKEN_FOR]-() REQUIRE r.id IS UNIQUE",
)
INDEXES: tuple[LiteralString, ...] = (  # after the first load: to fill them at once costs less than row by row
    "CREATE INDEX states_fact IF NOT EXISTS FOR ()-[r:STATES]-() ON (r.fact_id)",
    "CREATE INDEX states_page IF NOT EXISTS FOR ()-[r:STATES]-() ON (r.page)",
    "CREATE TEXT INDEX entity_words IF NOT EXISTS FOR (n:Entity) ON (n.words)",
    "CREATE FULLTEXT INDEX names IF NOT EXISTS FOR (n:Entity|Value) ON EACH [n.name] "
    "OPTIONS {indexConfig: {`fulltext.eventually_consistent`: true}}",
    "CREATE FULLTEXT INDEX texts IF NOT EXISTS FOR (n:Element|Condition) ON EACH [n.text] "
    "OPTIONS {indexConfig: {`fulltext.eventually_consistent`: true}}",
)
MIGRATIONS: tuple[tuple[LiteralString, ...], ...] = (_FIRST,)  # version n is reached by MIGRATIONS[n - 1]

_CLAIM: tuple[LiteralString, ...] = (  # of two ledgers that come at once, one gets the database
    "CREATE CONSTRAINT ledger_name IF NOT EXISTS FOR (n:Ledger) REQUIRE n.name IS UNIQUE",
    "MERGE (l:Ledger {name: 'ClauseGraph'}) ON CREATE SET l.id = $id, l.schema = 0",
)
_FILLING: LiteralString = "SHOW INDEXES YIELD state WHERE state = 'POPULATING' RETURN count(*) AS indexes"
_OWNER: LiteralString = "MATCH (l:Ledger) RETURN l.id AS id, l.schema AS schema"
_FOREIGN: LiteralString = (
    "MATCH (n) WHERE n:Corpus OR n:Page OR n:Chunk OR n:Element OR n:Entity OR n:Value OR n:Condition "
    "RETURN labels(n)[0] AS label LIMIT 1"
)


def check_owner(server: Neo4jServer, ledger: str) -> bool:
    """Whether the database is this ledger's and of this schema; false where nothing of ours is in it yet.

    Raises:
        StoreMismatch: it belongs to another ledger, has another schema version, or its labels are in use.
    """
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


def add_indexes(server: Neo4jServer) -> None:
    """Begin to fill every index that is no constraint's; nothing happens where they are there."""
    for statement in INDEXES:
        server.write(statement)


def indexes_filling(server: Neo4jServer) -> int:
    """How many indexes are not ready yet."""
    return int(server.read(_FILLING)[0]["indexes"])


def migrate(server: Neo4jServer, ledger: str) -> None:
    """Make the database this ledger's, with every constraint; at once where it is done already.

    Raises:
        StoreMismatch: as ``check_owner``.
    """
    if check_owner(server, ledger):
        return
    for statement in _CLAIM:
        server.write(statement, id=ledger)
    check_owner(server, ledger)
    done = server.read(_OWNER)[0]["schema"]
    for version, statements in enumerate(MIGRATIONS[done:], start=done + 1):
        for statement in statements:
            server.write(statement)
        server.write("CALL db.awaitIndexes(60)")
        server.write("MATCH (l:Ledger {id: $id}) SET l.schema = $version", id=ledger, version=version)
