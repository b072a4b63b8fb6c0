"""Runs in quarantine: what a person decides about one. Accepted, it goes on with the pages that it had read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clausegraph.core.errors import InputError
from clausegraph.indexes.corpora import DROPPED, get_corpus, get_run
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.work import HELD, forget_work, planned_pages, read_steps, settle_held
from clausegraph.ingestion.changes import state_before
from clausegraph.ingestion.pipeline import SourceRead, extract_and_publish, hold, publish_without
from clausegraph.ingestion.report import RunReport, parts_from_json
from clausegraph.ingestion.run import Part, running
from clausegraph.ingestion.tools import Options, Tools


def accept(tools: Tools, corpus_name: str, run_id: str, who: str, options: Options = Options()) -> RunReport:
    """Publish what a run in quarantine had read, as ``pipeline.ingest`` does; nothing is fetched again.

    One that the gate holds is published without it; one that was held before is held by it then.
    One that fails or is stopped stays in quarantine, which one leaves when a later run of its source takes its place.
    """
    corpus = get_corpus(tools.ledger, corpus_name)
    left = held_work(tools.ledger, corpus.id, run_id)
    parts = parts_from_json(left["parts"])
    options = replace(options, gated=all(part.gate is None for part in parts))
    with running(tools, corpus, run_id, part=Part(begins=False)) as run:
        run.parts += parts
        accepted = run.add(RunReport(accepted_by=who))
        if "uris" in left:
            publish_without(tools, run, {int(source): uris for source, uris in left["uris"].items()}, options)
        else:
            before = state_before(tools.ledger, left["source_id"])
            read = SourceRead(left["source_id"], before, planned_pages(tools.ledger, run_id), left["removed"])
            extract_and_publish(tools, run, read, options)
            if options.gated and (missed := run.report.gate) and missed.held:
                run.parts.remove(accepted)
                hold(tools, run, read, [*parts, RunReport(held=missed.held, gate=missed)])
    if run.report.accepted_by:
        forget_work(tools.ledger, run_id)
    return run.report


def drop(ledger: Ledger, corpus_name: str, run_id: str) -> None:
    """Let nothing of a run in quarantine be published."""
    held_work(ledger, get_corpus(ledger, corpus_name).id, run_id)
    settle_held(ledger, run_id, DROPPED)


def held_work(ledger: Ledger, corpus_id: int, run_id: str) -> dict[str, Any]:
    """What a run left when it was held."""
    row = get_run(ledger, corpus_id, run_id)
    left = read_steps(ledger, run_id).get(HELD)
    if left is None:
        raise InputError(f"run {run_id} is not in quarantine: it is {row['status']}; see `clausegraph quarantine list`")
    return left
