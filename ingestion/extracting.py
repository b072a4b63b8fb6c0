"""The extract step: which chunks no stored extraction covers, and making those, stored as they come."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from clausegraph.core.extraction import (
    Extracted,
    Extraction,
    ExtractionInput,
    PageInputs,
    Reject,
    extraction_inputs,
    scope_of,
)
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import OpenMember, StoredPage, known_extractions, open_chunks, store_extractions
from clausegraph.indexes.work import Chunks
from clausegraph.ingestion.changes import chunk_reason
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.tools import Tools

_CHUNKS_AT_ONCE = 200  # stored in one transaction
_SECONDS_UNSTORED = 2.0  # a model's replies are worth money: none waits longer than this to be stored

Users = Mapping[str, Sequence[str]]  # input key → the uris that have it


@dataclass(frozen=True, slots=True)
class ChunkWork:
    """The different chunks of the pages of a run, and which of them have a stored extraction."""

    pages: Mapping[str, StoredPage]
    extractor: str
    users: Users
    known: frozenset[str]

    @property
    def missing(self) -> Chunks:
        """Keys without an extraction, each under the first page that has it."""
        found: dict[str, list[str]] = {}
        for key, uris in self.users.items():
            if key not in self.known:
                found.setdefault(uris[0], []).append(key)
        return list(found.items())

    def inputs(self, chunks: Chunks) -> Iterator[PageInputs]:
        """What an extractor is given of these keys, a page after the other."""
        for uri, keys in chunks:
            made = {one.key: one for one in _inputs(self.pages[uri], self.extractor)}
            yield PageInputs(uri, tuple(made[key] for key in keys))


def chunk_work(ledger: Ledger, corpus_id: int, pages: Mapping[str, StoredPage], extractor: str) -> ChunkWork:
    """The chunks of these pages, for the extractor of that fingerprint."""
    users = inputs_of(pages, extractor)
    return ChunkWork(pages, extractor, users, frozenset(known_extractions(ledger, corpus_id, list(users), extractor)))


def inputs_of(pages: Mapping[str, StoredPage], extractor: str) -> Users:
    """The key of every different extraction input of the pages, with the uris that have it, in page order."""
    found: dict[str, list[str]] = {}
    for uri, page in pages.items():
        for chunk_input in _inputs(page, extractor):
            found.setdefault(chunk_input.key, []).append(uri)
    return found


def _inputs(page: StoredPage, extractor: str) -> Iterator[ExtractionInput]:
    return (one for one, _ in extraction_inputs(page.reading, scope_of(extractor, page.page_id)))


def chunks_found(
    ledger: Ledger, pages: Mapping[str, StoredPage], work: ChunkWork, before: Mapping[str, OpenMember], extractor: str
) -> RunReport:
    """How many chunks are reused, and why each chunk of a changed page is not."""
    missing = {uri: set(keys) for uri, keys in work.missing if uri in before}
    was = open_chunks(ledger, [before[uri].page_id for uri in missing])
    why: dict[str, dict[str, list[str]]] = {}
    for uri, keys in missing.items():
        reading, member = pages[uri].reading, before[uri]
        inputs = extraction_inputs(reading, scope_of(extractor, member.page_id))
        for chunk, (chunk_input, _) in zip(reading.chunks, inputs, strict=True):
            if chunk_input.key in keys:
                same = member.extractor == extractor
                reason = chunk_reason(chunk.content_hash, chunk_input.key, was.get(member.page_id, {}), same)
                why.setdefault(uri, {}).setdefault(reason, []).append(chunk.key)
    return RunReport(chunks_reused=len(work.known), chunks_why=why)


@dataclass(frozen=True, slots=True)
class ChunksExtracted:
    """What a report says of chunks that were extracted; for those that could not be, the problem by input key."""

    part: RunReport
    problems: dict[str, str] = field(default_factory=dict)


def store_as_they_come(
    tools: Tools, corpus_id: int, results: Generator[Extracted], total: int
) -> Iterator[ChunksExtracted]:
    """Store extractions in batches, also when the work is stopped, and yield what was stored of each."""
    made: dict[str, Extraction] = {}
    problems: dict[str, str] = {}
    last, done, failed = time.monotonic(), 0, 0

    def stored() -> ChunksExtracted:
        nonlocal done
        store_extractions(tools.ledger, corpus_id, tools.extractor.fingerprint, made)
        extracted = extracted_chunks(tools, list(made.values()), problems)
        done += len(made)
        made.clear()
        problems.clear()
        return extracted

    try:
        with closing(results):
            for result in results:
                if result.extraction is None:
                    problems[result.key] = result.problem
                    failed += 1
                else:
                    made[result.key] = result.extraction
                tools.progress("extract", done + len(made) + failed, total, failed)
                if len(made) >= _CHUNKS_AT_ONCE or (made and time.monotonic() - last > _SECONDS_UNSTORED):
                    yield stored()
                    last = time.monotonic()
    finally:
        if made or problems:  # neither when the generator is closed: that happens where it yields
            yield stored()


def extracted_chunks(tools: Tools, extractions: Sequence[Extraction], problems: Mapping[str, str]) -> ChunksExtracted:
    """What a report says of these extractions."""
    part = RunReport(
        chunks_extracted=len(extractions),
        rejects=[reject for extraction in extractions for reject in extraction.rejects],
    )
    return ChunksExtracted(part, dict(problems))


def pages_failed(users: Users, problems: Mapping[str, str]) -> RunReport:
    """The pages that chunks with a problem leave incomplete, one failure a chunk: they stay as they were."""
    return RunReport(failures=[Reject(uri, problem) for key, problem in problems.items() for uri in users[key]])


def complete(pages: Mapping[str, StoredPage], failed: RunReport) -> list[StoredPage]:
    """The pages that have all their extractions."""
    incomplete = {failure.what for failure in failed.failures}
    return [page for uri, page in pages.items() if uri not in incomplete]


def problems_of(parts: Iterable[ChunksExtracted]) -> dict[str, str]:
    """Problems by input key, of all parts."""
    return {key: problem for part in parts for key, problem in part.problems.items()}
