"""The writing side, top to bottom: list → read → extract → plan → embed → publish → report.

One function per step, each safe to repeat: what was read, extracted or embedded is stored at once and found again, and
nothing is visible before the last step flips the epoch. A step returns what it did (``results.py``); the report is
folded from that. Where the steps are processes of their own (``steps/``), they call the same functions.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from clausegraph.core.extraction import Extraction, Reject, extract_all, extraction_inputs, scope_of
from clausegraph.core.pages.read import SourceDocument
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.tokens import FINGERPRINT as TOKENIZER
from clausegraph.indexes.corpora import (
    CorpusRow,
    check_corpus_name,
    ensure_corpus,
    ensure_source,
    list_corpora,
    list_epochs,
    list_sources,
)
from clausegraph.indexes.derive import derive_rows
from clausegraph.indexes.ledger.leases import RunLease
from clausegraph.indexes.plan import PageTarget, PublishPlan, make_plan
from clausegraph.indexes.publish import finish, freeze
from clausegraph.indexes.truth import (
    StoredPage,
    VersionInput,
    all_open_members,
    check_dimension,
    load_reading,
    missing_embeddings,
    store_embeddings,
    store_versions,
    stored_extractions,
)
from clausegraph.indexes.vacuum import has_many_segments, vacuum
from clausegraph.ingestion.changes import (
    Before,
    Fate,
    Listed,
    changes_of,
    check_location,
    list_documents,
    narrowed,
    peek,
    state_before,
)
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.extracting import (
    ChunkWork,
    chunk_work,
    chunks_found,
    complete,
    pages_failed,
    problems_of,
    store_as_they_come,
)
from clausegraph.ingestion.reading.pages import PageReading, page_reading
from clausegraph.ingestion.reasons import pipeline_of
from clausegraph.ingestion.report import RunReport, fold
from clausegraph.ingestion.results import Changes, Published, TextsEmbedded
from clausegraph.ingestion.run import Run, new_run_id, running
from clausegraph.ingestion.sources import Item, Source
from clausegraph.ingestion.sources.shelf import DryShelf, LedgerShelf
from clausegraph.ingestion.sources.source import FetchedSource, Page, StoredDocument
from clausegraph.ingestion.tools import Options, Progress, Tools, no_progress

__all__ = ["Options", "Progress", "Tools", "ingest", "no_progress", "planned_changes"]

_PAGES_AT_ONCE = 10  # read and stored in one transaction
_TEXTS_AT_ONCE = 512

_log = logger(__name__)


def ingest(tools: Tools, corpus_name: str, source: Source, options: Options = Options()) -> RunReport:
    """Mirror a source into a corpus and publish the result; a dry run only reports what that would change.

    Raises:
        SourceError: the source is missing, empty or another one of that name; nothing was changed.
        InputError: a corpus cannot have that name.
        LeaseHeldError: another run is writing to the corpus.
        StorageError: disk full or folder read-only; what was stored is found again by the next run.
    """
    corpus_name = check_corpus_name(corpus_name)
    if options.dry_run:
        changes = planned_changes(tools, corpus_name, source, options)
        return fold(new_run_id(), corpus_name, source.name, [changes], dry_run=True)
    documents = None if isinstance(source, FetchedSource) else peek(source, options)
    corpus = ensure_corpus(tools.ledger, corpus_name, {"tokenizer": TOKENIZER})
    check_location(tools.ledger, corpus, source, options)
    with running(tools, corpus, new_run_id(), source.name) as run:
        with run.timed("read"):
            read = read_source(tools, run, source, documents, options)
        with run.timed("extract"):
            done = _extract(tools, run, read)
        with run.timed("plan"):
            removed = [read.before.members[uri].page_id for uri in read.changes.removed]
            targets = make_targets(tools, corpus.id, done, removed)
            plan = make_plan(tools.ledger, corpus.id, targets, tools.embedder.fingerprint)
        with run.timed("embed"):
            run.collect(embed_texts(tools, plan))
        with run.timed("publish"):
            run.add(publish(tools, run.corpus, run.lease, plan, options, unless_empty=bool(read.pages) and not done))
        settle(source)
    return run.report


def planned_changes(tools: Tools, corpus_name: str, source: Source, options: Options) -> Changes:
    """What a run would do to the pages, without a trace of it in the ledger.

    Raises:
        SourceError: as :func:`ingest`.
    """
    documents = None if isinstance(source, FetchedSource) else peek(source, options)
    before, under = Before(), None
    corpus = next((row for row in list_corpora(tools.ledger) if row.name == corpus_name), None)
    if corpus is not None:
        check_location(tools.ledger, corpus, source, options)
        for row in list_sources(tools.ledger, corpus.id):
            if row.name == source.name:
                before = state_before(tools.ledger, row.id)
                under = _shelf(tools, corpus.id, row.id, options, begin=False)
    with DryShelf(under) as shelf:
        if isinstance(source, FetchedSource):
            documents = peek(source, options, source.fetch(shelf, tools.progress))
        items, before = narrowed(documents or (), before, options)
        return changes_of(list_documents(items, before, tools.extractor.fingerprint, options), before, options)


def _shelf(tools: Tools, corpus_id: int, source_id: int, options: Options, *, begin: bool) -> LedgerShelf:
    """What a source has fetched: for a crawl, to look at, or, where only some pages are meant, beside the crawls."""
    if options.only is not None:
        return LedgerShelf(tools.ledger, corpus_id, source_id)
    return (LedgerShelf.begun if begin else LedgerShelf.of)(tools.ledger, corpus_id, source_id)


def settle(source: Source) -> None:
    """What a source has fetched is taken in; the next run asks anew."""
    if isinstance(source, FetchedSource):
        source.settle()


# --- read -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceRead:
    """A source against what there was: what changes, and the page versions that were read, by uri."""

    source_id: int
    before: Before
    changes: Changes
    pages: Mapping[str, StoredPage]


def read_source(
    tools: Tools, run: Run, source: Source, documents: Iterable[Item] | None, options: Options
) -> SourceRead:
    """Read, chunk and store what is new or changed; a page that cannot be read is a reject and stays as it was.

    Args:
        documents: what the source lists; None of one that is fetched, which is done here, where the corpus is held.
    """
    source_id = ensure_source(tools.ledger, run.corpus.id, source.name, source.kind, source.location)
    if isinstance(source, FetchedSource):
        shelf = _shelf(tools, run.corpus.id, source_id, options, begin=True)
        documents = peek(source, options, source.fetch(shelf, tools.progress))
    items, before = narrowed(documents or (), state_before(tools.ledger, source_id), options)
    listed = list_documents(items, before, tools.extractor.fingerprint, options)
    done: list[Listed] = []
    pages: dict[str, StoredPage] = {}
    with page_reading(tools.limits, rules=isinstance(tools.extractor, RuleExtractor)) as read_page:
        while batch := list(itertools.islice(listed, _PAGES_AT_ONCE)):
            read = [_read(read_page, item, _loaded(item.document)) if item.document else (item, None) for item in batch]
            done += [item for item, _ in read]
            versions = [version for _, version in read if version]
            if versions:
                pages |= store_versions(tools.ledger, run.corpus.id, source_id, versions)
                tools.progress("read", len(pages), len(pages))
    changes = run.add(changes_of(done, before, options))
    for reject in changes.rejects:
        _log.info("page.rejected", page=reject.what, reason=reject.reason)
    return SourceRead(source_id, before, changes, pages)


def _loaded(page: Page) -> SourceDocument:
    return page.document() if isinstance(page, StoredDocument) else page


def _read(read_page: PageReading, item: Listed, document: SourceDocument) -> tuple[Listed, VersionInput | None]:
    """The item without its document, which may be large, and the version to be stored, if it can be read."""
    reading, rejects = read_page(document)
    if not reading.elements:
        if not any(reject.what == document.uri for reject in rejects):
            rejects += (Reject(document.uri, "no readable element on the page"),)
        fate: Fate = "kept" if item.fate == "changed" else "rejected"
        return Listed(item.uri, fate, rejects[-1].reason, rejects=rejects), None
    version = VersionInput(
        uri=document.uri,
        raw=document.raw,
        content_type=document.content_type,
        title=document.title,
        url=document.url,
        pipeline=pipeline_of(document.content_type),
        reading=reading,
    )
    return replace(item, document=None, rejects=rejects), version


# --- extract --------------------------------------------------------------------------------------


def _extract(tools: Tools, run: Run, read: SourceRead) -> list[StoredPage]:
    """Extract the chunks that no stored extraction covers; returns the pages that are now complete.

    A page with a chunk that could not be extracted stays as it was; the report names it and why.
    """
    work = find_chunks(tools, run, read)
    results = extract_all(tools.extractor, work.inputs(work.missing))
    parts = run.collect(store_as_they_come(tools, run.corpus.id, results, len(work.users) - len(work.known)))
    failed = run.add(pages_failed(work.users, problems_of(parts)))
    return complete(read.pages, failed)


def find_chunks(tools: Tools, run: Run, read: SourceRead) -> ChunkWork:
    """The chunks of the pages that were read, and which of them are to be extracted."""
    fingerprint = tools.extractor.fingerprint
    work = chunk_work(tools.ledger, run.corpus.id, read.pages, fingerprint)
    run.add(chunks_found(tools.ledger, read.pages, work, read.before.members, fingerprint))
    return work


# --- plan -----------------------------------------------------------------------------------------


def make_targets(tools: Tools, corpus_id: int, pages: Sequence[StoredPage], removed: Sequence[int]) -> list[PageTarget]:
    """What each touched page shall be: the pages read, those removed (ids), and all others when the model changed."""
    fingerprint = tools.extractor.fingerprint
    targets = [_target(tools, corpus_id, page, fingerprint) for page in pages]
    targets += [PageTarget(page_id) for page_id in removed]
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
    keys = [chunk_input.key for chunk_input, _ in extraction_inputs(page.reading, scope)]
    found: dict[str, Extraction] = stored_extractions(tools.ledger, corpus_id, keys, extractor)
    return PageTarget(page.page_id, page.version_id, derive_rows(page.reading, found, extractor, scope), extractor)


# --- embed ----------------------------------------------------------------------------------------


def embed_texts(tools: Tools, plan: PublishPlan) -> Iterator[TextsEmbedded]:
    """Embed the texts of the plan that have no stored embedding, shortest first, storing as it goes.

    Raises:
        ModelMismatchError: the vectors are of another dimension than those the corpus has of this model.
    """
    model = tools.embedder.fingerprint
    missing = missing_embeddings(tools.ledger, plan.corpus_id, list(plan.texts), model)
    missing.sort(key=lambda key: (len(plan.texts[key]), key))  # equal lengths together: less padding
    yield TextsEmbedded(0, reused=len(plan.texts) - len(missing))
    for start in range(0, len(missing), _TEXTS_AT_ONCE):
        hashes = missing[start : start + _TEXTS_AT_ONCE]
        matrix = tools.embedder.embed_texts([plan.texts[key] for key in hashes])
        if not start:  # it cannot change within a run
            check_dimension(tools.ledger, plan.corpus_id, model, matrix.shape[1])
        store_embeddings(tools.ledger, plan.corpus_id, model, hashes, matrix)
        yield TextsEmbedded(len(hashes), 0)
        tools.progress("embed", start + len(hashes), len(missing))


# --- publish --------------------------------------------------------------------------------------


def publish(
    tools: Tools, corpus: CorpusRow, lease: RunLease, plan: PublishPlan, options: Options, *, unless_empty: bool = False
) -> Published:
    """Publish the plan as the next epoch, unless readers already have exactly that.

    Args:
        unless_empty: publish no empty plan at all: not to found a corpus on nothing, nor to undo a rollback.

    Raises:
        StoreError: a required projection lacks the epoch; it stays frozen, and the next run finishes it.
    """
    current = corpus.published == corpus.newest and corpus.newest > 0
    epoch = None
    if plan.is_empty and (current or unless_empty):
        tools.projections.caught_up(corpus.id)
    else:
        epoch = freeze(tools.ledger, lease, plan)
        finish(tools.ledger, lease, epoch, tools.projections)
        _log.info("publish", epoch=epoch)
        if has_many_segments(tools.ledger, corpus.id):
            done = vacuum(tools.ledger, corpus, lease, options.keep_epochs, options.keep_days)
            for what in done.remains:
                _log.warning("removal.unfinished", reason=what)
            tools.projections.vacuumed(corpus.id)
    return Published(epoch, plan.counts(), tuple(tools.projections.problems))
