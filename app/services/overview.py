"""Corpora at a glance: what each holds, what changed, its runs and its cost, from rows that stay few as pages grow."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pydantic import Field
from sqlalchemy import func, select

from clausegraph.app.services import Record, attributes
from clausegraph.app.services.contradictions import count_contradictions
from clausegraph.app.services.cron import next_run
from clausegraph.app.services.history import ListedRun
from clausegraph.app.workspace import Workspace
from clausegraph.indexes.corpora import CorpusRow, current_holder, find_summary, list_runs, list_sources
from clausegraph.indexes.corpora import list_corpora as list_rows
from clausegraph.indexes.ledger.schema import budgets
from clausegraph.indexes.watches import count_watched


class CountedChange(Record):
    """How many pages or rules an epoch holds, and how many of them came and went with it; one that changed did both."""

    held: int
    came: int
    went: int


class CorpusOverview(Record):
    """A corpus as its published epoch is."""

    corpus: str
    published: int
    newest: int
    pages: CountedChange
    rules: CountedChange
    contradictions: int = Field(description="How many pairs are open.")
    last: ListedRun | None
    is_held: bool = Field(description="Whether a run is at work on it.")
    next: float | None = Field(description="When a run of it is scheduled, in seconds since 1970.")
    watched: dict[str, int]
    cost: float = Field(description="Of the runs whose reports are kept.")


def overview(workspace: Workspace, may_see: Callable[[str], bool]) -> list[CorpusOverview]:
    """The corpora that somebody may see, by name; nothing is read for each page or statement."""
    return [_of_corpus(workspace, row) for row in list_rows(workspace.ledger) if may_see(row.name)]


def list_corpora(workspace: Workspace) -> list[dict[str, Any]]:
    """Every corpus by name, with its epochs, its sources and the numbers of its pages and open contradictions."""
    ledger = workspace.ledger
    described = []
    for corpus in list_rows(ledger):
        shown = {"corpus": corpus.name} | attributes(corpus, "published newest")
        pages = find_summary(ledger, corpus.id, corpus.published).get("members", {}).get("held", 0)
        counts = {"pages": pages, "contradictions": count_contradictions(workspace, corpus)}
        described.append(shown | counts | {"sources": [one.name for one in list_sources(ledger, corpus.id)]})
    return described


def _of_corpus(workspace: Workspace, row: CorpusRow) -> CorpusOverview:
    ledger, scheduled = workspace.ledger, workspace.settings.corpora.get(row.name)
    summary, run = find_summary(ledger, row.id, row.published), next(iter(list_runs(ledger, row.id, 1)), None)
    due = next_run(scheduled.schedule, datetime.now(UTC)) if scheduled else None
    spent = ledger.value(
        select(func.coalesce(func.sum(budgets.c.used_money), 0.0)).where(budgets.c.corpus_id == row.id)
    )
    counted = (summary.get(table, {}) for table in ("members", "rules"))
    pages, rules = (
        CountedChange(held=of.get("held", 0), came=of.get("opened", 0), went=of.get("closed", 0)) for of in counted
    )
    return CorpusOverview.of(
        row, corpus=row.name, pages=pages, rules=rules, last=run and ListedRun.model_validate(run),
        is_held=current_holder(ledger, row.id) is not None, next=due and due.timestamp(),
        contradictions=count_contradictions(workspace, row),
        watched=count_watched(ledger, row.id), cost=float(spent),
    )  # fmt: skip
