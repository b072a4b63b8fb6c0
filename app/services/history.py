"""Runs as a list to look through: what each did to the pages, what it cost, and what it did not use, by reason."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from clausegraph.app.services.listings import Key, Slice, reported_run_slice, without_report
from clausegraph.app.workspace import Workspace
from clausegraph.indexes.corpora import RUNNING, get_corpus
from clausegraph.indexes.ledger.schema import extractions, model_calls, page_versions
from clausegraph.indexes.work import batch_states

_PAGES = ("added", "changed", "removed", "failed")


def run_summaries(workspace: Workspace, corpus: str, limit: int, after: Key | None = None) -> Slice:
    """Runs, newest first, each with ``summary`` in place of its report.

    Raises:
        NotFoundError: no such corpus.
    """
    found = reported_run_slice(workspace, corpus, limit, after)
    return Slice([without_report(run) | {"summary": run_summary(run)} for run in found.items], found.after)


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is that is at work: what the ledger has of it so far.

    ``seconds`` since it began; ``batches`` of a run in steps, by their state; ``cost`` in the money of the settings.
    """

    seconds: float
    pages: int
    chunks: int
    calls: int
    tokens: int
    cost: float
    batches: dict[str, int]


def run_progress(workspace: Workspace, corpus: str, run: dict[str, Any]) -> RunProgress | None:
    """How far a run is, by its record; None for one that is not at work.

    Raises:
        NotFoundError: no such corpus.
    """
    if run["status"] != RUNNING:
        return None
    ledger, since = workspace.ledger, run["started"]
    number = get_corpus(ledger, corpus).id
    tokens = func.coalesce(model_calls.c.prompt_tokens, 0) + func.coalesce(model_calls.c.output_tokens, 0)
    asked = select(func.count(), func.coalesce(func.sum(tokens), 0), func.coalesce(func.sum(model_calls.c.money), 0.0))
    asked = asked.where(model_calls.c.corpus_id == number, model_calls.c.run_id == run["id"])
    read, extracted = (
        select(func.count()).where(table.c.corpus_id == number, when >= since)
        for table, when in ((page_versions, page_versions.c.fetched), (extractions, extractions.c.created))
    )
    with ledger.read() as connection:
        calls, used, money = connection.execute(asked).one()
        pages, chunks = (connection.execute(query).scalar_one() for query in (read, extracted))
    batches = batch_states(ledger, run["id"])
    return RunProgress(time.time() - since, pages, chunks, calls, int(used), float(money), batches)


def run_summary(run: dict[str, Any]) -> dict[str, Any] | None:
    """The pages, tokens and cost of a run's record, and the reasons of its rejects, most frequent first.

    None while it has no report.
    """
    report: Any = run["report"]
    if not report:
        return None
    used = list(report.get("usage", {}).values())
    reasons = Counter(str(one["reason"]) for key in ("failures", "rejects") for one in report.get(key, ()))
    return {
        "pages": {name: len(report.get(f"pages_{name}", ())) for name in _PAGES},
        "tokens": int(sum(one["prompt_tokens"] + one["output_tokens"] for one in used)),
        "cost": float(sum(one["money"] for one in used)),
        "reasons": reasons.most_common(),
        "epoch": report.get("epoch"),
        "error": report.get("error", ""),
    }
