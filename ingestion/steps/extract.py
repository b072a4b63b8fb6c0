"""The second step, in any number of processes: batches of chunks are claimed and extracted."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing

from clausegraph.core.extraction import Extracted, PageInputs, extract_all
from clausegraph.indexes.corpora import CorpusRow, get_corpus
from clausegraph.indexes.truth import known_extractions
from clausegraph.indexes.work import (
    Claim,
    batch_states,
    claimed,
    finish_batch,
    lost_claim,
    planned_pages,
    read_steps,
)
from clausegraph.ingestion.pipeline import Tools, inputs_of, store_as_they_come
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.steps.step import Pace, check_same, step

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
    with (
        step(tools, corpus, run_id, "extract", pace),
        claimed(tools.ledger, run_id, batch_id, pace.claim_s) as claim,
    ):
        if claim is None:
            return None
        check_same(tools.extractor.fingerprint, read_steps(tools.ledger, run_id)["plan"]["extractor"], "extractor")
        tools.meter.start(corpus.id, run_id)
        try:
            return _extract(tools, corpus, run_id, claim)
        finally:
            tools.meter.stop()


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
    report = RunReport(run_id, corpus.name, "")
    users = inputs_of(
        planned_pages(tools.ledger, run_id, [uri for uri, _ in claim.chunks]), tools.extractor.fingerprint
    )
    wanted = [key for _, keys in claim.chunks for key in keys]
    known = known_extractions(tools.ledger, corpus.id, wanted, tools.extractor.fingerprint)
    work = [
        PageInputs(uri, tuple(users[key][0] for key in keys if key not in known))
        for uri, keys in claim.chunks
        if not known.issuperset(keys)
    ]
    results = _while_ours(extract_all(tools.extractor, work), claim)
    with report.timed("extract"):
        failed = store_as_they_come(tools, corpus.id, results, len(wanted) - len(known), report)
    finish_batch(tools.ledger, claim, {"failed": failed, "seconds": round(time.perf_counter() - start, 3)})
    return {"extracted": report.chunks_extracted, "reused": len(known), "failed": len(failed)}


def _while_ours(results: Generator[Extracted], claim: Claim) -> Generator[Extracted]:
    """The results until another worker takes the batch; what has come is stored all the same."""
    with closing(results):
        for result in results:
            yield result
            if claim.lost.is_set():
                raise lost_claim(claim)
