"""The ledger's graph in Neo4j: prepared before the flip, copied after it, caught up when it fell behind.

An epoch is written in three steps: ``busy`` on the corpus node says that it has begun, batches of at most 10,000
relationships follow, and one statement sets ``prepared`` and ends ``busy``. A write that was killed is gone on
with when the same epoch is prepared again, and undone when it was another.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, field

from clausegraph.core.errors import StoreMismatch, StoreUnavailable
from clausegraph.indexes.graph.neo4j.rows import (
    BATCH,
    TYPES,
    GraphCorpus,
    GraphRows,
    Interval,
    closed_rows,
    opened_rows,
)
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.indexes.graph.neo4j.state import (
    RECONCILING,
    WRITING,
    LedgerState,
    ServerState,
    Todo,
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
    undo_after,
    wipe,
    write_part,
)
from clausegraph.indexes.graph.protocol import ProjectionReport, ProjectionStatus
from clausegraph.indexes.ledger.schema import OPEN
from clausegraph.indexes.ledger.store import Ledger, ledger_id

DEADLINE_S = 600.0  # for one epoch, however large
_POLL_S = 0.1

_BEGIN = (
    "MERGE (c:Corpus {id: $id}) ON CREATE SET c.prepared = 0, c.newest = 0, c.published = 0, c.floor = $floor, "
    "c.history = [], c.generation = $generation SET c.name = $name, c.busy = $busy"
)
_RENEW = "MATCH (c:Corpus {id: $id}) SET c.generation = $generation"
_PREPARED = "MATCH (c:Corpus {id: $id}) SET c.prepared = $prepared, c.history = $history REMOVE c.busy"
_PUBLISHED = "MATCH (c:Corpus {id: $id}) WHERE c.prepared >= $newest SET c.newest = $newest, c.published = $published"
_FLOOR = "MATCH (c:Corpus {id: $id}) SET c.floor = $floor"
_FORGET = "MATCH (c:Corpus {id: $id}) DETACH DELETE c"


@dataclass(slots=True)
class _Work:
    """A write that goes on until its deadline."""

    corpus: GraphCorpus
    deadline: float
    seconds: float
    begun: float = field(default_factory=time.monotonic)
    written: int = 0
    closed: int = 0
    removed: int = 0

    def check(self, what: str) -> None:
        if time.monotonic() > self.deadline:
            raise StoreUnavailable(
                f"Neo4j did not take {what} of corpus {self.corpus.name!r} within {self.seconds:g} s ({self.written} "
                "rows are written and will be found again); look at its load"
            )

    def report(self, action: str, epoch: int) -> ProjectionReport:
        spent = time.monotonic() - self.begun
        return ProjectionReport(action, epoch, self.written, self.closed, self.removed, spent)


class Neo4jProjection:
    """A ``GraphProjection`` of one ledger into one Neo4j database; close it."""

    name = "neo4j"

    def __init__(self, ledger: Ledger, server: Neo4jServer, deadline: float = DEADLINE_S, batch: int = BATCH) -> None:
        self._ledger = ledger
        self._batch = batch
        self._server = server
        self._deadline = deadline
        self._id = ""  # of the ledger, once the database is known to be its

    def prepare(self, corpus_id: int, epoch: int) -> ProjectionReport:
        """Bring every row up to ``epoch``, frozen or flipped, to the server; readers of older epochs see nothing.

        Raises:
            StoreUnavailable: no answer, or not done within the deadline; what is written is found again.
            StoreRefused: the server does not let us.
            StoreMismatch: the database is another ledger's, or has another history of this corpus.
        """
        self._open()
        here = ledger_state(self._ledger, corpus_id)
        self._forget_dropped()
        there = server_state(self._server, here.corpus)
        return self._carry_out(here, there, decide(here, there, epoch), epoch)

    def catch_up(self, corpus_id: int) -> ProjectionReport:
        """Bring the server to the newest epoch: after a time without it, an old backup, or a wipe."""
        report = self.prepare(corpus_id, ledger_state(self._ledger, corpus_id).newest)
        self.publish(corpus_id)
        self.vacuum(corpus_id)
        return report

    def publish(self, corpus_id: int) -> None:
        """Copy the ledger's newest and published numbers, after a flip or a rollback."""
        self._open()
        here = ledger_state(self._ledger, corpus_id)
        self._server.write(_PUBLISHED, id=corpus_id, newest=here.newest, published=here.published)

    def abandon(self, corpus_id: int, epoch: int) -> None:
        """Take the rows of an epoch back that the ledger has taken back, or is about to."""
        self._open()
        here = ledger_state(self._ledger, corpus_id)
        there = server_state(self._server, here.corpus)
        if not there.exists or there.newest >= epoch or there.busy == RECONCILING:
            return
        if there.prepared < epoch and not there.busy:
            return
        undo_after(self._server, here.corpus, min(there.prepared, epoch - 1), OPEN)
        history = [token for number, token in sorted(there.tokens.items()) if number < epoch]
        self._server.write(_PREPARED, id=corpus_id, prepared=min(there.prepared, epoch - 1), history=history)

    def vacuum(self, corpus_id: int) -> int:
        """Remove what the ledger's vacuum has removed; returns the number of rows."""
        self._open()
        here = ledger_state(self._ledger, corpus_id)
        there = server_state(self._server, here.corpus)
        if not there.exists or there.busy or there.floor >= here.floor:
            return 0
        removed = 0
        for kind in TYPES:
            found = intervals(self._server, here.corpus, kind)
            removed += remove(self._server, kind, [key for key, (_, until) in found.items() if until <= here.floor])
        self._server.write(_FLOOR, id=corpus_id, floor=here.floor)
        return removed

    def forget_dropped(self) -> None:
        """Remove every corpus that the ledger has no more."""
        self._open()
        self._forget_dropped()

    def rebuild(self, corpus_id: int) -> ProjectionReport:
        """Remove the corpus from the server and write it anew."""
        self._open()
        here = ledger_state(self._ledger, corpus_id)
        self._forget_dropped()
        self._drop(here.corpus)
        report = self._carry_out(here, ServerState(), Todo("load", 0), here.newest)
        self.publish(corpus_id)
        self.vacuum(corpus_id)
        return ProjectionReport("rebuild", report.epoch, report.written, report.closed, report.removed, report.seconds)

    def status(self, corpus_id: int) -> ProjectionStatus:
        """Where the projection stands; reads only.

        Raises:
            StoreError: as ``prepare``.
        """
        here = ledger_state(self._ledger, corpus_id)
        there = ServerState()
        if check_owner(self._server, ledger_id(self._ledger)):
            there = server_state(self._server, here.corpus)
        todo = decide(here, there, here.newest)
        state = {"load": "lagging", "extend": "lagging", "reconcile": "lagging", "refuse": "diverged"}.get(
            todo.action, "current"
        )
        reason = todo.reason
        if not there.exists:
            state = "absent"
        elif there.busy or todo.take_back:
            state, reason = "interrupted", reason or "a write was killed or is going on"
        elif state == "current" and (there.newest, there.published) != (here.newest, here.published):
            state, reason = "lagging", f"it takes epoch {there.published} for the published one"
        elif state == "current" and (gone := dropped_corpora(self._ledger, self._server)):
            names = ", ".join(corpus.name for corpus in gone)
            state, reason = "lagging", f"it still has what the ledger has dropped: corpus {names}"
        elif state == "current" and there.floor < here.floor:
            state, reason = "lagging", f"it keeps rows that epoch {here.floor} and later do not show"
        return ProjectionStatus(state, there.prepared, there.published, here.newest, here.published, reason)

    def verify(self, corpus_id: int) -> list[str]:
        """Compare every node and relationship with the ledger; returns the differences in words."""
        check_owner(self._server, ledger_id(self._ledger))
        here = ledger_state(self._ledger, corpus_id)
        there = server_state(self._server, here.corpus)
        return differences(self._ledger, self._server, here, there)

    def close(self) -> None:
        """Close the connections to the server."""
        self._server.close()

    def __enter__(self) -> Neo4jProjection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- steps ------------------------------------------------------------------------------------

    def _open(self) -> None:
        """Once per connection the database is made ours, later only looked at: it may be wiped under our feet."""
        self._id = self._id or ledger_id(self._ledger)
        migrate(self._server, self._id)

    def _carry_out(self, here: LedgerState, there: ServerState, todo: Todo, target: int) -> ProjectionReport:
        work = _Work(here.corpus, time.monotonic() + self._deadline, self._deadline)
        if todo.action == "refuse":
            raise StoreMismatch(todo.reason)
        if todo.take_back:
            work.removed = undo_after(self._server, here.corpus, todo.base, OPEN)
        elif todo.action == "none":
            return work.report("none", todo.base)
        if todo.action in ("load", "extend"):
            fresh = todo.action == "load" and not there.exists
            self._extend(here, Interval(todo.base, target, self._batch), work, fresh=fresh)
        elif todo.action == "reconcile":
            self._reconcile(here, target, work)
        if todo.action in ("load", "reconcile"):
            self._index(work)
        reached = max(todo.base, target) if todo.action == "none" else target
        history = [token for number, token in sorted(here.tokens.items()) if number <= reached]
        self._server.write(_PREPARED, id=here.corpus.id, prepared=reached, history=history)
        return work.report(todo.action, reached)

    def _begin(self, here: LedgerState, busy: str) -> None:
        values = {"id": here.corpus.id, "name": here.corpus.name, "busy": busy}
        self._server.write(_BEGIN, **values, floor=here.floor, generation=uuid.uuid4().hex)

    def _extend(self, here: LedgerState, interval: Interval, work: _Work, *, fresh: bool) -> None:
        """Write what opens in the interval and end what closes in it."""
        self._begin(here, f"{WRITING} {here.tokens.get(interval.upto)}")
        for part in opened_rows(self._ledger, here.corpus, interval):
            work.check(f"epoch {interval.upto}")
            work.written += write_part(self._server, here.corpus, part, fresh=fresh)
        for kind, rows in closed_rows(self._ledger, here.corpus, interval):
            work.check(f"epoch {interval.upto}")
            work.closed += set_ends(self._server, kind, rows)

    def _index(self, work: _Work) -> None:
        """Before the corpus has an epoch at all, so that no reader misses an index."""
        for statement in INDEXES:
            self._server.write(statement)
        while self._server.read(FILLING)[0]["indexes"]:
            work.check("the indexes")
            time.sleep(_POLL_S)

    def _reconcile(self, here: LedgerState, target: int, work: _Work) -> None:
        """Compare every id and interval, write what is missing, remove what is too much: right from any state."""
        self._begin(here, RECONCILING)
        self._server.write(_RENEW, id=here.corpus.id, generation=uuid.uuid4().hex)
        there = {kind: intervals(self._server, here.corpus, kind) for kind in TYPES}
        for part in opened_rows(self._ledger, here.corpus, Interval(0, target, self._batch)):
            work.check(f"epoch {target}")
            work.closed += set_ends(self._server, part.type, _other_ends(part, there[part.type]))
            part.edges = [e for e in part.edges if there[part.type].pop(e.properties["id"], None) is None]
            work.written += write_part(self._server, here.corpus, part) if part.edges else 0
        for kind in TYPES:
            work.check(f"epoch {target}")
            work.removed += remove(self._server, kind, list(there[kind]))

    def _forget_dropped(self) -> None:
        for corpus in dropped_corpora(self._ledger, self._server):
            self._drop(corpus)

    def _drop(self, corpus: GraphCorpus) -> None:
        """The node goes last, so that what was begun is gone on with."""
        self._server.write(
            "MATCH (c:Corpus {id: $id}) SET c.busy = $busy, c.prepared = 0, c.generation = $generation",
            id=corpus.id, busy=RECONCILING, generation=uuid.uuid4().hex,
        )  # fmt: skip
        wipe(self._server, corpus.name)
        self._server.write(_FORGET, id=corpus.id)


def _other_ends(part: GraphRows, there: dict[str, tuple[int, int]]) -> list[dict[str, object]]:
    """Those edges of the part that the server has with another end of their interval."""
    return [
        {"id": edge.properties["id"], "until": edge.properties["until"]}
        for edge in part.edges
        if there.get(edge.properties["id"], (0, edge.properties["until"]))[1] != edge.properties["until"]
    ]
