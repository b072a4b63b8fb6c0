"""The full comparison: every node and relationship that the ledger calls for, and every one that Neo4j has."""

from __future__ import annotations

import hashlib
import json
from typing import Any, LiteralString

from clausegraph.indexes.graph.neo4j.keys import GraphCorpus
from clausegraph.indexes.graph.neo4j.rows import NODES, TYPES, Interval, opened
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.indexes.graph.neo4j.state import LedgerState, ServerState
from clausegraph.indexes.ledger.store import Ledger

SHOWN = 20  # differences named one by one

_NODES: dict[str, LiteralString] = {
    "Page": "MATCH (n:Page) WHERE n.corpus = $corpus RETURN n.key AS key, properties(n) AS p",
    "Chunk": "MATCH (n:Chunk) WHERE n.corpus = $corpus RETURN n.key AS key, properties(n) AS p",
    "Element": "MATCH (n:Element) WHERE n.corpus = $corpus RETURN n.key AS key, properties(n) AS p",
    "Entity": "MATCH (n:Entity) WHERE n.corpus = $corpus RETURN n.key AS key, properties(n) AS p",
    "Value": "MATCH (n:Value) WHERE n.corpus = $corpus RETURN n.key AS key, properties(n) AS p",
    "Condition": "MATCH (n:Condition) WHERE n.corpus = $corpus RETURN n.key AS key, properties(n) AS p",
}
_EDGES: dict[str, LiteralString] = {
    "STATES": "MATCH (a)-[r:STATES]->(b) WHERE r.corpus = $corpus "
    "RETURN r.id AS key, properties(r) AS p, a.key AS a, b.key AS b",
    "HAS_PAGE": "MATCH (a)-[r:HAS_PAGE]->(b) WHERE r.corpus = $corpus "
    "RETURN r.id AS key, properties(r) AS p, a.id AS a, b.key AS b",
    "HAS_CHUNK": "MATCH (a)-[r:HAS_CHUNK]->(b) WHERE r.corpus = $corpus "
    "RETURN r.id AS key, properties(r) AS p, a.key AS a, b.key AS b",
    "HAS_ELEMENT": "MATCH (a)-[r:HAS_ELEMENT]->(b) WHERE r.corpus = $corpus "
    "RETURN r.id AS key, properties(r) AS p, a.key AS a, b.key AS b",
    "TAKEN_FOR": "MATCH (a)-[r:TAKEN_FOR]->(b) WHERE r.corpus = $corpus "
    "RETURN r.id AS key, properties(r) AS p, a.key AS a, b.key AS b",
}
_LEAVES: LiteralString = (
    "MATCH (c:Condition)-[l:LEAF]->(e:Element) WHERE c.corpus = $corpus "
    "RETURN c.key + '#' + toString(l.position) AS key, properties(l) AS p, c.key AS a, e.key AS b"
)

Rows = dict[str, bytes]  # key → hash of what is there


def differences(ledger: Ledger, server: Neo4jServer, here: LedgerState, there: ServerState) -> list[str]:
    """What Neo4j has otherwise than the ledger, in words, the first of each kind by name; empty when nothing."""
    found = _numbers(here, there)
    wanted = _wanted(ledger, here.corpus, there.prepared)
    for name, query in [*_NODES.items(), *_EDGES.items(), ("LEAF", _LEAVES)]:
        has = {row["key"]: _content(row) for row in server.read(query, corpus=here.corpus.name)}
        found += _compare(name, wanted[name], has)
    return found


def _numbers(here: LedgerState, there: ServerState) -> list[str]:
    """What the corpus node says."""
    if not there.exists:
        return [f"corpus {here.corpus.name!r} is not in the database"]
    pairs = {
        "prepared": (there.prepared, here.newest),
        "newest": (there.newest, here.newest),
        "published": (there.published, here.published),
    }
    found = [f"{name} is {has}, the ledger's is {want}" for name, (has, want) in pairs.items() if has != want]
    return found + ([f"a write was interrupted or is going on ({there.busy})"] if there.busy else [])


def _wanted(ledger: Ledger, corpus: GraphCorpus, upto: int) -> dict[str, Rows]:
    rows: dict[str, Rows] = {name: {} for name in (*NODES, *TYPES, "LEAF")}
    for part in opened(ledger, corpus, Interval(0, upto)):
        for label, nodes in part.nodes.items():
            rows[label] |= {key: _content({"p": properties}) for key, properties in nodes.items()}
        for edge in part.edges:
            row = {"p": edge.properties, "a": edge.start, "b": edge.end}
            rows[part.type][edge.properties["id"]] = _content(row)
        for leaf in part.leaves:
            place = {key: leaf[key] for key in ("position", "start", "end", "text")}
            row = {"p": place, "a": leaf["condition"], "b": leaf["element"]}
            rows["LEAF"][f"{leaf['condition']}#{leaf['position']}"] = _content(row)
    return rows


def _content(row: dict[str, Any]) -> bytes:
    properties = {key: value for key, value in row["p"].items() if value is not None}  # Neo4j stores no nulls
    body = json.dumps([properties, row.get("a"), row.get("b")], sort_keys=True)
    return hashlib.blake2b(body.encode(), digest_size=16).digest()


def _compare(name: str, wanted: Rows, has: Rows) -> list[str]:
    missing = sorted(wanted.keys() - has.keys())
    extra = sorted(has.keys() - wanted.keys())
    other = sorted(key for key in wanted.keys() & has.keys() if wanted[key] != has[key])
    found: list[str] = []
    for words, keys in (("is missing", missing), ("is too much", extra), ("differs", other)):
        found += [f"{name} {key} {words}" for key in keys[:SHOWN]]
        if len(keys) > SHOWN:
            found.append(f"{name}: {len(keys) - SHOWN} more of which each {words}")
    return found
