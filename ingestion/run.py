"""The life of a run, in one process or in many: lease → recover → steps → end, told to ledger, logs and traces."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field

from clausegraph.core.errors import ClauseGraphError, InputError, LeaseLostError
from clausegraph.core.telemetry.logs import log_fields, logger
from clausegraph.core.telemetry.redaction import error_fields, scrub
from clausegraph.core.telemetry.spans import TelemetrySpan, span
from clausegraph.indexes.corpora import (
    CANCELLED,
    DONE,
    FAILED,
    INTERRUPTED,
    NOTHING_PUBLISHED,
    QUARANTINED,
    CorpusRow,
    end_run,
    get_corpus,
    get_run,
    resume_run,
    start_run,
)
from clausegraph.indexes.ledger.leases import STEPS_LEASE_S, RunLease, run_lease, step_lease
from clausegraph.indexes.publish import recover
from clausegraph.indexes.sweep import sweep
from clausegraph.indexes.work import epoch_of_run, write_step
from clausegraph.ingestion.progress import stored
from clausegraph.ingestion.report import RunReport, fold
from clausegraph.ingestion.tools import Cancelled, Tools

_log = logger(__name__)


def new_run_id() -> str:
    """A run id that no run has."""
    return uuid.uuid4().hex[:12]


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a run is done here: all of it, or the step of that name in a process of its own.

    ``begins`` and ``ends`` the run; ``alone``: no other process may do this step at the same time, and a publish that
    was cut off is recovered first. The lease of a run in steps outlives its processes by ``lease_s`` seconds.
    """

    step: str = ""
    begins: bool = True
    alone: bool = True
    ends: bool = True
    lease_s: float = STEPS_LEASE_S


WHOLE = Part()


@dataclass(slots=True)
class Run:
    """A run that is going on: its corpus, its lease, and what its steps have reported so far."""

    id: str
    source: str
    corpus: CorpusRow
    lease: RunLease
    parts: list[RunReport] = field(default_factory=list)

    def add(self, part: RunReport) -> RunReport:
        """Keep what a step has to report."""
        self.parts.append(part)
        return part

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Measure the wall time of the block; it is a span too."""
        start = time.perf_counter()
        try:
            with span(f"ingest.{stage}", corpus=self.corpus.name, run=self.id, source=self.source):
                yield
        finally:
            self.add(RunReport(seconds={stage: time.perf_counter() - start}))

    @property
    def report(self) -> RunReport:
        """The report so far."""
        return fold(self.id, self.corpus.name, self.source, self.parts)


@contextmanager
def running(
    tools: Tools, corpus: CorpusRow, run_id: str, source: str = "", *, kind: str = "ingest", part: Part = WHOLE
) -> Iterator[Run]:
    """Hold the corpus for a run, or a part of one, while the block does its steps.

    Args:
        source: name of the source; a part that does not begin the run finds it in the ledger.

    Raises:
        LeaseHeldError: another run is writing to the corpus.
        LeaseLostError: another run has taken the corpus since this one began.
        InputError: the run has ended.
        NotFoundError: there is no such run to go on with.
    """
    if not part.begins:
        source = _open_source(tools, corpus.id, run_id)
    fields = {"corpus": corpus.name, "run": run_id} | ({"step": part.step} if part.step else {})
    with (
        _held(tools, corpus.id, run_id, part) as lease,
        log_fields(**fields),
        span("ingest", corpus=corpus.name, run=run_id, source=source) as traced,
    ):
        run = Run(run_id, source, corpus, lease)
        _begin(tools, run, kind, part)
        try:
            try:
                tools.meter.start(corpus.id, run_id)
                if part.alone:
                    _recover(tools, run, part)
                with stored(tools.progress, tools.ledger, run_id):
                    yield run
                if part.ends and not run.report.is_held:
                    run.add(RunReport(watched=tools.ask_again(corpus.name)))
            finally:
                run.add(RunReport(usage=tools.meter.stop()))
        except (Exception, KeyboardInterrupt) as error:  # a defect too: no run is left running
            run.add(RunReport(error=why_failed(error)))
            if isinstance(error, KeyboardInterrupt):
                _tell_published(tools, run, error)
            _end(tools, run, part, traced, error)
            raise
        _end(tools, run, part, traced)


def why_failed(error: BaseException) -> str:
    """What a report says of an error; of a defect without the secrets that may be in it."""
    if isinstance(error, ClauseGraphError):
        return str(error)
    if isinstance(error, KeyboardInterrupt):
        return _status(error)
    return scrub(f"{type(error).__name__}: {error}")


def _tell_published(tools: Tools, run: Run, error: KeyboardInterrupt) -> None:
    """Whether something of the run was published before it was stopped, which may have been in the middle of it."""
    flipped = epoch_of_run(tools.ledger, run.corpus.id, run.id, 0)
    if flipped is not None and run.report.epoch is None:
        run.add(RunReport(epoch=flipped[0], rows=flipped[1]))
    error.add_note(NOTHING_PUBLISHED if flipped is None else f"epoch {flipped[0]} was published")


def _status(error: BaseException) -> str:
    if isinstance(error, Cancelled):
        return CANCELLED
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED


def _open_source(tools: Tools, corpus_id: int, run_id: str) -> str:
    row = get_run(tools.ledger, corpus_id, run_id)
    if row["status"] == DONE:
        raise InputError(f"run {run_id} has ended; start a new one")
    return str(row["source"])


def _held(tools: Tools, corpus_id: int, run_id: str, part: Part) -> AbstractContextManager[RunLease]:
    if not part.step:
        return run_lease(tools.ledger, corpus_id, run_id)
    return step_lease(tools.ledger, corpus_id, run_id, part.lease_s, begin=part.begins, alone=part.alone)


def _begin(tools: Tools, run: Run, kind: str, part: Part) -> None:
    if part.begins:
        _log.info("run.start", source=run.source)
        if killed := start_run(tools.ledger, run.corpus.id, run.id, kind, run.source):
            _log.info("run.killed", count=len(killed))
            run.add(RunReport(killed=killed))
    else:
        resume_run(tools.ledger, run.id)
    if part.step:
        _log.info("step.start")


def _recover(tools: Tools, run: Run, part: Part) -> None:
    for what in sweep(tools.ledger) if tools.ledger.is_removal_promised() else ():
        _log.warning("removal.unfinished", reason=what)
    done = recover(tools.ledger, run.lease, tools.projections)
    if done and part.begins:  # later, it is this run's own publish that was cut off
        run.add(RunReport(recovered=done))
    run.corpus = get_corpus(tools.ledger, run.corpus.name)  # it may have flipped an epoch


def _end(tools: Tools, run: Run, part: Part, traced: TelemetrySpan, error: BaseException | None = None) -> None:
    """Keep how it ended, in the ledger first."""
    report = run.report
    if part.ends:
        outcome = QUARANTINED if report.is_held else DONE
        if report.error:
            outcome = FAILED if error is None else _status(error)
        end_run(tools.ledger, run.id, outcome, report.as_dict())
        figures = _figures(report)
        traced.set(**figures)
        why = error_fields(error) if error else {"reason": report.error} if report.error else {}
        _log.info("run.end", outcome=outcome, **figures, **why)
    elif error is None:
        _log.info("step.end")
    else:
        with suppress(LeaseLostError):  # the run that has the corpus now has its own
            write_step(tools.ledger, run.lease, "error", {"step": part.step, "error": report.error})


def _figures(report: RunReport) -> dict[str, int | float | None]:
    """What logs and traces say of a report: sizes and counts, and what its models used over all tasks."""
    figures: dict[str, int | float | None] = {"epoch": report.epoch}
    for name in ("pages_added", "pages_changed", "pages_removed", "pages_kept", "pages_failed"):
        figures[name] = len(getattr(report, name))
    for name in ("pages_unchanged", "chunks_extracted", "chunks_reused", "texts_embedded", "texts_reused"):
        figures[name] = getattr(report, name)
    figures["rejects"] = len(report.rejects)
    if report.usage:
        for name in ("calls", "prompt_tokens", "output_tokens", "money"):
            figures[name] = sum(used.get(name, 0) for used in report.usage.values())
    return figures
