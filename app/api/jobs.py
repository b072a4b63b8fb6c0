"""Runs in the server: a queue and a thread for each corpus, stopped between two units of their work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from clausegraph.app.api.problems import problem_of
from clausegraph.app.api.work import WorkPool
from clausegraph.app.services.corpora import get_run_record
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.services.jobs import RunOrder, opened
from clausegraph.app.services.uploads import make_corpus
from clausegraph.core.errors import ClauseGraphError, LeaseHeldError
from clausegraph.core.telemetry.logs import log_fields, logger
from clausegraph.core.telemetry.redaction import error_fields, scrub
from clausegraph.indexes import jobs
from clausegraph.indexes.corpora import CANCELLED, DONE, FAILED, INTERRUPTED, CorpusRow, current_holder, get_corpus
from clausegraph.indexes.ledger.leases import HEARTBEAT_S, heartbeat

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.ingestion.progress import Figures
    from clausegraph.ingestion.sources import Source
    from clausegraph.ingestion.tools import Options

log = logger(__name__)
_WAITING = 20  # runs of a corpus that may wait for another one
_EVERY_S = 0.5  # between two times that progress is stored, and that it is seen whether somebody has cancelled
_LOOK_S = 1.0  # between two looks at whether the corpus is free


class Jobs:
    """The runs that this server was asked for; those of one corpus one after the other.

    Args:
        workspace: of the server.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._pools: dict[int, WorkPool] = {}
        self._lock = threading.Lock()
        self._mine: set[str] = set()  # that have not ended
        self.ending = threading.Event()

    def start(self, corpus: str, order: RunOrder, by: str) -> dict[str, Any]:
        """Take an order, and return the run that it becomes; the corpus is made where there is none.

        Raises:
            Refusal: as many runs wait as may (503).
            NotFoundError, InputError: as of ``services.jobs.opened``.
        """
        from clausegraph.ingestion.run import new_run_id

        source, options = opened(self._workspace, corpus, order)
        row, run_id = make_corpus(self._workspace, corpus), new_run_id()
        said = order.model_dump(mode="json", exclude_defaults=True)
        ledger = self._workspace.ledger_to_change()
        jobs.queue_job(ledger, row, run_id, source.name, said, by, forecast=order.dry_run)
        with self._lock:
            pool = self._pools.setdefault(row.id, WorkPool("runs", 1, _WAITING))
            self._mine.add(run_id)
        try:
            pool.start(self._do, row, run_id, source, options)
        except Exception as error:
            self._ended(row, run_id, source, FAILED, problem_of(error).detail)
            raise
        return get_run_record(self._workspace, row.name, run_id)

    def cancel(self, corpus: str, run_id: str, by: str) -> dict[str, Any]:
        """Ask for the end of a run; errors as of ``cancel_job``."""
        ledger = self._workspace.ledger_to_change()
        jobs.cancel_job(ledger, get_corpus(ledger, corpus).id, run_id, by)
        return get_run_record(self._workspace, corpus, run_id)

    def close(self) -> None:
        """End what runs at its next step; what waits is not begun."""
        self.ending.set()
        for pool in self._pools.values():
            pool.close()
        if self._mine:
            jobs.interrupt_jobs(self._workspace.ledger_to_change(), self._mine)

    def _do(self, corpus: CorpusRow, run_id: str, source: Source, options: Options) -> None:
        """The work of one run, on its thread; how it ended is in the ledger."""
        ledger = self._workspace.ledger_to_change()
        with log_fields(corpus=corpus.name, run=run_id), heartbeat(self._renew, HEARTBEAT_S):
            try:
                while self._is_begun(corpus, run_id, options):
                    try:
                        self._run(corpus, run_id, source, options)
                    except LeaseHeldError:  # somebody else was quicker
                        jobs.requeue_job(ledger, run_id)
                        continue
                    break
            except KeyboardInterrupt as error:
                from clausegraph.ingestion.tools import Cancelled

                status = CANCELLED if isinstance(error, Cancelled) else INTERRUPTED
                self._ended(corpus, run_id, source, status, status)
            except ClauseGraphError as error:
                self._ended(corpus, run_id, source, FAILED, str(error))
            except Exception as error:  # noqa: BLE001 - a defect too: no run is left running, and nobody else sees it
                log.error("http.failed", endpoint="runs", **error_fields(error))
                self._ended(corpus, run_id, source, FAILED, scrub(f"{type(error).__name__}: {error}"))
            finally:
                self._mine.discard(run_id)

    def _run(self, corpus: CorpusRow, run_id: str, source: Source, options: Options) -> None:
        from clausegraph.ingestion.progress import Gauge

        gauge = Gauge(self._teller(run_id))
        report = run_ingest(self._workspace, corpus.name, source, options, gauge, run_id)
        jobs.end_job(self._workspace.ledger_to_change(), run_id, DONE, report.as_dict())  # a forecast has no other end

    def _is_begun(self, corpus: CorpusRow, run_id: str, options: Options) -> bool:
        """Wait until the corpus is free; false where somebody has cancelled the run meanwhile."""
        ledger = self._workspace.ledger_to_change()
        while not options.dry_run and current_holder(ledger, corpus.id) is not None:
            if self.ending.wait(_LOOK_S):
                raise KeyboardInterrupt
            if jobs.is_cancelled(ledger, run_id):
                break
        return jobs.begin_job(ledger, run_id)

    def _teller(self, run_id: str) -> Callable[[Figures], None]:
        from clausegraph.ingestion.tools import Cancelled

        ledger, last, phase = self._workspace.ledger_to_change(), 0.0, ""

        def tell(figures: Figures) -> None:
            nonlocal last, phase
            if self.ending.is_set():
                raise KeyboardInterrupt
            if figures.phase == phase and time.monotonic() - last < _EVERY_S:
                return
            last, phase = time.monotonic(), figures.phase
            if jobs.write_progress(ledger, run_id, asdict(figures)):
                raise Cancelled

        return tell

    def _renew(self) -> None:
        jobs.renew_jobs(self._workspace.ledger_to_change(), list(self._mine))

    def _ended(self, corpus: CorpusRow, run_id: str, source: Source, status: str, error: str) -> None:
        from clausegraph.ingestion.report import RunReport

        report = RunReport(run_id, corpus.name, source.name, error=error)
        jobs.end_job(self._workspace.ledger_to_change(), run_id, status, report.as_dict())
        self._mine.discard(run_id)
