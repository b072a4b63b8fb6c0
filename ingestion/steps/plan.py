"""The first step: take the corpus, read what is new or changed, cut its new chunks into batches."""

from __future__ import annotations

from clausegraph.core.tokens import FINGERPRINT as TOKENIZER
from clausegraph.indexes.corpora import check_corpus_name, ensure_corpus
from clausegraph.indexes.work import Chunks, store_work
from clausegraph.ingestion.changes import check_location, peek
from clausegraph.ingestion.pipeline import find_chunks, read_source, settle
from clausegraph.ingestion.run import Part, running
from clausegraph.ingestion.sources import Source
from clausegraph.ingestion.sources.source import FetchedSource
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
        InputError: a corpus cannot have that name.
        LeaseHeldError: another run is writing to the corpus.
    """
    corpus_name = check_corpus_name(corpus_name)
    documents = None if isinstance(source, FetchedSource) else peek(source, options)
    if options.dry_run:
        return []
    corpus = ensure_corpus(tools.ledger, corpus_name, {"tokenizer": TOKENIZER})
    check_location(tools.ledger, corpus, source, options)
    with running(tools, corpus, run_id, source.name, part=Part("plan", ends=False, lease_s=pace.lease_s)) as run:
        with run.timed("read"):
            read = read_source(tools, run, source, documents, options)
        with run.timed("plan"):
            batches = _cut(find_chunks(tools, run, read).missing, pace.batch_chunks)
        plan = Planned(read.changes, run.corpus.newest, read.source_id, tools.extractor.fingerprint)
        stored = store_work(tools.ledger, run.lease, read.pages, batches, plan.left(run.results))
        settle(source)
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
