"""The writing side, top to bottom: list → read → extract → plan → embed → publish → report.

One function per step, each safe to repeat: what was read, extracted or embedded is stored at once and found again, and
nothing is visible before the last step flips the epoch. A step returns its part of the report. Where the steps are
processes of their own (``steps.py``), they call the same functions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice

from clausegraph.core.errors import ModelMismatchError
from clausegraph.core.extraction import Reject, extract_all, extraction_inputs, scope_of
from clausegraph.core.hashing import LLMFingerprint
from clausegraph.core.models.embedding import embedded_parts
from clausegraph.core.pages.read import SourceDocument
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.tokens import FINGERPRINT as TOKENIZER
from clausegraph.core.types import Reading
from clausegraph.indexes.corpora import (
    CorpusRow,
    check_corpus_name,
    ensure_corpus,
    ensure_source,
    get_corpus,
    get_published,
    list_corpora,
    list_epochs,
    list_sources,
)
from clausegraph.indexes.derive import derive_rows
from clausegraph.indexes.fetches import forget_pages
from clausegraph.indexes.forgotten import stays_out
from clausegraph.indexes.ledger.leases import RunLease
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.plan import PageTarget, PublishPlan, make_plan
from clausegraph.indexes.publish import has_gate, publish_plan
from clausegraph.indexes.truth import (
    StoredPage,
    VersionInput,
    all_open_members,
    check_dimension,
    kept_readings,
    missing_embeddings,
    open_members,
    store_embeddings,
    store_versions,
    stored_extractions,
)
from clausegraph.indexes.vacuum import has_many_segments, vacuum
from clausegraph.indexes.work import HELD, store_work, supersede, write_step
from clausegraph.ingestion.changes import (
    Before,
    Changes,
    check_location,
    narrowed,
    peek,
    pipeline_of,
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
from clausegraph.ingestion.forecast import make_forecast
from clausegraph.ingestion.guards import GateVerdict, held
from clausegraph.ingestion.reading.process import page_reading
from clausegraph.ingestion.report import RunReport, fold, parts_to_json
from clausegraph.ingestion.run import Run, new_run_id, running
from clausegraph.ingestion.sources.shelf import DryShelf, LedgerShelf
from clausegraph.ingestion.sources.source import FetchedSource, Item, Source, StoredDocument
from clausegraph.ingestion.tools import Gate, Options, Progress, RuleReader, Tools, no_progress

__all__ = ["Options", "Progress", "Tools", "ingest", "no_progress"]

_PAGES_AT_ONCE = 10  # stored in one transaction
_TEXTS_AT_ONCE = 512
_TEXTS_SORTED = 20_000  # by length, for one after the other to be embedded together

_log = logger(__name__)


def ingest(tools: Tools, corpus_name: str, source: Source, options: Options = Options(), run_id: str = "") -> RunReport:
    """Mirror a source into a corpus and publish the result; a dry run only reports what that would change.

    Args:
        run_id: of a run that was asked for before; empty for a new one.

    Raises:
        SourceError: the source is missing, empty or another one of that name; nothing was changed.
        InputError: a corpus cannot have that name.
        LeaseHeldError: another run is writing to the corpus.
        StorageError: disk full or folder read-only; what was stored is found again by the next run.
    """
    corpus_name = check_corpus_name(corpus_name)
    if options.dry_run:
        parts = _planned_changes(tools, corpus_name, source, options)
        return fold(run_id or new_run_id(), corpus_name, source.name, parts, dry_run=True)
    corpus, documents = begin(tools, corpus_name, source, options)
    with running(tools, corpus, run_id or new_run_id(), source.name) as run:
        with run.timed("read"):
            read = read_source(tools, run, source, documents, options)
        parts = list(run.parts)
        if not run.report.held:
            extract_and_publish(tools, run, read, options)
            parts.append(why_held(run))
        if run.report.held:
            hold(tools, run, read, parts)
        settle(source)
    return run.report


def extract_and_publish(tools: Tools, run: Run, read: SourceRead, options: Options) -> None:
    """What a run does with the pages that it has read."""
    with run.timed("extract"):
        done = _extract(tools, run, read)
    publish_pages(tools, run, options, done, read.removed, unless_empty=bool(read.pages) and not done)


def begin(tools: Tools, corpus_name: str, source: Source, options: Options) -> tuple[CorpusRow, Iterable[Item] | None]:
    """The corpus, made where there is none, and what the source lists; None of one that is fetched, within the run."""
    documents = None if isinstance(source, FetchedSource) else peek(source, options)
    corpus = ensure_corpus(tools.ledger, corpus_name, {"tokenizer": TOKENIZER})
    check_location(tools.ledger, corpus, source, options)
    return corpus, documents


def _planned_changes(tools: Tools, corpus_name: str, source: Source, options: Options) -> list[RunReport]:
    """What a run would do to the pages and need for it, without a trace of it in the ledger: pages are read alone."""
    documents = None if isinstance(source, FetchedSource) else peek(source, options)
    before, under = Before(), None
    corpus = next((row for row in list_corpora(tools.ledger) if row.name == corpus_name), None)
    if corpus is not None:
        check_location(tools.ledger, corpus, source, options)
        for row in list_sources(tools.ledger, corpus.id):
            if row.name == source.name:
                before = state_before(tools.ledger, row.id)
                under = _shelf(tools, corpus.id, row.id, options, begin=False)
    pages: dict[str, StoredPage] = {}
    with DryShelf(under) as shelf:
        if isinstance(source, FetchedSource):
            documents = peek(source, options, source.fetch(shelf, tools.progress))
        items, before = narrowed(documents or (), before, options)
        changes = Changes(before, stays_out(tools.ledger, corpus.id if corpus else 0, source.name))
        for document, reading in _read_pages(tools, changes, items, options):
            stored = next(iter(before.versions.get(document.uri, {}).values()), None)
            pages[document.uri] = StoredPage.of(stored.page_id if stored else -1 - len(pages), 0, reading)
    parts = [changes.finish(options).part(dry_run=True)]
    parts.append(_guarded(tools, SourceRead(0, before, pages, changes.removed, changes.unread), options))
    corpus_id = corpus.id if corpus else 0
    work = chunk_work(tools.ledger, corpus_id, pages, tools.extractor.fingerprint)
    return [*parts, RunReport(forecast=make_forecast(tools, corpus_id, pages, work))]


def _shelf(tools: Tools, corpus_id: int, source_id: int, options: Options, *, begin: bool) -> LedgerShelf:
    """What a source has fetched: for a crawl, to look at, or, where only some pages are meant, beside the crawls."""
    if options.only is not None:
        return LedgerShelf(tools.ledger, corpus_id, source_id)
    return (LedgerShelf.begun if begin else LedgerShelf.of)(tools.ledger, corpus_id, source_id)


def settle(source: Source) -> None:
    """What a source has fetched is taken in; the next run asks anew."""
    if isinstance(source, FetchedSource):
        source.settle()


# --- publishing without a source --------------------------------------------------------------------


def apply_decisions(tools: Tools, corpus_name: str, options: Options = Options()) -> RunReport:
    """Publish the newest state under the accepted decisions; nothing happens when it is under them already.

    The extractor of ``tools`` is not used: statements are stored as they were written.

    Raises:
        NotFoundError: no such corpus, or nothing was published yet.
        ModelMismatchError: the corpus was embedded by another model; an ingest changes the model.
        LeaseHeldError: another run is writing to the corpus.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    with tools.ledger.read() as connection:
        get_published(connection, corpus)
    with running(tools, corpus, new_run_id(), kind="entities") as run:
        publish_without(tools, run, {}, options)
    return run.report


def remove_pages(
    tools: Tools, corpus_name: str, uris: Mapping[int, Sequence[str]], options: Options = Options()
) -> RunReport:
    """Publish the corpus without these pages; what was fetched of them is forgotten.

    The next run of their source brings back those that are still there.

    Args:
        uris: of the pages, by source id; one that the newest state has not is passed over.

    Raises:
        NotFoundError, ModelMismatchError, LeaseHeldError: as ``apply_decisions``.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    with running(tools, corpus, new_run_id(), kind="pages") as run:
        publish_without(tools, run, uris, options)
    return run.report


def derive_again(tools: Tools, corpus_name: str, page_ids: Collection[int], options: Options = Options()) -> RunReport:
    """Publish these pages as they follow from what is stored of them, whatever rows there are; what is no page of the
    newest state loses its rows. Errors as ``apply_decisions``."""
    corpus = get_corpus(tools.ledger, corpus_name)
    with running(tools, corpus, new_run_id(), kind="audit") as run:
        _check_model(tools, corpus)
        members = [one for one in all_open_members(tools.ledger, corpus.id) if one[0] in page_ids]
        targets = [one for one in _stored_targets(tools, corpus.id, members) if not one.lost]
        targets += [PageTarget(page_id) for page_id in set(page_ids) - {page_id for page_id, *_ in members}]
        plan = make_plan(tools.ledger, corpus.id, targets, tools.embedder.fingerprint, run.corpus.newest)
        for part in embed_texts(tools, plan):
            run.add(part)
        ungated = replace(options, gated=False)  # it is what the stored pages say already
        run.add(publish(tools, run.corpus, run.lease, plan, ungated, unless_empty=True))
    return run.report


def publish_without(tools: Tools, run: Run, uris: Mapping[int, Sequence[str]], options: Options) -> None:
    """What a run without a source does: publish the decisions, and the corpus without these pages.

    Args:
        uris: as of ``remove_pages``.
    """
    _check_model(tools, run.corpus)
    members = {source: open_members(tools.ledger, source) for source in uris}
    found = {source: [uri for uri in uris[source] if uri in members[source]] for source in uris}
    gone = [uri for listed in found.values() for uri in listed]
    run.add(RunReport(pages_removed=gone, pages_why=dict.fromkeys(gone, "removed by hand")))
    ids = [members[source][uri].page_id for source, listed in found.items() for uri in listed]
    publish_pages(tools, run, options, removed=ids, unless_empty=not uris)
    if run.report.held and options.gated:
        left = {"uris": {str(source): listed for source, listed in found.items()}}
        write_step(tools.ledger, run.lease, HELD, left | {"parts": parts_to_json([why_held(run)])})
        return
    with tools.ledger.write() as connection:
        for source, listed in found.items():
            forget_pages(connection, source, listed)


def _check_model(tools: Tools, corpus: CorpusRow) -> None:
    model = list_epochs(tools.ledger, corpus.id)[0].model
    if model != tools.embedder.fingerprint:
        raise ModelMismatchError(
            f"corpus {corpus.name!r} was embedded by {model}, but the settings name {tools.embedder.fingerprint}; set "
            "CLAUSEGRAPH_EMBEDDING_MODEL as it was, or run `clausegraph ingest`, which embeds it with the new one and "
            "applies the decisions too"
        )


# --- read -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourceRead:
    """A source against what there was: the page versions that were read, by uri, and the uris to be removed."""

    source_id: int
    before: Before
    pages: Mapping[str, StoredPage]
    removed_uris: Sequence[str]
    unread: Mapping[str, str] = field(default_factory=dict)  # why a page that the corpus has could not be read

    @property
    def removed(self) -> list[int]:
        """Ids of the pages to be removed, those that are there."""
        return [self.before.members[uri].page_id for uri in self.removed_uris if uri in self.before.members]


def read_source(
    tools: Tools, run: Run, source: Source, documents: Iterable[Item] | None, options: Options
) -> SourceRead:
    """Read, chunk and store what is new or changed; a page that cannot be read is a reject and stays as it was.

    Args:
        documents: what the source lists; None of one that is fetched, which is done here, where the corpus is held.
    """
    source_id = ensure_source(tools.ledger, run.corpus.id, source.name, source.kind, source.location)
    out = stays_out(tools.ledger, run.corpus.id, source.name)
    if isinstance(source, FetchedSource):
        shelf = replace(_shelf(tools, run.corpus.id, source_id, options, begin=True), stays_out=out)
        documents = peek(source, options, source.fetch(shelf, tools.progress))
    items, before = narrowed(documents or (), state_before(tools.ledger, source_id), options)
    changes = Changes(before, out)
    pages: dict[str, StoredPage] = {}
    one_by_one, reading_of = _read_pages(tools, changes, items, options), kept_readings(tools.ledger)
    while few := list(islice(one_by_one, _PAGES_AT_ONCE)):
        versions = [
            VersionInput(
                uri=document.uri,
                raw=document.raw,
                content_type=document.content_type,
                title=document.title,
                url=document.url,
                pipeline=pipeline_of(document.content_type),
                reading=reading,
            )
            for document, reading in few
        ]
        pages |= store_versions(tools.ledger, run.corpus.id, source_id, versions, reading_of)
    run.add(changes.finish(options).part())
    for reject in changes.rejects:
        _log.info("page.rejected", page=reject.what, reason=reject.reason)
    read = SourceRead(source_id, before, pages, changes.removed, changes.unread)
    run.add(_guarded(tools, read, options))
    if options.only is None:
        supersede(tools.ledger, run.corpus.id, run.source, run.id)
    return read


def _read_pages(
    tools: Tools, changes: Changes, items: Iterable[Item], options: Options
) -> Iterator[tuple[SourceDocument, Reading]]:
    """Read the pages that are new or changed, one after the other; all that the source lists is noted."""
    with page_reading(tools.limits, rules=isinstance(tools.extractor, RuleExtractor)) as read_page:
        for page, why in changes.to_read(_looked_at(tools, changes, items), tools.extractor.fingerprint, options):
            document = page.document() if isinstance(page, StoredDocument) else page
            reading, rejects = read_page(document)
            if reading.elements:
                changes.take(document.uri, why, rejects)
                yield document, reading
            else:
                told = any(reject.what == document.uri for reject in rejects)
                none = () if told else (Reject(document.uri, "no readable element on the page"),)
                changes.refuse(document.uri, rejects + none)


def _looked_at(tools: Tools, changes: Changes, items: Iterable[Item]) -> Iterator[Item]:
    """What a source lists, told one by one: most of it may be unchanged."""
    for done, item in enumerate(items):
        tools.progress("read", done, 0, len(changes.rejects))
        yield item


def _guarded(tools: Tools, read: SourceRead, options: Options) -> RunReport:
    """Why the run must not be published unseen; whoever means some pages, or that all may go, need not ask."""
    if options.only is not None or options.allow_empty:
        return RunReport()
    members, reading_of = read.before.members, kept_readings(tools.ledger)
    before = {uri: partial(reading_of, members[uri].version_id) for uri in read.pages if uri in members}
    after = {uri: page.read for uri, page in read.pages.items()}
    return RunReport(held=held(before, after, read.removed_uris, read.unread, len(members), options.hold_share))


def why_held(run: Run) -> RunReport:
    """What is kept of the report about publishing, where the gate holds a run."""
    return RunReport(held=run.report.held, gate=run.report.gate)


def hold(tools: Tools, run: Run, read: SourceRead, parts: Sequence[RunReport]) -> None:
    """Keep what was read, and what is to be told of it, until somebody decides (``quarantine``)."""
    left = {"source_id": read.source_id, "removed": list(read.removed_uris), "parts": parts_to_json(parts)}
    store_work(tools.ledger, run.lease, read.pages, (), left)
    write_step(tools.ledger, run.lease, HELD, left)


# --- extract --------------------------------------------------------------------------------------


def _extract(tools: Tools, run: Run, read: SourceRead) -> list[StoredPage]:
    """Extract the chunks that no stored extraction covers; returns the pages that are now complete.

    A page with a chunk that could not be extracted stays as it was; the report names it and why.
    """
    work = find_chunks(tools, run, read)
    results = extract_all(tools.extractor, work.inputs(work.missing))
    problems: dict[str, str] = {}
    for made in store_as_they_come(tools, run.corpus.id, results, len(work.users) - len(work.known)):
        run.add(made.part)
        problems |= problems_of([made])
    return complete(read.pages, run.add(pages_failed(work.users, problems)))


def find_chunks(tools: Tools, run: Run, read: SourceRead) -> ChunkWork:
    """The chunks of the pages that were read, and which of them are to be extracted."""
    fingerprint = tools.extractor.fingerprint
    work = chunk_work(tools.ledger, run.corpus.id, read.pages, fingerprint)
    run.add(chunks_found(tools.ledger, read.pages, work, read.before.members, fingerprint))
    if read.pages:
        run.add(RunReport(forecast=make_forecast(tools, run.corpus.id, read.pages, work)))
    return work


# --- plan, embed, publish -------------------------------------------------------------------------


def publish_pages(
    tools: Tools,
    run: Run,
    options: Options,
    pages: Sequence[StoredPage] = (),
    removed: Sequence[int] = (),
    *,
    unless_empty: bool = False,
) -> None:
    """Publish the corpus with these pages, without those that are removed (ids); see ``publish``."""
    with run.timed("plan"):
        plan = plan_pages(tools, run.corpus.id, pages, removed)
    with run.timed("embed"):
        for part in embed_texts(tools, plan):
            run.add(part)
    with run.timed("publish"):
        run.add(publish(tools, run.corpus, run.lease, plan, options, unless_empty=unless_empty))


def plan_pages(tools: Tools, corpus_id: int, pages: Sequence[StoredPage], removed: Sequence[int]) -> PublishPlan:
    """What changes with each touched page: those read, those removed, and all others when the model changed."""
    model = tools.embedder.fingerprint
    targets = chain(_read_targets(tools, corpus_id, pages), map(PageTarget, removed))
    touched = {page.page_id for page in pages}.union(removed)
    epochs = list_epochs(tools.ledger, corpus_id)
    if epochs and epochs[0].model != model:
        members = all_open_members(tools.ledger, corpus_id)
        targets = chain(targets, _stored_targets(tools, corpus_id, [one for one in members if one[0] not in touched]))
    return make_plan(tools.ledger, corpus_id, targets, model)


def _read_targets(tools: Tools, corpus_id: int, pages: Sequence[StoredPage]) -> Iterator[PageTarget]:
    fingerprint = tools.extractor.fingerprint
    for done, page in enumerate(pages):
        tools.progress("plan", done, len(pages))
        yield page_target(tools.ledger, tools.read_rules, corpus_id, page, fingerprint)


def _stored_targets(tools: Tools, corpus_id: int, members: Iterable[tuple[int, int, str]]) -> Iterator[PageTarget]:
    """Pages as they follow from what is stored of them."""
    read = kept_readings(tools.ledger)
    for page_id, version_id, extractor in members:
        page = StoredPage(page_id, version_id, partial(read, version_id))
        yield page_target(tools.ledger, tools.read_rules, corpus_id, page, extractor)


def page_target(ledger: Ledger, read_rules: RuleReader, corpus_id: int, page: StoredPage, extractor: str) -> PageTarget:
    """What a page shall be, from its reading and its stored extractions."""
    scope = scope_of(extractor, page.page_id)
    keys = [chunk_input.key for chunk_input, _ in extraction_inputs(page.reading, scope)]
    found = stored_extractions(ledger, corpus_id, keys, extractor)
    asked = LLMFingerprint.parse(extractor)
    stated = extractor.startswith("given:") or (asked is not None and asked.states_rules)  # whoever states all there is
    ruled = {} if stated else read_rules(page.reading)
    rows = derive_rows(page.reading, found, extractor, scope, ruled)
    return PageTarget(page.page_id, page.version_id, rows, extractor, len(set(keys) - found.keys()))


def embed_texts(tools: Tools, plan: PublishPlan) -> Iterator[RunReport]:
    """Embed the texts of the plan that have no stored embedding, shortest first, storing as it goes.

    Raises:
        ModelMismatchError: the vectors are of another dimension than those the corpus has of this model.
    """
    model = tools.embedder.fingerprint
    total = sum(len(_missing(tools, plan, dict(part))) for part in plan.texts.parts(_TEXTS_SORTED))
    yield RunReport(texts_reused=len(plan.texts) - total)
    done = 0
    for part in plan.texts.parts(_TEXTS_SORTED):
        texts = dict(part)
        missing = sorted(_missing(tools, plan, texts), key=lambda key: (len(texts[key]), key))  # less padding
        for places, matrix in embedded_parts(tools.embedder, [texts[key] for key in missing], _TEXTS_AT_ONCE):
            if not done:  # it cannot change within a run
                check_dimension(tools.ledger, plan.corpus_id, model, matrix.shape[1])
            store_embeddings(tools.ledger, plan.corpus_id, model, [missing[place] for place in places], matrix)
            done += len(places)
            yield RunReport(texts_embedded=len(places))
            tools.progress("embed", done, total)


def _missing(tools: Tools, plan: PublishPlan, texts: Mapping[str, str]) -> list[str]:
    """The hashes of texts without an embedding."""
    return missing_embeddings(tools.ledger, plan.corpus_id, list(texts), tools.embedder.fingerprint)


def publish(
    tools: Tools, corpus: CorpusRow, lease: RunLease, plan: PublishPlan, options: Options, *, unless_empty: bool = False
) -> RunReport:
    """Publish the plan as the next epoch, unless readers already have exactly that, or the gate of the corpus is not
    met; then the report says why the run is held.

    Args:
        unless_empty: publish no empty plan at all: not to found a corpus on nothing, nor to undo a rollback.

    Raises:
        StoreError: a required projection lacks the epoch; it stays frozen, and the next run finishes it.
    """
    current = corpus.published == corpus.newest and corpus.newest > 0
    epoch, asked = None, list[GateVerdict]()
    if plan.is_empty and (current or unless_empty):
        tools.projections.caught_up(corpus.id)
    else:
        gate = None
        if options.gated and tools.gate is not None and has_gate(tools.ledger, corpus.id):
            gate = partial(_lets_through, tools.gate, corpus.name, asked)
        tools.progress("publish", 0, 0)  # from here on to its end
        epoch = publish_plan(tools.ledger, lease, plan, tools.projections, gate)
        if asked and asked[0].held:
            _log.info("publish.held", missed=len(asked[0].missed))
            return RunReport(gate=asked[0], held=asked[0].held, lagging=list(tools.projections.problems))
        _log.info("publish", epoch=epoch)
        if has_many_segments(tools.ledger, corpus.id):
            done = vacuum(tools.ledger, corpus, lease, options.keep_epochs, options.keep_days)
            for what in done.remains:
                _log.warning("removal.unfinished", reason=what)
            tools.projections.vacuumed(corpus.id)
    verdict = asked[0] if asked else None
    return RunReport(epoch=epoch, rows=plan.counts(), gate=verdict, lagging=list(tools.projections.problems))


def _lets_through(gate: Gate, corpus: str, asked: list[GateVerdict], epoch: int) -> bool:
    """Ask the gate about an epoch; its verdict is added to ``asked``."""
    asked.append(gate(corpus, epoch))
    return not asked[0].held
