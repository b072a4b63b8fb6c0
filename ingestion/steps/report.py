"""The last step: the report of the run, put together from what its steps left; the corpus is given back."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from clausegraph.core.errors import LeaseHeldError, LeaseLostError
from clausegraph.core.extraction import Reject
from clausegraph.core.telemetry.logs import log_fields, logger
from clausegraph.indexes.corpora import CorpusRow, end_run, get_corpus, get_run
from clausegraph.indexes.ledger.leases import RunLease, release, step_lease
from clausegraph.indexes.truth import stored_extractions
from clausegraph.indexes.work import batch_results, forget_work, read_steps
from clausegraph.ingestion.pipeline import Options, Tools, ingest
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import Source
from clausegraph.ingestion.steps.step import Pace, report_from

_log = logger(__name__)


def report_run(
    tools: Tools,
    corpus_name: str,
    source: Source,
    run_id: str,
    options: Options = Options(),
    pace: Pace = Pace(),
) -> dict[str, Any]:
    """End the run: store its report, give the corpus back; returns the report, of a dry run what would change.

    A run that published nothing because a step failed ends as failed: its report has ``error``, and what it stored
    is kept. Repeating the step that failed goes on with it, as long as no other run has begun.

    Raises:
        NotFoundError: there is no such run; its first step did not get as far.
    """
    if options.dry_run:
        return ingest(tools, corpus_name, source, options).as_dict() | {"run_id": run_id}
    corpus = get_corpus(tools.ledger, corpus_name)
    run = get_run(tools.ledger, corpus.id, run_id)
    if run["status"] == "done":  # an earlier attempt got as far
        forget_work(tools.ledger, run_id)
        return dict(run["report"])  # type: ignore[call-overload, no-any-return]
    try:
        with step_lease(tools.ledger, corpus.id, run_id, pace.lease_s) as lease:
            return _end(tools, corpus, lease)
    except LeaseLostError as error:
        report = RunReport(run_id, corpus_name, source.name).as_dict() | {"error": str(error)}
        end_run(tools.ledger, run_id, "failed", report)
        return report


def _end(tools: Tools, corpus: CorpusRow, lease: RunLease) -> dict[str, Any]:
    steps = read_steps(tools.ledger, lease.run_id)
    report = assembled(tools, corpus, lease.run_id, steps)
    tools.meter.start(corpus.id, lease.run_id)
    report.usage = tools.meter.stop()
    if "publish" in steps:
        values = report.as_dict()
        end_run(tools.ledger, lease.run_id, "done", values)
    else:
        values = report.as_dict() | {"error": steps.get("error", {}).get("error", "a step was killed or never ran")}
        end_run(tools.ledger, lease.run_id, "failed", values)
    release(tools.ledger, lease)
    if "publish" in steps:
        forget_work(tools.ledger, lease.run_id)
    with log_fields(corpus=corpus.name, run=lease.run_id):
        _log.info("run.end", outcome="done" if "publish" in steps else "failed", epoch=report.epoch)
    return values


def assembled(tools: Tools, corpus: CorpusRow, run_id: str, steps: Mapping[str, Any]) -> RunReport:
    """The report of a run from what its steps left, those that have been done."""
    if "plan" not in steps:
        return RunReport(run_id, corpus.name, "")
    report = report_from(steps["plan"]["report"])
    with suppress(LeaseHeldError):  # not all batches are done
        _add_extracted(tools, corpus.id, run_id, steps["plan"]["extractor"], report)
    if "texts" in steps:
        report.texts_embedded = steps["texts"]["missing"]
        report.texts_reused = steps["texts"]["texts"] - steps["texts"]["missing"]
    if "embed" in steps:
        embedded = steps["embed"]
        report.pages_added, report.pages_changed = embedded["pages_added"], embedded["pages_changed"]
        report.pages_failed = embedded["pages_failed"]
        report.failures = [Reject(**item) for item in embedded["failures"]]
        report.seconds |= embedded["seconds"]
    if "publish" in steps:
        published = steps["publish"]
        report.epoch, report.rows = published["epoch"], published["rows"]
        report.lagging = published["lagging"]
        report.seconds |= published["seconds"]
    return report


def _add_extracted(tools: Tools, corpus_id: int, run_id: str, extractor: str, report: RunReport) -> None:
    for chunks, result in batch_results(tools.ledger, run_id):
        keys = [key for _, batch in chunks for key in batch if key not in result["failed"]]
        made = stored_extractions(tools.ledger, corpus_id, keys, extractor)
        report.chunks_extracted += len(keys)
        report.rejects += [reject for key in keys for reject in made[key].rejects]
        report.seconds["extract"] = report.seconds.get("extract", 0.0) + result["seconds"]
