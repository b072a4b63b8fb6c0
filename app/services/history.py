"""Runs as a list to look through: what each did to the pages, what it cost, and what it did not use, by reason."""

from __future__ import annotations

from collections import Counter
from typing import Any

from clausegraph.app.services.listings import Key, Slice
from clausegraph.app.workspace import Workspace
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.runs import runs_before

_PAGES = ("added", "changed", "removed", "failed")


def run_summaries(workspace: Workspace, corpus: str, limit: int, after: Key | None = None) -> Slice:
    """Runs, newest first, each with ``summary``: None while it has no report.

    Raises:
        NotFoundError: no such corpus.
    """
    ledger = workspace.ledger
    before = None if after is None else (float(after[0]), str(after[1]))
    found = runs_before(ledger, get_corpus(ledger, corpus).id, limit + 1, before)
    items = [run | {"summary": _summary(run.pop("report"))} for run in found[:limit]]
    last = items[-1] if len(found) > limit else None
    return Slice(items, None if last is None else [last["started"], last["id"]])


def run_summary(record: dict[str, Any]) -> dict[str, Any] | None:
    """The summary of one run's record: pages, tokens, cost, and the reasons of its rejects, most frequent first."""
    return _summary(record["report"])


def _summary(report: Any) -> dict[str, Any] | None:
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
