"""The first step: take the corpus, read what is new or changed, cut its new chunks into batches."""

from __future__ import annotations

from clausegraph.core.tokens import FINGERPRINT as TOKENIZER
from clausegraph.indexes.corpora import ensure_corpus, ensure_source
from clausegraph.indexes.work import Chunks, store_work
from clausegraph.ingestion.changes import changes_of, check_location, list_documents, peek, state_before
from clausegraph.ingestion.extracting import chunk_work, chunks_found
from clausegraph.ingestion.pipeline import read_pages
from clausegraph.ingestion.run import Part, running
from clausegraph.ingestion.sources import Source
from clausegraph.ingestion.steps.step import Pace, Planned
from clausegraph.ingestion.tools import Options, Tools

MAX_BATCHES = 1000  # schedulers map over few items: Airflow over 1,024


def plan_run(
    tools: Tools, corpus_name: str, source: Source, run_id: str, options: Options = Options(), pace: Pace = Pace()
) -> list[int]:
    """Take the corpus, read and store what is new or changed, and cut its new chunks into batches; returns their ids.

    A dry run has none, and takes and stores nothing.

    Raises:
        SourceError: the source is missing, empty or another one of that name; nothing was changed.
        LeaseHeldError: another run is writing to the corpus.
    """
    documents = peek(source)
    if options.dry_run:
        return []
    corpus = ensure_corpus(tools.ledger, corpus_name, {"tokenizer": TOKENIZER})
    check_location(tools.ledger, corpus, source, options)
    with running(tools, corpus, run_id, source.name, part=Part("plan", ends=False, lease_s=pace.lease_s)) as run:
        fingerprint = tools.extractor.fingerprint
        source_id = ensure_source(tools.ledger, corpus.id, source.name, source.kind, source.location)
        before = state_before(tools.ledger, source_id)
        listed = list_documents(documents, before, fingerprint, options)
        with run.timed("read"):
            pages = read_pages(tools, corpus.id, source_id, listed)
            changes = run.add(changes_of(pages.listed, before, options))
        with run.timed("plan"):
            work = chunk_work(tools.ledger, corpus.id, pages.stored, fingerprint)
            run.add(chunks_found(tools.ledger, pages.stored, work, before.members, fingerprint))
            batches = _cut(work.missing, pace.batch_chunks)
        plan = Planned(changes, run.corpus.newest, source_id, fingerprint)
        return store_work(tools.ledger, run.lease, pages.stored, batches, plan.left(run.results))


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
