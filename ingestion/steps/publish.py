"""The third and fourth step: embed what the run made, and publish it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clausegraph.core.errors import LeaseHeldError
from clausegraph.core.extraction import Reject
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.plan import PublishPlan, make_plan
from clausegraph.indexes.publish import recover
from clausegraph.indexes.truth import StoredPage, known_extractions, missing_embeddings, open_members
from clausegraph.indexes.work import batch_results, epoch_of_run, planned_pages, read_steps, write_step
from clausegraph.ingestion.pipeline import Options, Tools, embed_texts, inputs_of, make_targets, publish
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.steps.report import assembled
from clausegraph.ingestion.steps.step import Pace, check_same, report_from, seconds_of, step


def embed_run(tools: Tools, corpus_name: str, run_id: str, pace: Pace = Pace()) -> dict[str, int]:
    """Embed the texts of the run that have no stored embedding; returns how many were embedded and reused.

    Raises:
        LeaseHeldError: a batch is not extracted yet.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    with step(tools, corpus, run_id, "embed", pace) as lease:
        planned = read_steps(tools.ledger, run_id)["plan"]
        check_same(tools.extractor.fingerprint, planned["extractor"], "extractor")
        report = report_from(planned["report"])
        pages = planned_pages(tools.ledger, run_id)
        _note_failures(tools, corpus.id, run_id, pages, report)
        with report.timed("plan"):
            plan = _plan(tools, corpus.id, planned, pages, report)
        missing = missing_embeddings(tools.ledger, corpus.id, list(plan.texts), tools.embedder.fingerprint)
        found = {"texts": len(plan.texts), "missing": len(missing)}
        write_step(tools.ledger, lease, "texts", found, keep=True)  # what an earlier attempt embedded counts too
        tools.meter.start(corpus.id, run_id)
        try:
            with report.timed("embed"):
                embed_texts(tools, plan, report)
        finally:
            tools.meter.stop()
        done = {name: report.as_dict()[name] for name in ("pages_added", "pages_changed", "pages_failed", "failures")}
        done |= {"embedder": tools.embedder.fingerprint, "seconds": seconds_of(report, "plan", "embed")}
        write_step(tools.ledger, lease, "embed", done)
        return {"embedded": report.texts_embedded, "reused": report.texts_reused}


def _note_failures(
    tools: Tools, corpus_id: int, run_id: str, pages: Mapping[str, StoredPage], report: RunReport
) -> None:
    """Chunks that have no extraction, and why: their pages stay as they were."""
    problems: dict[str, str] = {}
    for _, result in batch_results(tools.ledger, run_id):
        problems |= result["failed"]
    if not problems:
        return
    known = known_extractions(tools.ledger, corpus_id, list(problems), tools.extractor.fingerprint)
    for key, (_, uris) in inputs_of(pages, tools.extractor.fingerprint).items():
        if key in problems and key not in known:
            report.failures += [Reject(uri, problems[key]) for uri in uris]
    for uri in dict.fromkeys(failure.what for failure in report.failures):
        report.fail(uri)


def _plan(
    tools: Tools, corpus_id: int, planned: Mapping[str, Any], pages: Mapping[str, StoredPage], report: RunReport
) -> PublishPlan:
    """What the run changes, worked out anew from what is stored."""
    before = open_members(tools.ledger, planned["source_id"])
    done = [page for uri, page in pages.items() if uri not in set(report.pages_failed)]
    targets = make_targets(tools, corpus_id, done, report, before)
    return make_plan(tools.ledger, corpus_id, targets, tools.embedder.fingerprint)


def publish_run(
    tools: Tools, corpus_name: str, run_id: str, options: Options = Options(), pace: Pace = Pace()
) -> int | None:
    """Publish what the run made; returns the number of its epoch, None when readers have exactly that already.

    An epoch that an earlier attempt froze is finished, one that it flipped is found again: a run has one epoch.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    with step(tools, corpus, run_id, "publish", pace, alone=True) as lease:
        steps = read_steps(tools.ledger, run_id)
        if "embed" not in steps:
            raise LeaseHeldError(f"run {run_id} is not embedded yet; run its embed step first")
        check_same(tools.embedder.fingerprint, steps["embed"]["embedder"], "embedding model")
        report = assembled(tools, corpus, run_id, steps)
        with report.timed("publish"):
            recover(tools.ledger, lease, tools.projections)
            found = epoch_of_run(tools.ledger, corpus.id, run_id, steps["plan"]["newest"])
            if found is not None:
                report.epoch, report.rows = found
            else:
                plan = _plan(tools, corpus.id, steps["plan"], planned_pages(tools.ledger, run_id), report)
                embed_texts(tools, plan, report)  # nothing, unless stored embeddings were lost since
                publish(tools, get_corpus(tools.ledger, corpus_name), lease, plan, options, report)
        done = {name: report.as_dict()[name] for name in ("epoch", "rows", "lagging")}
        write_step(tools.ledger, lease, "publish", done | {"seconds": seconds_of(report, "publish")})
        return report.epoch
