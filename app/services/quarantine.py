"""Runs in quarantine: listed with why they were held, accepted or dropped by a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.services.ingest import as_retained, run_tools
from clausegraph.app.workspace import Workspace
from clausegraph.indexes.corpora import get_corpus, get_run, list_sources
from clausegraph.indexes.work import held_runs

if TYPE_CHECKING:
    from clausegraph.ingestion.report import RunReport
    from clausegraph.ingestion.tools import Progress


class HeldReason(Record):
    """What is with how many of how many pages of the source, or questions of the gate (``kind``), and some of them."""

    reason: str
    pages: int
    total: int
    examples: list[str]
    kind: str = "page"


class HeldRun(Record):
    """A run in quarantine: nothing of it is published before somebody accepts it."""

    id: str
    source: str
    started: float = Field(description="Seconds since 1970.")
    held: list[HeldReason]
    pages_added: list[str]
    pages_changed: list[str]
    pages_removed: list[str]


def list_held(workspace: Workspace, corpus: str) -> list[HeldRun]:
    """The runs of a corpus that are in quarantine, the last one first."""
    ledger = workspace.ledger
    number = get_corpus(ledger, corpus).id
    return [_shown(get_run(ledger, number, run)) for run in held_runs(ledger, number)]


def show_held(workspace: Workspace, corpus: str, run: str) -> HeldRun:
    """One of them; errors as :func:`accept_held`, but for the lease."""
    from clausegraph.ingestion.quarantine import held_work

    ledger = workspace.ledger
    number = get_corpus(ledger, corpus).id
    held_work(ledger, number, run)
    return _shown(get_run(ledger, number, run))


def accept_held(workspace: Workspace, corpus: str, run: str, who: str, progress: Progress | None = None) -> RunReport:
    """Publish what the run had read; nothing is fetched again.

    Raises:
        InputError: it is not in quarantine, as where a later run of its source has taken its place.
        LeaseHeldError: another run is writing to the corpus.
    """
    from clausegraph.ingestion.quarantine import accept
    from clausegraph.ingestion.sources import open_source
    from clausegraph.ingestion.tools import Options

    held = show_held(workspace, corpus, run)
    rows = list_sources(workspace.ledger, get_corpus(workspace.ledger, corpus).id)
    opened = [open_source(row.location, row.name) for row in rows if row.name == held.source]
    with run_tools(workspace, opened[0] if opened else None, progress) as tools:
        return accept(tools, corpus, run, who, as_retained(workspace.settings, Options()))


def drop_held(workspace: Workspace, corpus: str, run: str) -> HeldRun:
    """Let nothing of the run be published; what the corpus had stays. Errors as :func:`show_held`."""
    from clausegraph.ingestion.quarantine import drop

    found = show_held(workspace, corpus, run)
    drop(workspace.ledger_to_change(), corpus, run)
    return found


def _shown(row: Mapping[str, Any]) -> HeldRun:
    report = row["report"] or {}
    pages = {f"pages_{name}": report.get(f"pages_{name}", []) for name in ("added", "changed", "removed")}
    reasons = [HeldReason(**one) for one in report.get("held", ())]
    return HeldRun(id=row["id"], source=row["source"], started=row["started"], held=reasons, **pages)
