"""The third and fourth step: embed what the run made, and publish it."""

from __future__ import annotations

from collections.abc import Mapping

from clausegraph.core.errors import LeaseHeldError
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.plan import PublishPlan, make_plan
from clausegraph.indexes.truth import StoredPage, known_extractions, open_members
from clausegraph.indexes.work import batch_results, epoch_of_run, planned_pages, read_steps, write_step
from clausegraph.ingestion.extracting import complete, inputs_of, pages_failed, problems_of
from clausegraph.ingestion.pipeline import embed_texts, make_targets, publish
from clausegraph.ingestion.results import ChunksExtracted, PagesFailed, Published, TextsEmbedded, results_to_json
from clausegraph.ingestion.run import Part, Run, running
from clausegraph.ingestion.steps.step import Pace, Planned, check_same, planned, results_of
from clausegraph.ingestion.tools import Options, Tools


def embed_run(tools: Tools, corpus_name: str, run_id: str, pace: Pace = Pace()) -> dict[str, int]:
    """Embed the texts of the run that have no stored embedding; returns how many were embedded and reused.

    Raises:
        LeaseHeldError: a batch is not extracted yet.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    part = Part("embed", begins=False, alone=False, ends=False, lease_s=pace.lease_s)
    with running(tools, corpus, run_id, part=part) as run:
        found = planned(tools.ledger, run_id)
        check_same(tools.extractor.fingerprint, found.extractor, "extractor")
        pages = planned_pages(tools.ledger, run_id)
        failed = run.add(_pages_failed(tools.ledger, corpus.id, run_id, pages, found.extractor))
        with run.timed("plan"):
            plan = _plan(tools, corpus.id, found, complete(pages, failed))
        with run.timed("embed"):
            parts = _embed(tools, run, plan)
        left = [result for result in run.results if not isinstance(result, TextsEmbedded)]
        write_step(tools.ledger, run.lease, "embed", {"embedder": plan.model, "results": results_to_json(left)})
        return {"embedded": sum(one.embedded for one in parts), "reused": sum(one.reused for one in parts)}


def _embed(tools: Tools, run: Run, plan: PublishPlan) -> list[TextsEmbedded]:
    """Embed, and keep how many there were to embed at the first attempt: what that one embedded counts too."""
    texts = embed_texts(tools, plan)
    reused = run.add(next(texts))
    all_of_them = TextsEmbedded(len(plan.texts) - reused.reused, reused.reused)
    write_step(tools.ledger, run.lease, "texts", {"results": results_to_json([all_of_them])}, keep=True)
    return [reused, *run.collect(texts)]


def _pages_failed(
    ledger: Ledger, corpus_id: int, run_id: str, pages: Mapping[str, StoredPage], extractor: str
) -> PagesFailed:
    """The pages that have a chunk without an extraction, and why."""
    results = [result for _, left in batch_results(ledger, run_id) for result in results_of(left)]
    problems = problems_of(result for result in results if isinstance(result, ChunksExtracted))
    known = known_extractions(ledger, corpus_id, list(problems), extractor)
    lasting = {key: problem for key, problem in problems.items() if key not in known}
    return pages_failed(inputs_of(pages, extractor) if lasting else {}, lasting)


def _plan(tools: Tools, corpus_id: int, found: Planned, done: list[StoredPage]) -> PublishPlan:
    """What the run changes, worked out anew from what is stored."""
    before = open_members(tools.ledger, found.source_id)
    removed = [before[uri].page_id for uri in found.changes.removed]
    targets = make_targets(tools, corpus_id, done, removed)
    return make_plan(tools.ledger, corpus_id, targets, tools.embedder.fingerprint)


def publish_run(
    tools: Tools, corpus_name: str, run_id: str, options: Options = Options(), pace: Pace = Pace()
) -> int | None:
    """Publish what the run made; returns the number of its epoch, None when readers have exactly that already.

    An epoch that an earlier attempt froze is finished, one that it flipped is found again: a run has one epoch.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    with running(tools, corpus, run_id, part=Part("publish", begins=False, ends=False, lease_s=pace.lease_s)) as run:
        embedded = read_steps(tools.ledger, run_id).get("embed")
        if embedded is None:
            raise LeaseHeldError(f"run {run_id} is not embedded yet; run its embed step first")
        check_same(tools.embedder.fingerprint, embedded["embedder"], "embedding model")
        found = planned(tools.ledger, run_id)
        with run.timed("publish"):
            flipped = epoch_of_run(tools.ledger, corpus.id, run_id, found.newest)
            if flipped is not None:
                published = run.add(Published(*flipped, tuple(tools.projections.problems)))
            else:
                failed = next(result for result in results_of(embedded) if isinstance(result, PagesFailed))
                published = run.add(_publish(tools, run, found, failed, options))
        write_step(tools.ledger, run.lease, "publish", {"results": results_to_json(run.results)})
        return published.epoch


def _publish(tools: Tools, run: Run, found: Planned, failed: PagesFailed, options: Options) -> Published:
    pages = planned_pages(tools.ledger, run.id)
    done = complete(pages, failed)
    plan = _plan(tools, run.corpus.id, found, done)
    list(embed_texts(tools, plan))  # nothing, unless stored embeddings were lost since
    return publish(tools, run.corpus, run.lease, plan, options, unless_empty=bool(pages) and not done)
