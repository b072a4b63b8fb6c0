"""The first step: take the corpus, read what is new or changed, cut its new chunks into batches."""

from __future__ import annotations

from collections.abc import Mapping

from clausegraph.core.tokens import FINGERPRINT as TOKENIZER
from clausegraph.indexes.corpora import ensure_corpus, ensure_source, get_corpus, start_run
from clausegraph.indexes.publish import recover
from clausegraph.indexes.truth import StoredPage, known_extractions, open_members
from clausegraph.indexes.work import Chunks, store_work
from clausegraph.ingestion.pipeline import (
    Options,
    Tools,
    changed_documents,
    check_location,
    inputs_of,
    peek,
    read_pages,
)
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import Source
from clausegraph.ingestion.steps.step import Pace, step

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
    with step(tools, corpus, run_id, "plan", pace, begin=True) as lease:
        start_run(tools.ledger, corpus.id, run_id, "ingest", source.name)
        report = RunReport(run_id, corpus_name, source.name)
        report.recovered = recover(tools.ledger, lease, tools.projections)
        newest = get_corpus(tools.ledger, corpus_name).newest  # recovery may have flipped an epoch
        source_id = ensure_source(tools.ledger, corpus.id, source.name, source.kind, source.location)
        before = open_members(tools.ledger, source_id)
        changed = changed_documents(tools, before, documents, options, report)
        pages = read_pages(tools, corpus.id, source_id, changed, report)
        with report.timed("plan"):
            batches = _cut(_new_chunks(tools, corpus.id, pages, report), pace.batch_chunks)
        plan = {
            "report": report.as_dict(), "newest": newest, "source_id": source_id,
            "extractor": tools.extractor.fingerprint,
        }  # fmt: skip
        return store_work(tools.ledger, lease, pages, batches, plan)


def _new_chunks(tools: Tools, corpus_id: int, pages: Mapping[str, StoredPage], report: RunReport) -> Chunks:
    """The input keys that have no stored extraction, each under the first page that has it."""
    users = inputs_of(pages, tools.extractor.fingerprint)
    known = known_extractions(tools.ledger, corpus_id, list(users), tools.extractor.fingerprint)
    report.chunks_reused = len(known)
    todo: dict[str, list[str]] = {}
    for key, (_, uris) in users.items():
        if key not in known:
            todo.setdefault(uris[0], []).append(key)
    return list(todo.items())


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
