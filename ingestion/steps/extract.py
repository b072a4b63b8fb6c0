"""The second step, in any number of processes: batches of chunks are claimed and extracted."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing

from clausegraph.core.extraction import Extracted, extract_all
from clausegraph.indexes.corpora import CorpusRow, get_corpus
from clausegraph.indexes.truth import known_extractions, stored_extractions
from clausegraph.indexes.work import Claim, batch_states, claim_batch, finish_batch, lost_claim, planned_pages
from clausegraph.ingestion.extracting import (
    ChunkWork,
    extracted_chunks,
    inputs_of,
    problems_of,
    store_as_they_come,
)
from clausegraph.ingestion.results import Timed, results_to_json
from clausegraph.ingestion.run import Part, running
from clausegraph.ingestion.steps.step import Pace, check_same, planned
from clausegraph.ingestion.tools import Tools

_POLL_S = 0.5


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
        check_same(tools.extractor.fingerprint, planned(tools.ledger, run_id).extractor, "extractor")
        return _extract(tools, corpus, run_id, claim)


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


def _extract(tools: Tools, corpus: CorpusRow, run_id: str, claim: Claim) -> dict[str, int]:
    start = time.perf_counter()
    extractor = tools.extractor.fingerprint
    wanted = [key for _, keys in claim.chunks for key in keys]
    known = frozenset(known_extractions(tools.ledger, corpus.id, wanted, extractor))
    pages = planned_pages(tools.ledger, run_id, [uri for uri, _ in claim.chunks])
    todo = [(uri, [key for key in keys if key not in known]) for uri, keys in claim.chunks]
    work = ChunkWork(inputs_of(pages, extractor), known).inputs([(uri, keys) for uri, keys in todo if keys])
    results = _while_ours(extract_all(tools.extractor, work), claim)
    problems = problems_of(list(store_as_they_come(tools, corpus.id, results, len(wanted) - len(known))))
    # of all chunks, whichever attempt at the batch extracted them: the run's report has each once
    stored = stored_extractions(tools.ledger, corpus.id, [key for key in wanted if key not in problems], extractor)
    extracted = extracted_chunks(tools, list(stored.values()), problems)
    timed = Timed("extract", round(time.perf_counter() - start, 3))
    finish_batch(tools.ledger, claim, {"results": results_to_json([extracted, timed])})
    return {"extracted": extracted.count - len(known), "reused": len(known), "failed": len(problems)}


def _while_ours(results: Generator[Extracted], claim: Claim) -> Generator[Extracted]:
    """The results until another worker takes the batch; what has come is stored all the same."""
    with closing(results):
        for result in results:
            yield result
            if claim.lost.is_set():
                raise lost_claim(claim)
