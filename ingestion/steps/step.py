"""What the steps of a run share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from typing import Any

from clausegraph.core.errors import ClauseGraphError, InputError, LeaseLostError
from clausegraph.core.extraction import Reject
from clausegraph.core.telemetry.logs import log_fields, logger
from clausegraph.indexes.corpora import CorpusRow, get_run, resume_run
from clausegraph.indexes.ledger.leases import STEPS_LEASE_S, RunLease, step_lease
from clausegraph.indexes.work import CLAIM_S, write_step
from clausegraph.ingestion.pipeline import Tools
from clausegraph.ingestion.report import RunReport

BATCH_CHUNKS = 100

_log = logger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """How large the batches are (chunks), and how long lease and claims outlive a process that died (seconds)."""

    batch_chunks: int = BATCH_CHUNKS
    lease_s: float = STEPS_LEASE_S
    claim_s: float = CLAIM_S


@contextmanager
def step(
    tools: Tools,
    corpus: CorpusRow,
    run_id: str,
    name: str,
    pace: Pace,
    *,
    begin: bool = False,
    alone: bool = False,
) -> Iterator[RunLease]:
    """A step under the run's lease; why it failed is kept for the report."""
    if not begin and get_run(tools.ledger, corpus.id, run_id)["status"] == "done":
        raise InputError(f"run {run_id} has ended; start a new one")
    with (
        log_fields(corpus=corpus.name, run=run_id, step=name),
        step_lease(tools.ledger, corpus.id, run_id, pace.lease_s, begin=begin, alone=alone) as lease,
    ):
        if not begin:
            resume_run(tools.ledger, run_id)
        _log.info("step.start")
        try:
            yield lease
        except (ClauseGraphError, KeyboardInterrupt) as error:
            with suppress(LeaseLostError):
                write_step(tools.ledger, lease, "error", {"step": name, "error": str(error) or "interrupted"})
            raise
        _log.info("step.end")


def check_same(found: str, wanted: str, what: str) -> None:
    if found != wanted:
        raise InputError(f"the {what} was {wanted} when the run began and is {found} now; start a new run")


def seconds_of(report: RunReport, *stages: str) -> dict[str, float]:
    return {stage: report.seconds[stage] for stage in stages}


def report_from(values: Mapping[str, Any]) -> RunReport:
    """The report that ``RunReport.as_dict`` gave."""
    known = {field.name for field in fields(RunReport)}
    parsed = {name: value for name, value in values.items() if name in known}
    for name in ("rejects", "failures"):
        parsed[name] = [Reject(**item) for item in parsed[name]]
    return RunReport(**parsed)
