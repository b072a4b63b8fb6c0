"""The ledger's graph in Neo4j: prepared before the flip, copied after it, caught up when it fell behind.

An epoch is written in three steps: ``busy`` on the corpus node says that it has begun, batches of at most 10,000
relationships follow, and one statement sets ``prepared`` and ends ``busy``. What a killed write left is compared with
the ledger, row by row. Up to the last epoch that both agree on nothing changes by that, so who reads one reads on;
where there is none, the corpus gets a new ``generation``, and its readers are told.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator

from clausegraph.core.errors import StoreMismatch, StoreUnavailable
from clausegraph.core.telemetry.logs import logger
from clausegraph.indexes.graph.neo4j.rows import BATCH, TYPES, GraphCorpus, Interval, closed_rows, opened_rows
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.indexes.graph.neo4j.state import (
    EXTEND,
    LOAD,
    NONE,
    RECONCILE,
    RECONCILING,
    REFUSE,
    WRITING,
    LedgerState,
    ServerState,
    contents,
    decide,
    differences,
    dropped_corpora,
    ledger_state,
    server_state,
)
from clausegraph.indexes.graph.neo4j.writes import (
    FILLING,
    INDEXES,
    check_owner,
    intervals,
    migrate,
    remove,
    set_ends,
    wipe,
    write_part,
)
from clausegraph.indexes.graph.protocol import ProjectionReport, ProjectionStatus
from clausegraph.indexes.ledger.store import Ledger, ledger_id

DEADLINE_S = 600.0  # for one epoch, however large
_POLL_S = 0.1

_BEGIN = (
    "MERGE (c:Corpus {id: $id}) ON CREATE SET c.prepared = 0, c.newest = 0, c.published = 0, c.floor = $floor, "
    "c.history = [] SET c.name = $name, c.busy = $busy, c.generation = coalesce($generation, c.generation)"
)
_PREPARED = "MATCH (c:Corpus {id: $id}) SET c.prepared = $prepared, c.history = $history REMOVE c.busy"
_PUBLISHED = "MATCH (c:Corpus {id: $id}) WHERE c.prepared >= $newest SET c.newest = $newest, c.published = $published"
_FLOOR = "MATCH (c:Corpus {id: $id}) SET c.floor = $floor"
_UNREADABLE = "MATCH (c:Corpus {id: $id}) SET c.busy = $busy, c.prepared = 0, c.generation = $generation"
_FORGET = "MATCH (c:Corpus {id: $id}) DETACH DELETE c"
_STATES = {LOAD: "lagging", EXTEND: "lagging", RECONCILE: "lagging", REFUSE: "diverged", NONE: "current"}
_log = logger(__name__)


class Neo4jProjection:
    """A ``GraphProjection``, which documents the methods, of one ledger into one Neo4j database; close it."""

    name = "neo4j"

    def __init__(self, ledger: Ledger, server: Neo4jServer, deadline: float = DEADLINE_S, batch: int = BATCH) -> None:
        self._ledger = ledger
        self._batch = batch
        self._server = server
        self._deadline = deadline

    def prepare(self, corpus_id: int, epoch: int) -> ProjectionReport:
        self.forget_dropped()
        here = ledger_state(self._ledger, corpus_id)
        there = server_state(self._server, here.corpus)
        todo = decide(here, there, epoch)
        if todo.action == REFUSE:
            raise StoreMismatch(todo.reason)
        report, begun = ProjectionReport(todo.action, max(todo.base, epoch)), time.monotonic()
        if todo.action == NONE or not (there.exists or epoch):
            return report
        interval = Interval(todo.base, epoch, self._batch)
        (self._extend if todo.action == EXTEND else self._reconcile)(here, interval, begun + self._deadline, report)
        history = [token for number, token in sorted(here.tokens.items()) if number <= epoch]
        self._server.write(_PREPARED, id=corpus_id, prepared=epoch, history=history)
        report.seconds = time.monotonic() - begun
        _log.info("projection.prepared", projection=self.name, epoch=epoch, rows=report.written)
        return report

    def catch_up(self, corpus_id: int) -> ProjectionReport:
        report = self.prepare(corpus_id, ledger_state(self._ledger, corpus_id).newest)
        self.publish(corpus_id)
        self.vacuum(corpus_id)
        return report

    def publish(self, corpus_id: int) -> None:
        here = self._open(corpus_id)
        self._server.write(_PUBLISHED, id=corpus_id, newest=here.newest, published=here.published)

    def vacuum(self, corpus_id: int) -> int:
        here = self._open(corpus_id)
        there = server_state(self._server, here.corpus)
        if not there.exists or there.busy or there.floor >= here.floor:
            return 0
        removed = 0
        for kind in TYPES:
            found = intervals(self._server, here.corpus, kind)
            removed += remove(self._server, kind, [key for key, until in found.items() if until <= here.floor])
        self._server.write(_FLOOR, id=corpus_id, floor=here.floor)
        return removed

    def forget_dropped(self) -> None:
        migrate(self._server, ledger_id(self._ledger))
        for corpus in dropped_corpora(self._ledger, self._server):
            self._drop(corpus)

    def rebuild(self, corpus_id: int) -> ProjectionReport:
        """Remove the corpus from the server and write it anew."""
        self._drop(self._open(corpus_id).corpus)
        report = self.catch_up(corpus_id)
        report.action = "rebuild"
        return report

    def status(self, corpus_id: int) -> ProjectionStatus:
        here = ledger_state(self._ledger, corpus_id)
        there = ServerState()
        if check_owner(self._server, ledger_id(self._ledger)):
            there = server_state(self._server, here.corpus)
        todo = decide(here, there, here.newest)
        state, reason = _STATES[todo.action], todo.reason
        if not there.exists:
            state = "absent"
        elif there.busy:
            state = "interrupted"
        elif state == "current":
            reason = self._behind(here, there)
            state = "lagging" if reason else state
        return ProjectionStatus(state, there.prepared, there.published, here.newest, here.published, reason)

    def _behind(self, here: LedgerState, there: ServerState) -> str:
        """What a server that has every row has not followed yet; empty when nothing."""
        if (there.newest, there.published) != (here.newest, here.published):
            return f"it takes epoch {there.published} for the published one"
        if gone := dropped_corpora(self._ledger, self._server):
            return f"it still has what the ledger has dropped: corpus {', '.join(corpus.name for corpus in gone)}"
        return f"it keeps rows that epoch {here.floor} and later do not show" if there.floor < here.floor else ""

    def verify(self, corpus_id: int) -> list[str]:
        """Compare every node and relationship with the ledger; returns the differences in words."""
        check_owner(self._server, ledger_id(self._ledger))
        here = ledger_state(self._ledger, corpus_id)
        return differences(self._ledger, self._server, here, server_state(self._server, here.corpus))

    def contents(self, corpus_id: int) -> Iterator[tuple[str, str]]:
        return contents(self._server, ledger_state(self._ledger, corpus_id).corpus)

    def close(self) -> None:
        """Close the connections to the server."""
        self._server.close()

    def __enter__(self) -> Neo4jProjection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- steps ------------------------------------------------------------------------------------

    def _open(self, corpus_id: int) -> LedgerState:
        """Where the ledger stands; the database is made ours, each time: it may be wiped under our feet."""
        migrate(self._server, ledger_id(self._ledger))
        return ledger_state(self._ledger, corpus_id)

    def _begin(self, here: LedgerState, *, readable: bool) -> None:
        self._server.write(
            _BEGIN, id=here.corpus.id, name=here.corpus.name, floor=here.floor,
            busy=WRITING if readable else RECONCILING, generation=None if readable else uuid.uuid4().hex,
        )  # fmt: skip

    def _extend(self, here: LedgerState, interval: Interval, deadline: float, report: ProjectionReport) -> None:
        """Write what opens in the interval and end what closes in it."""
        self._begin(here, readable=True)
        for part in opened_rows(self._ledger, here.corpus, interval):
            self._check(here.corpus, deadline, report)
            report.written += write_part(self._server, here.corpus, part)
        for kind, rows in closed_rows(self._ledger, here.corpus, interval):
            self._check(here.corpus, deadline, report)
            report.closed += set_ends(self._server, kind, rows)

    def _reconcile(self, here: LedgerState, interval: Interval, deadline: float, report: ProjectionReport) -> None:
        """Compare every id and end, write what is missing, remove what is too much: right from any state. The indexes
        come before the corpus has an epoch at all, so that no reader misses one."""
        self._begin(here, readable=interval.after > 0)
        there = {kind: intervals(self._server, here.corpus, kind) for kind in TYPES}
        for part in opened_rows(self._ledger, here.corpus, Interval(0, interval.upto, self._batch)):
            self._check(here.corpus, deadline, report)
            ends = {edge.properties["id"]: edge.properties["until"] for edge in part.edges}
            found = {key: there[part.type].pop(key) for key in ends if key in there[part.type]}
            moved = [{"id": key, "until": ends[key]} for key, until in found.items() if until != ends[key]]
            report.closed += set_ends(self._server, part.type, moved)
            part.edges = [edge for edge in part.edges if edge.properties["id"] not in found]
            report.written += write_part(self._server, here.corpus, part)
        for kind in TYPES:
            self._check(here.corpus, deadline, report)
            report.removed += remove(self._server, kind, list(there[kind]))
        for statement in INDEXES:
            self._server.write(statement)
        while self._server.read(FILLING)[0]["indexes"]:
            self._check(here.corpus, deadline, report)
            time.sleep(_POLL_S)

    def _check(self, corpus: GraphCorpus, deadline: float, report: ProjectionReport) -> None:
        if time.monotonic() > deadline:
            raise StoreUnavailable(
                f"Neo4j did not take epoch {report.epoch} of corpus {corpus.name!r} within {self._deadline:g} s "
                f"({report.written} rows are written and will be found again); look at its load"
            )

    def _drop(self, corpus: GraphCorpus) -> None:
        """The node goes last, so that what was begun is gone on with."""
        self._server.write(_UNREADABLE, id=corpus.id, busy=RECONCILING, generation=uuid.uuid4().hex)
        wipe(self._server, corpus.name)
        self._server.write(_FORGET, id=corpus.id)
