"""The writing side, top to bottom: list → read → extract → plan → embed → publish → report.

One function per step, each safe to repeat: what was read, extracted or embedded is stored at once and
found again, and nothing is visible before the last step flips the epoch.
"""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Protocol

from clausegraph.core.errors import ClauseGraphError, SourceError
from clausegraph.core.extraction import (
    Extracted,
    Extraction,
    ExtractionInput,
    Extractor,
    PageExtractor,
    PageInputs,
    Reject,
    extract_all,
    extraction_inputs,
    scope_of,
)
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.pages.chunking.chunks import CHUNKER_FINGERPRINT, chunk_reading
from clausegraph.core.pages.read import READER_FINGERPRINT, read_document
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.tokens import FINGERPRINT as TOKENIZER
from clausegraph.indexes.corpora import (
    CorpusRow,
    end_run,
    ensure_corpus,
    ensure_source,
    get_corpus,
    list_corpora,
    list_sources,
    start_run,
)
from clausegraph.indexes.derive import DERIVATION_FINGERPRINT, derive_rows
from clausegraph.indexes.epochs import list_epochs
from clausegraph.indexes.graph.projections import NO_PROJECTIONS, Projections
from clausegraph.indexes.ledger.leases import RunLease, run_lease
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.plan import PageTarget, PublishPlan, make_plan
from clausegraph.indexes.publish import finish, freeze, recover
from clausegraph.indexes.truth import (
    OpenMember,
    StoredPage,
    VersionInput,
    all_open_members,
    known_extractions,
    load_reading,
    missing_embeddings,
    open_members,
    store_embeddings,
    store_extractions,
    store_version,
    stored_extractions,
    version_key,
)
from clausegraph.indexes.vacuum import KEEP_DAYS, KEEP_EPOCHS, has_many_segments, vacuum
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import Source, SourceDocument
from clausegraph.ingestion.watch import watched_run

PIPELINE_FINGERPRINT = f"{READER_FINGERPRINT}+{CHUNKER_FINGERPRINT}"
_PAGES_AT_ONCE = 50  # read and stored in one transaction
_CHUNKS_AT_ONCE = 200  # stored in one transaction
_SECONDS_UNSTORED = 2.0  # a model's replies are worth money: none waits longer than this to be stored
_TEXTS_AT_ONCE = 512

_log = logger(__name__)

Progress = Callable[[str, int, int], None]  # stage, done, total


def no_progress(_stage: str, _done: int, _total: int) -> None:
    """The progress of nobody watching."""


class Meter(Protocol):
    """Counts the model calls of a run."""

    def start(self, corpus_id: int, run_id: str) -> None:
        """Calls from now on belong to this run."""

    def stop(self) -> dict[str, dict[str, float]]:
        """The run's usage by task: calls, cached, failed, prompt_tokens, output_tokens, money, seconds."""


class NoMeter:
    """The meter of a run that calls no model."""

    def start(self, corpus_id: int, run_id: str) -> None:
        """Nothing to count."""

    def stop(self) -> dict[str, dict[str, float]]:
        """Nothing was used."""
        return {}


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run works with. Models load themselves when first used, not before."""

    ledger: Ledger
    embedder: Embedder
    extractor: Extractor
    progress: Progress = no_progress
    meter: Meter = field(default_factory=NoMeter)
    projections: Projections = NO_PROJECTIONS


@dataclass(frozen=True, slots=True)
class Options:
    """How a run treats its source: keep pages that are gone, only report, read everything again, accept
    that it has moved, read at most so many new or changed pages; and which epochs the vacuum keeps that
    follows when segments have become many."""

    keep_missing: bool = False
    dry_run: bool = False
    force: bool = False
    relocate: bool = False
    limit: int | None = None
    keep_epochs: int = KEEP_EPOCHS
    keep_days: float = KEEP_DAYS


def ingest(tools: Tools, corpus_name: str, source: Source, options: Options = Options()) -> RunReport:
    """Mirror a source into a corpus and publish the result.

    Raises:
        SourceError: the source is missing, empty or another one of that name; nothing was changed.
        LeaseHeldError: another run is writing to the corpus.
        StorageError: disk full or folder read-only; what was stored is found again by the next run.
    """
    documents = peek(source)
    report = RunReport(uuid.uuid4().hex[:12], corpus_name, source.name, dry_run=options.dry_run)
    if options.dry_run:
        return report_changes(tools, source, documents, options, report)
    corpus = ensure_corpus(tools.ledger, corpus_name, {"tokenizer": TOKENIZER})
    check_location(tools.ledger, corpus, source, options)
    with run_lease(tools.ledger, corpus.id, report.run_id) as lease, watched_run(report):
        start_run(tools.ledger, corpus.id, report.run_id, "ingest", source.name)
        tools.meter.start(corpus.id, report.run_id)
        try:
            try:
                _run(tools, corpus, source, documents, options, lease, report)
            finally:
                report.usage = tools.meter.stop()
        except (ClauseGraphError, KeyboardInterrupt) as error:
            end_run(tools.ledger, report.run_id, "failed", report.as_dict() | {"error": str(error) or "interrupted"})
            raise
        end_run(tools.ledger, report.run_id, "done", report.as_dict())
    return report


def report_changes(
    tools: Tools, source: Source, documents: Iterator[SourceDocument | Reject], options: Options, report: RunReport
) -> RunReport:
    """What a run would change, without a trace of it in the ledger."""
    corpus = next((row for row in list_corpora(tools.ledger) if row.name == report.corpus), None)
    before: dict[str, OpenMember] = {}
    if corpus is not None:
        check_location(tools.ledger, corpus, source, options)
        known = (row.id for row in list_sources(tools.ledger, corpus.id) if row.name == source.name)
        before = next((open_members(tools.ledger, source_id) for source_id in known), {})
    for _ in changed_documents(tools, before, documents, options, report):
        pass
    return report


def _run(
    tools: Tools,
    corpus: CorpusRow,
    source: Source,
    documents: Iterator[SourceDocument | Reject],
    options: Options,
    lease: RunLease,
    report: RunReport,
) -> None:
    report.recovered = recover(tools.ledger, lease, tools.projections)
    corpus = get_corpus(tools.ledger, corpus.name)  # recovery may have flipped an epoch
    source_id = ensure_source(tools.ledger, corpus.id, source.name, source.kind, source.location)
    before = open_members(tools.ledger, source_id)
    changed = changed_documents(tools, before, documents, options, report)
    pages = read_pages(tools, corpus.id, source_id, changed, report)
    with report.timed("extract"):
        done = extract_pages(tools, corpus.id, pages, report)
    with report.timed("plan"):
        targets = make_targets(tools, corpus.id, done, report, before)
        plan = make_plan(tools.ledger, corpus.id, targets, tools.embedder.fingerprint)
    with report.timed("embed"):
        embed_texts(tools, plan, report)
    with report.timed("publish"):
        publish(tools, corpus, lease, plan, options, report)


# --- list -----------------------------------------------------------------------------------------


def peek(source: Source) -> Iterator[SourceDocument | Reject]:
    """The documents, once it is certain that there is a first one."""
    documents = source.documents()
    seen: list[SourceDocument | Reject] = []
    for item in documents:
        seen.append(item)
        if isinstance(item, SourceDocument):
            break
    return itertools.chain(seen, documents)


def check_location(ledger: Ledger, corpus: CorpusRow, source: Source, options: Options) -> None:
    """A run mirrors its source, so another place under the same name would remove the first one's pages."""
    for row in list_sources(ledger, corpus.id):
        if row.name == source.name and row.location != source.location and not options.relocate:
            raise SourceError(
                f"source {row.name!r} of corpus {corpus.name!r} is {row.location}, not {source.location}; "
                "add --source-name NAME to keep both, or --relocate if it has moved"
            )


def changed_documents(
    tools: Tools,
    before: dict[str, OpenMember],
    documents: Iterator[SourceDocument | Reject],
    options: Options,
    report: RunReport,
) -> Iterator[SourceDocument]:
    """Yield what is new or changed since the newest state ``before``; the rest goes into the report."""
    taken = 0
    seen: set[str] = set()
    unusable: set[str] = set()
    for item in documents:
        if isinstance(item, Reject):
            report.rejects.append(item)
            unusable.add(item.what)
            continue
        seen.add(item.uri)
        member = before.get(item.uri)
        if member is not None and not options.force and _is_current(tools, member, item):
            report.pages_unchanged += 1
            continue
        if options.limit is not None and taken >= options.limit:
            report.pages_left += 1
            continue
        taken += 1
        (report.pages_added if member is None else report.pages_changed).append(item.uri)
        yield item
    missing = sorted(set(before) - seen)
    kept = [uri for uri in missing if options.keep_missing or uri in unusable]
    report.pages_kept += kept
    report.pages_removed += sorted(set(missing) - set(kept))


def _is_current(tools: Tools, member: OpenMember, document: SourceDocument) -> bool:
    key = version_key(document.raw, document.content_type, document.title, document.url, PIPELINE_FINGERPRINT)
    return (member.version_key, member.extractor, member.derivation) == (
        key,
        tools.extractor.fingerprint,
        DERIVATION_FINGERPRINT,
    )


# --- read -----------------------------------------------------------------------------------------


def read_pages(
    tools: Tools, corpus_id: int, source_id: int, documents: Iterator[SourceDocument], report: RunReport
) -> dict[str, StoredPage]:
    """Read, chunk and store the documents, by uri; a page that cannot be read is a reject and stays as it was."""
    stored: dict[str, StoredPage] = {}
    with report.timed("read"):
        while batch := list(itertools.islice(documents, _PAGES_AT_ONCE)):
            versions = [version for version in (_read(document, report) for document in batch) if version]
            with tools.ledger.write() as connection:
                for version in versions:
                    stored[version.uri] = store_version(connection, corpus_id, source_id, version)
            tools.progress("read", len(stored), len(stored))
    for reject in report.rejects:
        _log.info("page.rejected", page=reject.what, reason=reject.reason)
    return stored


def _read(document: SourceDocument, report: RunReport) -> VersionInput | None:
    reading, rejects = read_document(document)
    report.rejects += rejects
    if not reading.elements:
        for uris in (report.pages_added, report.pages_changed):
            if document.uri in uris:
                uris.remove(document.uri)
        report.pages_kept.append(document.uri)
        if not any(reject.what == document.uri for reject in rejects):
            report.rejects.append(Reject(document.uri, "no readable element on the page"))
        return None
    return VersionInput(
        uri=document.uri,
        raw=document.raw,
        content_type=document.content_type,
        title=document.title,
        url=document.url,
        pipeline=PIPELINE_FINGERPRINT,
        reading=chunk_reading(reading),
    )


# --- extract --------------------------------------------------------------------------------------


def extract_pages(tools: Tools, corpus_id: int, pages: Mapping[str, StoredPage], report: RunReport) -> list[StoredPage]:
    """Extract the chunks that no stored extraction covers; returns the pages that are now complete.

    Results are stored as they come, also when the run is stopped. A page with a chunk that could not be
    extracted stays as it was; the report names it and why.
    """
    fingerprint = tools.extractor.fingerprint
    users = inputs_of(pages, fingerprint)
    known = known_extractions(tools.ledger, corpus_id, list(users), fingerprint)
    report.chunks_reused += len(known)
    todo: dict[str, list[ExtractionInput]] = {}
    for key, (source, uris) in users.items():
        if key not in known:
            todo.setdefault(uris[0], []).append(source)
    work = [PageInputs(uri, tuple(inputs)) for uri, inputs in todo.items()]
    failed = store_as_they_come(tools, corpus_id, extract_all(tools.extractor, work), len(users) - len(known), report)
    if isinstance(tools.extractor, PageExtractor):
        report.proposals = tools.extractor.proposals()
    for key, problem in failed.items():
        report.failures += [Reject(uri, problem) for uri in users[key][1]]
    incomplete = dict.fromkeys(uri for key in failed for uri in users[key][1])
    for uri in incomplete:
        report.fail(uri)
    return [page for uri, page in pages.items() if uri not in incomplete]


def inputs_of(pages: Mapping[str, StoredPage], extractor: str) -> dict[str, tuple[ExtractionInput, list[str]]]:
    """Every different extraction input of the pages by key, with the uris that have it, in page order."""
    found: dict[str, tuple[ExtractionInput, list[str]]] = {}
    for uri, page in pages.items():
        for source, _ in extraction_inputs(page.reading, scope_of(extractor, page.page_id)):
            found.setdefault(source.key, (source, []))[1].append(uri)
    return found


def store_as_they_come(
    tools: Tools, corpus_id: int, results: Generator[Extracted], total: int, report: RunReport
) -> dict[str, str]:
    """Store extractions in batches; returns the problems by input key."""
    failed: dict[str, str] = {}
    made: dict[str, Extraction] = {}
    stored = time.monotonic()
    try:
        with closing(results):
            for result in results:
                if result.extraction is None:
                    failed[result.key] = result.problem
                    continue
                made[result.key] = result.extraction
                if len(made) >= _CHUNKS_AT_ONCE or time.monotonic() - stored > _SECONDS_UNSTORED:
                    _store(tools, corpus_id, made, total, report)
                    stored = time.monotonic()
    finally:
        _store(tools, corpus_id, made, total, report)
    return failed


def _store(tools: Tools, corpus_id: int, made: dict[str, Extraction], total: int, report: RunReport) -> None:
    """Store and forget what was made."""
    store_extractions(tools.ledger, corpus_id, tools.extractor.fingerprint, made)
    report.rejects += [reject for extraction in made.values() for reject in extraction.rejects]
    report.chunks_extracted += len(made)
    tools.progress("extract", report.chunks_extracted, total)
    made.clear()


# --- plan -----------------------------------------------------------------------------------------


def make_targets(
    tools: Tools, corpus_id: int, pages: Sequence[StoredPage], report: RunReport, before: dict[str, OpenMember]
) -> list[PageTarget]:
    """What each touched page shall be: the pages read, those removed, and all others when the model changed."""
    fingerprint = tools.extractor.fingerprint
    targets = [_target(tools, corpus_id, page, fingerprint) for page in pages]
    targets += [PageTarget(before[uri].page_id) for uri in report.pages_removed]
    touched = {target.page_id for target in targets}
    if _model_changed(tools, corpus_id):
        for page_id, version_id, extractor in all_open_members(tools.ledger, corpus_id):
            if page_id not in touched:
                with tools.ledger.read() as connection:
                    reading = load_reading(connection, version_id)
                targets.append(_target(tools, corpus_id, StoredPage(page_id, version_id, reading), extractor))
    return targets


def _model_changed(tools: Tools, corpus_id: int) -> bool:
    epochs = list_epochs(tools.ledger, corpus_id)
    return bool(epochs) and epochs[0].model != tools.embedder.fingerprint


def _target(tools: Tools, corpus_id: int, page: StoredPage, extractor: str) -> PageTarget:
    scope = scope_of(extractor, page.page_id)
    keys = [source.key for source, _ in extraction_inputs(page.reading, scope)]
    found: dict[str, Extraction] = stored_extractions(tools.ledger, corpus_id, keys, extractor)
    return PageTarget(page.page_id, page.version_id, derive_rows(page.reading, found, extractor, scope), extractor)


# --- embed ----------------------------------------------------------------------------------------


def embed_texts(tools: Tools, plan: PublishPlan, report: RunReport) -> None:
    """Embed the texts of the plan that have no stored embedding, shortest first, storing as it goes."""
    model = tools.embedder.fingerprint
    missing = missing_embeddings(tools.ledger, plan.corpus_id, list(plan.texts), model)
    missing.sort(key=lambda key: (len(plan.texts[key]), key))  # equal lengths together: less padding
    report.texts_reused += len(plan.texts) - len(missing)
    for start in range(0, len(missing), _TEXTS_AT_ONCE):
        hashes = missing[start : start + _TEXTS_AT_ONCE]
        matrix = tools.embedder.embed_texts([plan.texts[key] for key in hashes])
        store_embeddings(tools.ledger, plan.corpus_id, model, hashes, matrix)
        report.texts_embedded += len(hashes)
        tools.progress("embed", report.texts_embedded, len(missing))


# --- publish --------------------------------------------------------------------------------------


def publish(
    tools: Tools, corpus: CorpusRow, lease: RunLease, plan: PublishPlan, options: Options, report: RunReport
) -> None:
    """Publish the plan as the next epoch, unless readers already have exactly that.

    Raises:
        StoreError: a required projection lacks the epoch; it stays frozen, and the next run finishes it.
    """
    report.rows = plan.counts()
    if plan.is_empty and corpus.published == corpus.newest and corpus.newest > 0:
        tools.projections.caught_up(corpus.id)
    else:
        report.epoch = freeze(tools.ledger, lease, plan)
        finish(tools.ledger, lease, report.epoch, tools.projections)
        _log.info("publish", epoch=report.epoch)
        if has_many_segments(tools.ledger, corpus.id):
            vacuum(tools.ledger, corpus, lease, options.keep_epochs, options.keep_days)
            tools.projections.vacuumed(corpus.id)
    report.lagging = list(tools.projections.problems)
