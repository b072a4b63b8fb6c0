"""The last step: the report of the run, folded from what its steps left; the corpus is given back."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from clausegraph.core.errors import InputError, LeaseHeldError, LeaseLostError
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.ledger.leases import release
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.runs import DONE, FAILED, end_run, get_run
from clausegraph.indexes.work import batch_results, forget_work, read_steps
from clausegraph.ingestion.pipeline import ingest
from clausegraph.ingestion.report import fold
from clausegraph.ingestion.results import Failed, Result
from clausegraph.ingestion.run import Part, running
from clausegraph.ingestion.sources import Source
from clausegraph.ingestion.steps.step import Pace, planned, results_of
from clausegraph.ingestion.tools import Options, Tools


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
    row = get_run(tools.ledger, corpus.id, run_id)
    if row["status"] == DONE:  # an earlier attempt got as far
        forget_work(tools.ledger, run_id)
        return dict(row["report"])  # type: ignore[call-overload, no-any-return]
    part = Part("report", begins=False, alone=False, lease_s=pace.lease_s)
    try:
        with running(tools, corpus, run_id, part=part) as run:
            run.collect(_left(tools.ledger, run_id))
    except LeaseLostError as error:
        report = fold(run_id, corpus_name, source.name, [Failed(str(error))])
        end_run(tools.ledger, run_id, FAILED, report.as_dict())
        return report.as_dict()
    release(tools.ledger, run.lease)
    if not run.report.error:
        forget_work(tools.ledger, run_id)
    return run.report.as_dict()


def _left(ledger: Ledger, run_id: str) -> list[Result]:
    """What the steps of a run have left, in their order; why it failed where it was not published."""
    steps = read_steps(ledger, run_id)
    error = Failed(steps.get("error", {}).get("error", "a step was killed or never ran"))
    try:
        planned(ledger, run_id)
    except InputError as unplanned:
        return [error if "error" in steps or not steps else Failed(str(unplanned))]
    results = results_of(steps["plan"])
    with suppress(LeaseHeldError):  # not all batches are done
        results += [result for _, left in batch_results(ledger, run_id) for result in results_of(left)]
    for name in ("texts", "embed", "publish"):
        results += results_of(steps.get(name, {}))
    return results if "publish" in steps else [*results, error]
