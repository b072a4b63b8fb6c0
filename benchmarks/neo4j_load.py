"""``neo4j``: what the projection into Neo4j costs against plain Cypher through the same driver.

A ledger is made with entities and five supports each (a fifth of the objects are values, a tenth of the supports
conditional, some entities in hundreds). It is loaded twice each way, in turns, each time by a fresh server:

* *plain*: the same nodes and relationships with the same properties, nulls left out; the same unique constraints on
  keys and ids, and no other index; rows ready in memory before the clock starts; each node once, by ``UNWIND $rows AS
  row CREATE (n:Label) SET n = row``, then relationships by ``UNWIND $rows AS row MATCH (a:Label {key: row.a}) MATCH
  (b:Label {key: row.b}) CREATE (a)-[r:TYPE]->(b) SET r = row.p``; 10,000 rows a transaction, one after the other.
  It cannot be resumed, and a second run fails.
* *ours*: ``Neo4jProjection.catch_up``, from the ledger's file to the last index and the corpus node.

Then 1,000 supports close, and neighbourhoods of two hops are read at the epoch before that, in turns with one plain
query that gives the same facts in the same order, and with one that gives any 200. ``upsert_relations`` of
LlamaIndex's store gets a tenth of the supports in a server of its own, with the same properties; it merges by ends
and label, so that supports of one fact become one relationship.
"""

from __future__ import annotations

import gc
import random
import shutil
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, LiteralString

from neo4j import GraphDatabase, ManagedTransaction, Session
from sqlalchemy import Connection, func, insert, select, update

from benchmarks.material import REPOSITORY
from benchmarks.show import Check, median, percentile, print_checks, print_table
from benchmarks.workbench import Workbench
from clausegraph.app.servers.jars import check_java, check_maven
from clausegraph.app.servers.neo4j import start_neo4j
from clausegraph.core.errors import InputError
from clausegraph.core.hashing import canonical_json, content_hash, fact_id
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.serial import pack, reading_to_json, statement_to_json
from clausegraph.core.types import LITERAL, Chunk, Element, Leaf, Literal, Mention, Reading, Span, Statement
from clausegraph.indexes.corpora import ensure_corpus, ensure_source
from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.rows import GraphCorpus, Interval, opened, term_key
from clausegraph.indexes.graph.neo4j.server import Address, BoundQuery, Neo4jServer, Record
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.ledger.schema import OPEN, chunks, corpora, epochs, members, page_versions, pages, supports
from clausegraph.indexes.ledger.store import Ledger, ledger_id, open_ledger

ENTITIES = 100_000
SUPPORTS_EACH = 5
CLOSED = 1_000
ROUNDS = 2
QUESTIONS = 200
LIMIT = 200  # facts of a neighbourhood
COMPARED = 20  # neighbourhoods that are checked against the embedded graph
SAMPLE = 10  # LlamaIndex's store gets one in so many supports
LOAD, HOPS = 1.5, 1.5

_PER_PAGE = 1_000
_PER_CHUNK = 50
_VALUES, _CONDITIONAL = 0.2, 0.1  # shares of the supports
_BATCH = 10_000
_MEMORY = "2g"
_PATIENCE = 3600.0  # seconds: a machine that does other things too is no failure
_RELATIONS = ("pays", "needs", "is", "includes", "depends on", "is part of", "requires", "applies to")


def run(bench: Workbench, entities: int = ENTITIES) -> dict[str, Any]:
    """Measure and print."""
    try:
        check_java()
        check_maven()
    except InputError as error:
        print(f"\nneo4j: left out: {error}")
        return {"checks": []}
    result = measure(bench.folder / "neo4j", entities)
    plain, ours, theirs = median(result["plain_s"]), median(result["ours_s"]), result["llama_index_s"]
    relations, nodes = result["relationships"], result["nodes"]
    rows: list[Sequence[object]] = [("", "seconds", "of each round", "of plain", "processor seconds of Python")]
    rows.append(("plain UNWIND", plain, _list(result["plain_s"]), 1.0, median(result["plain_cpu"])))
    rows.append(("projection", ours, _list(result["ours_s"]), ours / plain, median(result["ours_cpu"])))
    rows.append((f"upsert_relations x {SAMPLE}", theirs, "supports only", theirs / plain, result["llama_index_cpu"]))
    title = f"neo4j: load of {entities:,} entities and {entities * SUPPORTS_EACH:,} supports"
    print_table(f"{title} ({nodes:,} nodes, {relations:,} relationships in all)", rows)
    print(f"  plain by part, s: {', '.join(f'{name} {value:.1f}' for name, value in result['plain_parts'].items())}")
    close = result["close"]
    print(f"  closing {close['asked']:,} supports: {close['touched']:,} properties set, {close['made']} rows made or "
          f"removed, {close['seconds']:.2f} s with the reading of the ledger")  # fmt: skip
    hops = result["hops"]
    header = ("2 hops, limit 200, ms", "p50", "p95", "facts")
    names = {"plain": "one plain query, same facts", "any": "one plain query, any 200", "ours": "Neo4jGraph"}
    print_table("neo4j: neighbourhoods at a pinned epoch", [
        header, *((words, median(hops[key]), percentile(hops[key], 0.95), hops[f"{key}_facts"])
                  for key, words in names.items())
    ])  # fmt: skip
    checks = [
        Check("load over plain load", ours / plain, LOAD, "x", decides=False),
        Check("properties set by closing", close["touched"] + close["made"], close["asked"], ""),
        Check("2 hops over the plain query", median(hops["ours"]) / median(hops["plain"]), HOPS, "x", decides=False),
        Check("neighbourhoods unlike the embedded graph's", hops["unlike"], 0, f"of {COMPARED}"),
    ]
    print_checks(checks)
    return result | {"checks": [check.as_dict() for check in checks]}


def measure(folder: Path, entities: int, rounds: int = ROUNDS, questions: int = QUESTIONS) -> dict[str, Any]:
    """Every figure; servers come and go in ``folder``."""
    result: dict[str, Any] = {"entities": entities, "plain_s": [], "plain_cpu": [], "ours_s": [], "ours_cpu": []}
    ledger, corpus = make_ledger(folder / "home", entities)
    with ledger:
        for number in range(rounds):
            with _server(folder) as address:
                rows = PlainRows.of(ledger, corpus)
                result["nodes"] = sum(len(nodes) for nodes in rows.nodes.values())
                result["relationships"] = sum(len(edges) for edges in rows.edges.values())
                with _still():
                    clock = _Clock()
                    result["plain_parts"] = load_plainly(address, rows)
                result["plain_s"].append(clock.seconds)
                result["plain_cpu"].append(clock.processor)
                del rows
            with _server(folder) as address, _projection(ledger, Neo4jServer(address)) as projection:
                clock = _Clock()
                projection.catch_up(corpus.id)
                result["ours_s"].append(clock.seconds)
                result["ours_cpu"].append(clock.processor)
                if number == rounds - 1:
                    result["close"] = _close(ledger, corpus, address)
                    result["hops"] = _hops(ledger, corpus, address, questions)
        with _server(folder, apoc=True) as address:
            seconds, processor = load_by_llama_index(address, ledger, corpus)
        result |= {"llama_index_s": seconds * SAMPLE, "llama_index_cpu": processor * SAMPLE}
    return result


def _projection(ledger: Ledger, server: Neo4jServer) -> Neo4jProjection:
    return Neo4jProjection(ledger, server, deadline=_PATIENCE)


def _list(values: Sequence[float]) -> str:
    return " ".join(f"{value:.1f}" for value in values)


class _Clock:
    """Seconds, and processor seconds of this process, since it was made."""

    def __init__(self) -> None:
        self._begun = time.perf_counter(), time.process_time()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._begun[0]

    @property
    def processor(self) -> float:
        return time.process_time() - self._begun[1]


@contextmanager
def _still() -> Iterator[None]:
    """What is in memory already costs the garbage collector nothing: rows that wait would slow the plain load."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _server(folder: Path, *, apoc: bool = False) -> Iterator[Address]:
    """A fresh server, gone at the end."""
    home = folder / "server"
    running = start_neo4j(home, cache=REPOSITORY / ".neo4j", memory=_MEMORY, apoc=apoc)
    try:
        yield Address(running.uri, running.user, running.password, deadline=_PATIENCE)
    finally:
        running.stop()
        shutil.rmtree(home)


# --- the ledger -----------------------------------------------------------------------------------


def make_ledger(home: Path, entities: int, seed: int = 1) -> tuple[Ledger, GraphCorpus]:
    """A ledger with one flipped epoch: five supports for each entity, on pages of a thousand."""
    ledger = open_ledger(home)
    corpus = ensure_corpus(ledger, "synthetic", {})
    source = ensure_source(ledger, corpus.id, "pages", "folder", "/nowhere")
    with ledger.write() as connection:
        for number, statements in enumerate(_pages(entities, random.Random(seed)), start=1):
            reading = _reading(number)
            of_page = {"corpus_id": corpus.id, "page_id": number}
            of_row = of_page | {"since": 1, "until": OPEN}
            connection.execute(insert(pages).values(id=number, corpus_id=corpus.id, source_id=source, uri=f"{number}"))
            connection.execute(
                insert(page_versions).values(
                    **of_page, id=number, version_key=f"{number}", raw_hash="", content_type="text/html", pipeline="",
                    fetched=0.0, reading=pack(reading_to_json(reading)),
                )
            )  # fmt: skip
            connection.execute(
                insert(members).values(**of_row, page_version_id=number, extractor="rules:1", projection="projection:1")
            )
            keys = [{"key": c.key, "content_hash": c.content_hash, "input_key": c.content_hash} for c in reading.chunks]
            connection.execute(insert(chunks), [of_row | row for row in keys])
            connection.execute(insert(supports), [of_row | _support(one, reading) for one in enumerate(statements)])
        _flip(connection, corpus.id, 1)
    return ledger, GraphCorpus(corpus.id, corpus.name)


def close_supports(ledger: Ledger, corpus: GraphCorpus, number: int) -> int:
    """An epoch in which so many supports, spread over all, have ended; all of them where there are fewer."""
    with ledger.write() as connection:
        (total,) = connection.execute(select(func.count()).select_from(supports)).one()
        every = max(1, total // number)
        ends = update(supports).where(supports.c.id % every == 0, supports.c.id <= every * number)
        ended = connection.execute(ends.values(until=2)).rowcount
        _flip(connection, corpus.id, 2)
    return ended


def _flip(connection: Connection, corpus_id: int, number: int) -> None:
    values = {"corpus_id": corpus_id, "number": number, "state": "flipped", "model": "none", "created": 0.0}
    connection.execute(insert(epochs).values(**values, run_id=f"run-{number}", summary="{}"))
    connection.execute(update(corpora).where(corpora.c.id == corpus_id).values(newest=number, published=number))


Stated = tuple[Mention, str, Mention | Literal, bool]  # the last: under a condition


def _pages(entities: int, draw: random.Random) -> Iterator[list[Stated]]:
    """What each page states; every entity is a subject at least once, and some are in thousands of statements."""
    mentions = [_mention(number) for number in range(entities)]
    draw.shuffle(mentions)
    for start in range(0, entities * SUPPORTS_EACH, _PER_PAGE):
        stated: list[Stated] = []
        for index in range(start, min(start + _PER_PAGE, entities * SUPPORTS_EACH)):
            subject = mentions[index] if index < entities else mentions[int(entities * draw.random() ** 2)]
            thing: Mention | Literal = mentions[int(entities * draw.random())]
            if draw.random() < _VALUES:
                thing = Literal(f"£{draw.randrange(max(1, entities // 10))} a week", "amount")
            stated.append((subject, draw.choice(_RELATIONS), thing, draw.random() < _CONDITIONAL))
        yield stated


def _mention(number: int) -> Mention:
    surface = f"Housing allowance {number} of the northern district"
    return Mention(surface, entity_key(surface))


def _reading(number: int) -> Reading:
    elements = tuple(
        Element(f"p-{number:08x}-{position}", "p", "", f"Paragraph {position} of page {number}: who is paid, and when.")
        for position in range(_PER_PAGE // _PER_CHUNK)
    )
    made = tuple(
        Chunk(f"{e.anchor}", (), (Span(e.anchor, 0, len(e.text)),), e.text, content_hash(e.text)) for e in elements
    )
    return Reading(f"Page {number}", f"https://pages.example/{number}", elements, made)


def _support(one: tuple[int, Stated], reading: Reading) -> dict[str, Any]:
    position, (subject, relation, thing, conditional) = one
    element = reading.elements[position // _PER_CHUNK]
    span = Span(element.anchor, 0, len(element.text))
    condition = Leaf(element.anchor, 0, 9, f"if {position // 2}") if conditional else None
    body = canonical_json(statement_to_json(Statement(subject, relation, thing, (span,), condition=condition)))
    key = thing.key if isinstance(thing, Mention) else LITERAL + thing.value
    return {
        "chunk_key": element.anchor, "fact_id": fact_id(subject.key, relation, key), "subject": subject.key,
        "relation": relation, "object": key, "content_key": content_hash(str(position), body), "extractor": "rules:1",
        "statement": body,
    }  # fmt: skip


# --- plain Cypher ---------------------------------------------------------------------------------

_ENDS = {
    "HAS_PAGE": ("Corpus", "id", "Page"),
    "HAS_ELEMENT": ("Page", "key", "Element"),
    "HAS_CHUNK": ("Page", "key", "Chunk"),
    "STATES": ("Entity", "key", "Entity"),
    "STATES of values": ("Entity", "key", "Value"),
    "LEAF": ("Condition", "key", "Element"),
}


@dataclass(slots=True)
class PlainRows:
    """Everything a projection writes, by label and by kind of relationship, ready to be sent."""

    nodes: dict[str, dict[str, dict[str, Any]]] = field(default_factory=lambda: defaultdict(dict))
    edges: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, ledger: Ledger, corpus: GraphCorpus) -> PlainRows:
        """Read them from the ledger."""
        rows = cls()
        rows.nodes["Corpus"]["1"] = {"id": corpus.id}
        for part in opened(ledger, corpus, Interval(0, 1)):
            for label, nodes in part.nodes.items():
                rows.nodes[label].update(nodes)
            for edge in part.edges:
                kind = "STATES of values" if edge.target == "Value" else part.type
                values = {key: value for key, value in edge.properties.items() if value is not None}
                rows.edges[kind].append({"a": edge.start, "b": edge.end, "p": values})
            for leaf in part.leaves:
                values = {key: leaf[key] for key in ("position", "start", "end", "text")}
                rows.edges["LEAF"].append({"a": leaf["condition"], "b": leaf["element"], "p": values})
        return rows


def load_plainly(address: Address, rows: PlainRows) -> dict[str, float]:
    """Seconds by part."""
    spent: dict[str, float] = {}
    with (
        GraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver,
        driver.session() as session,
    ):

        def run(transaction: ManagedTransaction, query: LiteralString, part: Sequence[dict[str, Any]]) -> None:
            transaction.run(query, rows=part).consume()

        def send(name: str, query: LiteralString, batch: Sequence[dict[str, Any]]) -> None:
            start = time.perf_counter()
            for first in range(0, len(batch), _BATCH):
                part = batch[first : first + _BATCH]
                session.execute_write(run, query, part)
            spent[name] = spent.get(name, 0.0) + time.perf_counter() - start

        for label in rows.nodes:
            key = "id" if label == "Corpus" else "key"
            session.run(f"CREATE CONSTRAINT FOR (n:{label}) REQUIRE n.{key} IS UNIQUE").consume()
        for kind in rows.edges:
            if kind != "LEAF":
                name = kind.split()[0]
                session.run(f"CREATE CONSTRAINT IF NOT EXISTS FOR ()-[r:{name}]-() REQUIRE r.id IS UNIQUE").consume()
        for label, nodes in rows.nodes.items():
            send(label, f"UNWIND $rows AS row CREATE (n:{label}) SET n = row", list(nodes.values()))
        for kind, edges in rows.edges.items():
            start, key, end = _ENDS[kind]
            query = (
                f"UNWIND $rows AS row MATCH (a:{start} {{{key}: row.a}}) MATCH (b:{end} {{key: row.b}}) "
                f"CREATE (a)-[r:{kind.split()[0]}]->(b) SET r = row.p"
            )
            send(kind.split()[0], query, edges)
    return spent


# --- LlamaIndex's store ---------------------------------------------------------------------------


def load_by_llama_index(address: Address, ledger: Ledger, corpus: GraphCorpus) -> tuple[float, float]:
    """Seconds and processor seconds of ``upsert_relations`` with one support in ``SAMPLE``."""
    from llama_index.core.graph_stores.types import Relation
    from llama_index.graph_stores.neo4j import Neo4jPropertyGraphStore

    relations = [
        Relation(
            label=edge.properties["relation"],
            source_id=str(edge.start),
            target_id=edge.end,
            properties={key: value for key, value in edge.properties.items() if value is not None},
        )
        for part in opened(ledger, corpus, Interval(0, 1))
        for edge in part.edges
        if part.type == "STATES"
    ][::SAMPLE]
    with warnings.catch_warnings(), _still():
        warnings.simplefilter("ignore")  # pydantic's, once a relation
        store = Neo4jPropertyGraphStore(address.user, address.password, address.uri, refresh_schema=False)
        clock = _Clock()
        store.upsert_relations(relations)
        spent = clock.seconds, clock.processor
        store.close()
    return spent


# --- closing and reading --------------------------------------------------------------------------


class _Counting(Neo4jServer):
    """Counts what the server says that its writes to STATES changed."""

    properties = 0
    rows = 0

    def write_all(self, statements: Sequence[BoundQuery]) -> list[list[Record]]:
        def work(transaction: ManagedTransaction) -> list[list[Record]]:
            answers = []
            for query, parameters in statements:
                result = transaction.run(query, parameters)
                answers.append(result.data())
                counters = result.consume().counters
                if ":Corpus" not in query:  # where it stands, on one node
                    self.properties += counters.properties_set
                made = counters.nodes_created + counters.relationships_created
                self.rows += made + counters.nodes_deleted + counters.relationships_deleted
            return answers

        where = self.address
        with GraphDatabase.driver(where.uri, auth=(where.user, where.password)) as driver, driver.session() as session:
            return session.execute_write(work)


def _close(ledger: Ledger, corpus: GraphCorpus, address: Address) -> dict[str, float]:
    asked = close_supports(ledger, corpus, CLOSED)
    server = _Counting(address)
    with _projection(ledger, server) as projection:
        clock = _Clock()
        report = projection.catch_up(corpus.id)
        seconds = clock.seconds
        if report.closed != asked:
            raise RuntimeError(f"{report.closed} supports were closed, not {asked}")
        return {"asked": asked, "touched": server.properties, "made": server.rows, "seconds": seconds}


_SEEN: LiteralString = " r.since <= $epoch AND r.until > $epoch "
_FACT: LiteralString = (
    "RETURN id, held, one.relation AS relation, startNode(one).name AS subject, endNode(one).name AS object"
)
_SAME: LiteralString = (
    "MATCH (e:Entity {key: $key})-[r:STATES]-(n) WHERE" + _SEEN
    + "WITH collect(DISTINCT r) AS first, collect(DISTINCT n) AS near "
    "CALL (first, near) { UNWIND first AS r RETURN r, 1 AS hop UNION ALL "
    "UNWIND near AS n WITH n WHERE n:Entity MATCH (n)-[r:STATES]-() WHERE" + _SEEN + "RETURN r, 2 AS hop } "
    "WITH r.fact_id AS id, min(hop) AS hop, count(DISTINCT r) AS held, head(collect(r)) AS one "
    "ORDER BY hop, held DESC, id LIMIT $limit " + _FACT
)  # fmt: skip
_ANY: LiteralString = (
    "MATCH (e:Entity {key: $key})-[path:STATES*1..2]-() WHERE all(r IN path WHERE" + _SEEN + ") "
    "UNWIND path AS r WITH DISTINCT r LIMIT $limit WITH r.fact_id AS id, 1 AS held, r AS one " + _FACT
)


def _hops(ledger: Ledger, corpus: GraphCorpus, address: Address, questions: int) -> dict[str, Any]:
    """Milliseconds of each way for the same entities, one after the other; drawn as statements mention them."""
    draw = random.Random(3)
    with ledger.read() as connection:
        (total,) = connection.execute(select(func.max(supports.c.id))).one()
        numbers = [draw.randrange(1, total + 1) for _ in range(questions)]
        names = [connection.execute(select(supports.c.subject).where(supports.c.id == n)).scalar_one() for n in numbers]
    found: dict[str, Any] = {"plain": [], "any": [], "ours": [], "unlike": 0}
    counts: dict[str, list[int]] = defaultdict(list)
    embedded = SqlGraph(ledger, corpus.id, 1)

    def ask(session: Session, query: LiteralString, name: str) -> int:
        asked = {"key": term_key(corpus.id, name), "epoch": 1, "limit": LIMIT}
        return len(session.run(query, asked).data())

    with (
        GraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver,
        driver.session() as session,
        Neo4jServer(address) as server,
    ):
        graph = Neo4jGraph(server, ledger_id(ledger), corpus, 1)
        ways: dict[str, Callable[[str], int]] = {
            "plain": lambda name: ask(session, _SAME, name),
            "any": lambda name: ask(session, _ANY, name),
            "ours": lambda name: len(graph.neighbourhood([name], 2, LIMIT)),
        }
        for number, name in enumerate([*names[:COMPARED], *names]):  # the first ones warm every way up
            for key, way in ways.items():
                clock = _Clock()
                count = way(name)
                if number >= COMPARED:
                    found[key].append(clock.seconds * 1000)
                    counts[f"{key}_facts"].append(count)
        for name in names[:COMPARED]:
            found["unlike"] += graph.neighbourhood([name], 2, LIMIT) != embedded.neighbourhood([name], 2, LIMIT)
    return found | {key: median(values) for key, values in counts.items()}
