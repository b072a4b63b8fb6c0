"""Where a corpus stands in the ledger and in Neo4j, what has to be done for it to follow, and how the two differ.

Each epoch has a token, its number and the run that froze it: two histories agree up to an epoch if and only if
their tokens of it are the same. That is how a server that lags, was restored from an old backup, was wiped, or
followed a ledger that was itself restored, is told from one that is well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select

from clausegraph.core.errors import NotFoundError
from clausegraph.indexes.graph.neo4j.rows import HAS_PAGE, NODES, TYPES, GraphCorpus, Interval, opened_rows
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.indexes.ledger.schema import FREEZING, corpora, epochs
from clausegraph.indexes.ledger.store import Ledger

WRITING, RECONCILING = "writing", "reconciling"
LOAD, EXTEND, RECONCILE, REFUSE, NONE = "load", "extend", "reconcile", "refuse", "none"

_READ = "MATCH (c:Corpus {id: $id}) RETURN properties(c) AS c"
_NAMES = "MATCH (c:Corpus) RETURN c.id AS id, c.name AS name ORDER BY id"


@dataclass(frozen=True, slots=True)
class LedgerState:
    """A corpus in the ledger: its numbers, and the token of every retained or frozen epoch by number."""

    corpus: GraphCorpus
    newest: int
    published: int
    tokens: dict[int, str]

    @property
    def floor(self) -> int:
        """The oldest retained epoch: rows that ended there or before are gone. 0 where none can be."""
        oldest = min((number for number in self.tokens if number <= self.newest), default=0)
        return oldest if oldest > 1 else 0


@dataclass(frozen=True, slots=True)
class ServerState:
    """A corpus in Neo4j. ``prepared``: every row up to it is there; ``newest`` and ``published`` are copies."""

    prepared: int = 0
    newest: int = 0
    published: int = 0
    floor: int = 0
    busy: str = ""  # a write that has not come to its end: WRITING or RECONCILING
    tokens: dict[int, str] = field(default_factory=dict)
    exists: bool = False


@dataclass(frozen=True, slots=True)
class Todo:
    """What brings the server to the ledger: ``EXTEND`` writes what follows ``base``, the last epoch that both agree on;
    ``RECONCILE`` compares everything, and ``LOAD`` does so where nothing is there."""

    action: str
    base: int = 0
    reason: str = ""


def ledger_state(ledger: Ledger, corpus_id: int) -> LedgerState:
    """Where the ledger stands."""
    with ledger.read() as connection:
        row = connection.execute(select(corpora).where(corpora.c.id == corpus_id)).fetchone()
        if row is None:
            raise NotFoundError(f"no corpus with id {corpus_id} in {ledger.place}")
        mine = (epochs.c.corpus_id == corpus_id, epochs.c.state != FREEZING)  # of which rows are missing
        found = select(epochs.c.number, epochs.c.run_id).where(*mine)
        tokens = {e.number: f"{e.number}:{e.run_id}" for e in connection.execute(found)}
    return LedgerState(GraphCorpus(corpus_id, row.name), row.newest, row.published, tokens)


def dropped_corpora(ledger: Ledger, server: Neo4jServer) -> list[GraphCorpus]:
    """What the server still has of corpora that the ledger has not any more: dropped while it was away."""
    there = [GraphCorpus(row["id"], row["name"]) for row in server.read(_NAMES)]  # before the ledger, where each begins
    here = {row.id for row in ledger.rows(select(corpora.c.id))}
    return [corpus for corpus in there if corpus.id not in here]


def server_state(server: Neo4jServer, corpus: GraphCorpus) -> ServerState:
    """Where the server stands."""
    mine = next((row["c"] for row in server.read(_READ, id=corpus.id)), None)
    if mine is None:
        return ServerState()
    tokens = {int(token.split(":", 1)[0]): token for token in mine.get("history", [])}
    numbers = {key: mine.get(key, 0) for key in ("prepared", "newest", "published", "floor")}
    return ServerState(**numbers, busy=mine.get("busy") or "", tokens=tokens, exists=True)


def decide(ledger: LedgerState, server: ServerState, target: int) -> Todo:  # noqa: PLR0911 - one line a case
    """What to do so that the server has every row up to ``target``."""
    base, agree = server.prepared, ledger.tokens.items() & server.tokens.items()
    common = max((number for number, _ in agree), default=0)
    if not server.exists:
        return Todo(LOAD, reason="the corpus is not in the database: it is new there, or was removed")
    if server.busy == RECONCILING:
        return Todo(RECONCILE, reason="a comparison was interrupted")
    if base < ledger.floor and base not in ledger.tokens:
        return Todo(RECONCILE, reason=f"it ends at epoch {base}, and the ledger's oldest is {ledger.floor} by now")
    if server.newest > common:
        return Todo(REFUSE, common, _diverged(ledger, server, common))
    if common < base:  # what it has beyond was prepared, never published, and the ledger took it back
        return Todo(RECONCILE, common, "what was prepared there was abandoned")
    if server.busy:
        return Todo(RECONCILE, base, "a write was interrupted")
    if base >= target:
        return Todo(NONE, base)
    if base == 0:
        return Todo(LOAD, reason="nothing has been written to its end yet")
    return Todo(EXTEND, base, f"it ends at epoch {base}, the ledger at {target}")


def _diverged(ledger: LedgerState, server: ServerState, common: int) -> str:
    agree = f"they agree up to epoch {common}" if common else "they have no epoch in common"
    return (
        f"Neo4j followed corpus {ledger.corpus.name!r} to epoch {server.newest}, this ledger ends at {ledger.newest} "
        f"with another history ({agree}): one of them was restored from a backup; if this ledger is the right one, "
        "run `clausegraph project neo4j --rebuild`"
    )


SHOWN = 20  # differences named one by one

_ROWS = {
    **{name: f"MATCH (n:{name}) WHERE n.corpus = $corpus RETURN n.key AS key, properties(n) AS p" for name in NODES},
    **{
        name: f"MATCH (a)-[r:{name}]->(b) WHERE r.corpus = $corpus "
        f"RETURN r.id AS key, properties(r) AS p, a.{'id' if name == HAS_PAGE else 'key'} AS a, b.key AS b"
        for name in TYPES
    },
    "LEAF": "MATCH (c:Condition)-[l:LEAF]->(e:Element) WHERE c.corpus = $corpus "
    "RETURN c.key + '#' + toString(l.position) AS key, properties(l) AS p, c.key AS a, e.key AS b",
}

Rows = dict[str, bytes]  # key → hash of what is there


def differences(ledger: Ledger, server: Neo4jServer, here: LedgerState, there: ServerState) -> list[str]:
    """What Neo4j has otherwise than the ledger, in words, the first of each kind by name; empty when nothing."""
    found = _numbers(here, there)
    wanted = _wanted(ledger, here.corpus, there.prepared)
    for name, query in _ROWS.items():
        has = {row["key"]: _content(row) for row in server.read(query, corpus=here.corpus.name)}
        found += _compare(name, wanted[name], has)
    return found


def contents(server: Neo4jServer, corpus: GraphCorpus) -> Iterator[tuple[str, str]]:
    """Where each node and relationship of a corpus is in Neo4j, and all that it has as JSON."""
    for name, query in _ROWS.items():
        for row in server.read(query, corpus=corpus.name):
            yield f"Neo4j, {name} {row['key']}", json.dumps(row, ensure_ascii=False, default=str)


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
    rows: dict[str, Rows] = {name: {} for name in _ROWS}
    for part in opened_rows(ledger, corpus, Interval(0, upto)):
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
