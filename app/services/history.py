"""Runs as a list to look through: what each did to the pages, what it cost, and what it did not use, by reason."""

from __future__ import annotations

from collections import Counter
from typing import Any

from clausegraph.app.services.listings import Key, Slice, reported_run_slice, without_report
from clausegraph.app.workspace import Workspace

_PAGES = ("added", "changed", "removed", "failed")


def run_summaries(workspace: Workspace, corpus: str, limit: int, after: Key | None = None) -> Slice:
    """Runs, newest first, each with ``summary`` in place of its report.

    Raises:
        NotFoundError: no such corpus.
    """
    found = reported_run_slice(workspace, corpus, limit, after)
    return Slice([without_report(run) | {"summary": run_summary(run)} for run in found.items], found.after)


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
