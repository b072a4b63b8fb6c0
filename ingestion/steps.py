"""The run of ``pipeline.ingest`` as steps that may each be a process of its own, on this machine or by a scheduler.

plan → extract, batch by batch, in any number of processes → embed → publish → report. A step is given the run's id
and finds in the ledger what the steps before it left; each may be killed and repeated at any moment. The run holds its
corpus from the first step to the last.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

from clausegraph.core.errors import ClauseGraphError, InputError, LeaseHeldError, LeaseLostError
from clausegraph.core.extraction import Extracted, extract_all
from clausegraph.indexes.corpora import (
    DONE,
    DROPPED,
    FAILED,
    QUARANTINED,
    SUPERSEDED,
    CorpusRow,
    check_corpus_name,
    end_run,
    get_corpus,
    get_run,
)
from clausegraph.indexes.ledger.leases import STEPS_LEASE_S, release
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.plan import PublishPlan
from clausegraph.indexes.truth import known_extractions, open_members, stored_extractions
from clausegraph.indexes.work import (
    CLAIM_S,
    HELD,
    Chunks,
    Claim,
    batch_results,
    batch_states,
    claim_batch,
    epoch_of_run,
    finish_batch,
    forget_work,
    lost_claim,
    planned_pages,
    read_steps,
    store_work,
    write_step,
)
from clausegraph.ingestion.changes import peek
from clausegraph.ingestion.extracting import (
    ChunkWork,
    complete,
    extracted_chunks,
    inputs_of,
    pages_failed,
    problems_of,
    store_as_they_come,
)
from clausegraph.ingestion.pipeline import (
    begin,
    embed_texts,
    find_chunks,
    hold,
    ingest,
    plan_pages,
    publish,
    read_source,
    settle,
    why_held,
)
from clausegraph.ingestion.report import RunReport, fold, parts_from_json, parts_to_json, report_from
from clausegraph.ingestion.run import Part, Run, new_run_id, running
from clausegraph.ingestion.sources.source import FetchedSource, Source
from clausegraph.ingestion.tools import Options, Tools

MAX_BATCHES = 1000  # schedulers map over few items: Airflow over 1,024
_FORM = 5  # of what steps leave: count up when a step could not read what another version left
_POLL_S = 0.5
_HELD = (QUARANTINED, DROPPED, SUPERSEDED)


@dataclass(frozen=True, slots=True)
class Pace:
    """How large the batches are (chunks), and how long lease and claims outlive a process that died (seconds)."""

    batch_chunks: int = 100
    lease_s: float = STEPS_LEASE_S
    claim_s: float = CLAIM_S


@dataclass(frozen=True, slots=True)
class _Planned:
    """What the first step left: the newest epoch then, the source, the extractor's fingerprint, pages to remove."""

    newest: int
    source_id: int
    extractor: str
    removed: Sequence[str]


def run_steps(
    tools: Tools, corpus_name: str, source: Source, options: Options = Options(), pace: Pace = Pace()
) -> RunReport:
    """All steps in this process, one after the other: what ``pipeline.ingest`` does, with the same errors."""
    run_id = new_run_id()
    try:
        batches = plan_run(tools, corpus_name, source, run_id, options, pace)
        if not options.dry_run:
            if batches:
                extract_batches(tools, corpus_name, run_id, pace)
            if embed_run(tools, corpus_name, run_id, pace) is not None:
                publish_run(tools, corpus_name, run_id, options, pace)
    except (ClauseGraphError, KeyboardInterrupt):
        with suppress(ClauseGraphError):  # it may not have got as far as to be a run
            report_run(tools, corpus_name, source, run_id, options, pace)
        raise
    return report_from(report_run(tools, corpus_name, source, run_id, options, pace))


# --- plan -----------------------------------------------------------------------------------------


def plan_run(
    tools: Tools, corpus_name: str, source: Source, run_id: str, options: Options = Options(), pace: Pace = Pace()
) -> list[int]:
    """Take the corpus, read and store what is new or changed, and cut its new chunks into batches; returns their ids.

    A dry run has none, and takes and stores nothing. Errors as ``pipeline.ingest``.
    """
    corpus_name = check_corpus_name(corpus_name)
    if options.dry_run:
        if not isinstance(source, FetchedSource):
            peek(source, options)
        return []
    corpus, documents = begin(tools, corpus_name, source, options)
    with running(tools, corpus, run_id, source.name, part=Part("plan", ends=False, lease_s=pace.lease_s)) as run:
        with run.timed("read"):
            read = read_source(tools, run, source, documents, options)
        parts = list(run.parts)
        if run.report.held:
            hold(tools, run, read, parts)
            stored: list[int] = []
        else:
            with run.timed("plan"):
                batches = _cut(find_chunks(tools, run, read).missing, pace.batch_chunks)
            left = {"newest": run.corpus.newest, "source_id": read.source_id, "extractor": tools.extractor.fingerprint}
            left |= {"form": _FORM, "parts": parts_to_json(run.parts), "read": len(parts)}
            stored = store_work(tools.ledger, run.lease, read.pages, batches, left)
        settle(source)
    if run.report.held:  # it has no further steps, and gives the corpus back
        _end(tools, corpus, source.name, run_id, pace)
    return stored


def _cut(todo: Chunks, size: int) -> list[Chunks]:
    """Batches of about ``size`` chunks, more where there would be too many; only a page that is larger is divided."""
    total = sum(len(keys) for _, keys in todo)
    size = max(size, -(-2 * total // MAX_BATCHES))  # two neighbours have more than size between them
    batches: list[Chunks] = []
    room = 0
    for uri, keys in todo:
        for part in (keys[start : start + size] for start in range(0, len(keys), size)):
            if len(part) > room:
                batches.append([])
                room = size
            batches[-1].append((uri, part))
            room -= len(part)
    return batches


def _planned(ledger: Ledger, run_id: str) -> _Planned:
    """What the first step of a run found."""
    values = read_steps(ledger, run_id).get("plan", {})
    if values.get("form") != _FORM:
        raise InputError(f"run {run_id} was not planned by this version of ClauseGraph; start a new run")
    removed = [uri for part in _parts(values) for uri in part.pages_removed]
    return _Planned(values["newest"], values["source_id"], values["extractor"], removed)


def _parts(values: Mapping[str, Any]) -> list[RunReport]:
    """What a step left for the report."""
    return parts_from_json(values.get("parts", ()))


def _check_same(found: str, wanted: str, what: str) -> None:
    if found != wanted:
        raise InputError(f"the {what} was {wanted} when the run began and is {found} now; start a new run")


def _accepted(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The report of a run that was in quarantine, and was published when somebody accepted it."""
    report: Any = row["report"]
    return report if report and report.get("accepted_by") and not report.get("error") else None


# --- extract --------------------------------------------------------------------------------------


def extract_batch(
    tools: Tools, corpus_name: str, run_id: str, batch_id: int | None = None, pace: Pace = Pace()
) -> dict[str, int] | None:
    """Extract the chunks of a batch that no stored extraction covers; returns how many were done, reused and failed.

    ``batch_id`` takes that batch whoever has it; without it the next one that nobody works on. None: there is none,
    or it is done.

    Raises:
        ModelRefused: no call can succeed; the batch is open again.
        LeaseLostError: another run has the corpus, or another worker the batch.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    part = Part("extract", begins=False, alone=False, ends=False, lease_s=pace.lease_s)
    with (
        running(tools, corpus, run_id, part=part),
        claim_batch(tools.ledger, run_id, batch_id, pace.claim_s) as claim,
    ):
        if claim is None:
            return None
        _check_same(tools.extractor.fingerprint, _planned(tools.ledger, run_id).extractor, "extractor")
        return _extract(tools, corpus.id, run_id, claim)


def extract_batches(tools: Tools, corpus_name: str, run_id: str, pace: Pace = Pace()) -> int:
    """Work on the batches of a run until every one is done, by whomever; returns how many were done here.

    Any number of processes may do this side by side. The batch of one that dies is done by another.
    """
    done = 0
    while True:
        if extract_batch(tools, corpus_name, run_id, None, pace) is not None:
            done += 1
            continue
        if set(batch_states(tools.ledger, run_id)) <= {"done"}:
            return done
        time.sleep(_POLL_S)


def _extract(tools: Tools, corpus_id: int, run_id: str, claim: Claim) -> dict[str, int]:
    start = time.perf_counter()
    extractor = tools.extractor.fingerprint
    wanted = [key for _, keys in claim.chunks for key in keys]
    known = frozenset(known_extractions(tools.ledger, corpus_id, wanted, extractor))
    pages = planned_pages(tools.ledger, run_id, [uri for uri, _ in claim.chunks])
    todo = [(uri, [key for key in keys if key not in known]) for uri, keys in claim.chunks]
    work = ChunkWork(pages, extractor, {}, known).inputs([(uri, keys) for uri, keys in todo if keys])
    results = _while_ours(extract_all(tools.extractor, work), claim)
    problems = problems_of(store_as_they_come(tools, corpus_id, results, len(wanted) - len(known)))
    # of all chunks, whichever attempt at the batch extracted them: the run's report has each once
    stored = stored_extractions(tools.ledger, corpus_id, [key for key in wanted if key not in problems], extractor)
    made = extracted_chunks(tools, list(stored.values()), problems).part
    timed = RunReport(seconds={"extract": round(time.perf_counter() - start, 3)})
    finish_batch(tools.ledger, claim, {"parts": parts_to_json([made, timed]), "problems": problems})
    return {"extracted": made.chunks_extracted - len(known), "reused": len(known), "failed": len(problems)}


def _while_ours(results: Generator[Extracted], claim: Claim) -> Generator[Extracted]:
    """The results until another worker takes the batch; what has come is stored all the same."""
    with closing(results):
        for result in results:
            yield result
            if claim.lost.is_set():
                raise lost_claim(claim)


# --- embed and publish ----------------------------------------------------------------------------


def embed_run(tools: Tools, corpus_name: str, run_id: str, pace: Pace = Pace()) -> dict[str, int] | None:
    """Embed the texts of the run that have no stored embedding; returns how many were embedded and reused.

    None of a run in quarantine, or that was dropped there: nothing of it is published.

    Raises:
        LeaseHeldError: a batch is not extracted yet.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    row = get_run(tools.ledger, corpus.id, run_id)
    if row["status"] in _HELD:
        return None
    if _accepted(row):
        return {"embedded": 0, "reused": 0}
    part = Part("embed", begins=False, alone=False, ends=False, lease_s=pace.lease_s)
    with running(tools, corpus, run_id, part=part) as run:
        found = _planned(tools.ledger, run_id)
        _check_same(tools.extractor.fingerprint, found.extractor, "extractor")
        failed = run.add(_pages_failed(tools.ledger, corpus.id, run_id, found.extractor))
        with run.timed("plan"):
            plan = _plan(tools, run, found, failed)
        with run.timed("embed"):
            texts = embed_texts(tools, plan)
            reused = next(texts).texts_reused
            # how many there were to embed at the first attempt: what that one embedded counts too
            all_of_them = RunReport(texts_embedded=len(plan.texts) - reused, texts_reused=reused)
            write_step(tools.ledger, run.lease, "texts", {"parts": parts_to_json([all_of_them])}, keep=True)
            embedded = sum(one.texts_embedded for one in texts)
        left = {"embedder": plan.model, "parts": parts_to_json(run.parts)}
        write_step(tools.ledger, run.lease, "embed", left)
        return {"embedded": embedded, "reused": reused}


def _pages_failed(ledger: Ledger, corpus_id: int, run_id: str, extractor: str) -> RunReport:
    """The pages that have a chunk without an extraction, and why."""
    problems = {key: why for _, left in batch_results(ledger, run_id) for key, why in left["problems"].items()}
    known = known_extractions(ledger, corpus_id, list(problems), extractor)
    lasting = {key: problem for key, problem in problems.items() if key not in known}
    return pages_failed(inputs_of(planned_pages(ledger, run_id), extractor) if lasting else {}, lasting)


def _plan(tools: Tools, run: Run, found: _Planned, failed: RunReport) -> PublishPlan:
    """What the run changes, worked out anew from what is stored."""
    before = open_members(tools.ledger, found.source_id)
    done = complete(planned_pages(tools.ledger, run.id), failed)
    return plan_pages(tools, run.corpus.id, done, [before[uri].page_id for uri in found.removed])


def publish_run(
    tools: Tools, corpus_name: str, run_id: str, options: Options = Options(), pace: Pace = Pace()
) -> int | None:
    """Publish what the run made; returns the number of its epoch, None when readers have exactly that already, or the
    gate of the corpus holds the run.

    An epoch that an earlier attempt froze is finished, one that it flipped is found again: a run has one epoch.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    row = get_run(tools.ledger, corpus.id, run_id)
    if accepted := _accepted(row):
        return accepted["epoch"]  # type: ignore[no-any-return]
    if row["status"] in _HELD:
        return None
    with running(tools, corpus, run_id, part=Part("publish", begins=False, ends=False, lease_s=pace.lease_s)) as run:
        embedded = read_steps(tools.ledger, run_id).get("embed")
        if embedded is None:
            raise LeaseHeldError(f"run {run_id} is not embedded yet; run its embed step first")
        _check_same(tools.embedder.fingerprint, embedded["embedder"], "embedding model")
        found = _planned(tools.ledger, run_id)
        with run.timed("publish"):
            flipped = epoch_of_run(tools.ledger, corpus.id, run_id, found.newest)
            if flipped is not None:
                epoch, rows = flipped
                lagging = list(tools.projections.problems)
                published = run.add(RunReport(epoch=epoch, rows=rows, lagging=lagging))
            else:
                failed = fold(run_id, corpus_name, "", _parts(embedded))
                published = run.add(_publish(tools, run, found, failed, options))
        write_step(tools.ledger, run.lease, "publish", {"parts": parts_to_json(run.parts)})
        if published.held:
            planned = read_steps(tools.ledger, run_id)["plan"]
            told = [*planned["parts"][: planned["read"]], *parts_to_json([why_held(run)])]
            left = {"source_id": found.source_id, "removed": list(found.removed), "parts": told}
            write_step(tools.ledger, run.lease, HELD, left)
    if published.held:
        _end(tools, corpus, run.source, run_id, pace)
    return published.epoch


def _publish(tools: Tools, run: Run, found: _Planned, failed: RunReport, options: Options) -> RunReport:
    pages = planned_pages(tools.ledger, run.id)
    plan = _plan(tools, run, found, failed)
    list(embed_texts(tools, plan))  # nothing, unless stored embeddings were lost since
    unless_empty = bool(pages) and not complete(pages, failed)
    return publish(tools, run.corpus, run.lease, plan, options, unless_empty=unless_empty)


# --- report ---------------------------------------------------------------------------------------


def report_run(
    tools: Tools, corpus_name: str, source: Source, run_id: str, options: Options = Options(), pace: Pace = Pace()
) -> dict[str, Any]:
    """End the run: store its report, give the corpus back; returns the report, of a dry run what would change.

    A run that published nothing because a step failed ends as failed: its report has ``error``, and what it stored
    is kept. Repeating the step that failed goes on with it, as long as no other run has begun.

    Raises:
        NotFoundError: there is no such run; its first step did not get as far.
    """
    if options.dry_run:
        return ingest(tools, corpus_name, source, options).as_dict() | {"run_id": run_id}
    return _end(tools, get_corpus(tools.ledger, corpus_name), source.name, run_id, pace)


def _end(tools: Tools, corpus: CorpusRow, source: str, run_id: str, pace: Pace) -> dict[str, Any]:
    """As :func:`report_run`, of one that is no dry run; ``source`` is named where the run lost its corpus."""
    row = get_run(tools.ledger, corpus.id, run_id)
    if row["status"] in (DONE, *_HELD):  # an earlier attempt got as far
        if row["status"] == DONE:
            forget_work(tools.ledger, run_id)
        return dict(row["report"])  # type: ignore[call-overload, no-any-return]
    part = Part("report", begins=False, alone=False, lease_s=pace.lease_s)
    try:
        with running(tools, corpus, run_id, part=part) as run:
            run.parts += _left(tools.ledger, run_id)
    except LeaseLostError as error:
        report = fold(run_id, corpus.name, source, [RunReport(error=str(error))])
        end_run(tools.ledger, run_id, FAILED, report.as_dict())
        return report.as_dict()
    release(tools.ledger, run.lease)
    if not (run.report.error or run.report.held):
        forget_work(tools.ledger, run_id)
    return run.report.as_dict()


def _left(ledger: Ledger, run_id: str) -> list[RunReport]:
    """What the steps of a run have left, in their order; why it failed where it was not published."""
    steps = read_steps(ledger, run_id)
    if HELD in steps and "publish" not in steps:
        return _parts(steps[HELD])
    error = RunReport(error=steps.get("error", {}).get("error", "a step was killed or never ran"))
    try:
        _planned(ledger, run_id)
    except InputError as unplanned:
        return [error if "error" in steps or not steps else RunReport(error=str(unplanned))]
    parts = _parts(steps["plan"])
    with suppress(LeaseHeldError):  # not all batches are done
        parts += [part for _, left in batch_results(ledger, run_id) for part in _parts(left)]
    for name in ("texts", "embed", "publish"):
        parts += _parts(steps.get(name, {}))
    return parts if "publish" in steps else [*parts, error]
