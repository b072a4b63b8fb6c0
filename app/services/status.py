"""What there is: corpora with their sources, what their published epoch holds, their last runs, their projections."""

from __future__ import annotations

from typing import Any

from clausegraph.app.services.browse import open_shelf
from clausegraph.app.services.projecting import projection_states
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.indexes.corpora import (
    CorpusRow,
    current_holder,
    get_corpus,
    get_run,
    list_corpora,
    list_epochs,
    list_runs,
    list_sources,
)
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.ledger.store import Ledger


def corpus_status(workspace: Workspace, corpus: str | None = None) -> list[dict[str, Any]]:
    """One corpus, or every one by name.

    Raises:
        NotFoundError: no such corpus.
    """
    ledger = workspace.ledger
    rows = list_corpora(ledger) if corpus is None else [get_corpus(ledger, corpus)]
    return [
        _of_corpus(ledger, row) | {"projections": projection_states(workspace.settings, ledger, row.id)} for row in rows
    ]


def get_run_record(workspace: Workspace, corpus: str, run: str) -> dict[str, Any]:
    """A run with its report.

    Raises:
        NotFoundError: no such corpus or run, or vacuum has removed its report.
    """
    ledger = workspace.ledger
    return get_run(ledger, get_corpus(ledger, corpus).id, run)


def _of_corpus(ledger: Ledger, corpus: CorpusRow) -> dict[str, Any]:
    counts = SqlGraph(ledger, corpus.id, corpus.published).counts()
    listed = list_epochs(ledger, corpus.id)
    runs, lease = list_runs(ledger, corpus.id, 5), current_holder(ledger, corpus.id)
    return {
        "corpus": corpus.name,
        "published": corpus.published,
        "newest": corpus.newest,
        "model": next((epoch.model for epoch in listed if epoch.number == corpus.published), None),
        "epochs": len(listed),
        "pages": _page_count(ledger, corpus),
        "entities": counts.entities,
        "facts": counts.facts,
        "statements": counts.supports,
        "sources": [
            {"name": s.name, "kind": s.kind, "location": s.location, "pages": s.pages}
            for s in list_sources(ledger, corpus.id)
        ],
        "running": None if lease is None else {"run": lease.run_id, "host": lease.host, "pid": lease.pid},
        "runs": [{key: run[key] for key in ("id", "kind", "source", "started", "ended", "status")} for run in runs],
    }


def _page_count(ledger: Ledger, corpus: CorpusRow) -> int:
    try:
        return len(open_shelf(ledger, corpus.name).versions())
    except NotFoundError:  # nothing published yet
        return 0
