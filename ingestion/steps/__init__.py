"""The run of ``pipeline.ingest`` as steps that may each be a process of its own, on this machine or by a scheduler.

plan → extract, batch by batch, in any number of processes → embed → publish → report. A step is given the run's id
and finds in the ledger what the steps before it left; each may be killed and repeated at any moment. The run holds its
corpus from the first step to the last. Start reading at ``plan.py``.
"""

from __future__ import annotations

from contextlib import suppress

from clausegraph.core.errors import ClauseGraphError
from clausegraph.ingestion.report import RunReport, report_from
from clausegraph.ingestion.run import new_run_id
from clausegraph.ingestion.sources import Source
from clausegraph.ingestion.steps.extract import extract_batch, extract_batches
from clausegraph.ingestion.steps.plan import plan_run
from clausegraph.ingestion.steps.publish import embed_run, publish_run
from clausegraph.ingestion.steps.report import report_run
from clausegraph.ingestion.steps.step import Pace
from clausegraph.ingestion.tools import Options, Tools

__all__ = [
    "Pace",
    "embed_run",
    "extract_batch",
    "extract_batches",
    "plan_run",
    "publish_run",
    "report_run",
    "run_steps",
]


def run_steps(
    tools: Tools, corpus_name: str, source: Source, options: Options = Options(), pace: Pace = Pace()
) -> RunReport:
    """All steps in this process, one after the other: what ``pipeline.ingest`` does.

    Raises:
        SourceError, LeaseHeldError, StorageError, ModelError: as ``pipeline.ingest``.
    """
    run_id = new_run_id()
    try:
        plan_run(tools, corpus_name, source, run_id, options, pace)
        if not options.dry_run:
            extract_batches(tools, corpus_name, run_id, pace)
            embed_run(tools, corpus_name, run_id, pace)
            publish_run(tools, corpus_name, run_id, options, pace)
    except (ClauseGraphError, KeyboardInterrupt):
        with suppress(ClauseGraphError):  # it may not have got as far as to be a run
            report_run(tools, corpus_name, source, run_id, options, pace)
        raise
    return report_from(report_run(tools, corpus_name, source, run_id, options, pace))
