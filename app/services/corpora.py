"""Corpora: what each holds, where its projections stand, what the home folder takes; and removing one."""

from __future__ import annotations

import shutil
import unicodedata
from dataclasses import asdict
from pathlib import Path
from typing import Any

from clausegraph.app.models import opened_projection, opened_projections
from clausegraph.app.services import attributes
from clausegraph.app.services.history import ListedRun, run_words
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, StoreError
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import (
    CorpusRow,
    EpochRow,
    SourceRow,
    count_pages,
    current_holder,
    find_corpus,
    find_run,
    get_corpus,
    get_run,
    list_epochs,
    list_runs,
    list_sources,
)
from clausegraph.indexes.corpora import list_corpora as list_rows
from clausegraph.indexes.files import file_errors
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.indexes.sweep import drop_corpus
from clausegraph.indexes.watches import count_watched


def list_sources_of(workspace: Workspace, corpus: str) -> list[SourceRow]:
    """The sources of a corpus; none where there is no such corpus yet."""
    row = find_corpus(workspace.ledger, corpus)
    return [] if row is None else list_sources(workspace.ledger, row.id)


def drop(workspace: Workspace, name: str) -> dict[str, Any]:
    """Remove a corpus with everything it has; ``remains`` says what could not be removed and why, ``lagging`` where a
    projection could not follow.
    """
    with workspace.projections() as projections:
        remains = drop_corpus(workspace.ledger, name)
        projections.dropped()
        return {"dropped": name, "remains": remains, "lagging": projections.problems}


def drop_named(workspace: Workspace, corpus: str, name: str) -> dict[str, Any]:
    """Remove a corpus, whose name was typed once more so that no slip does it; as :func:`drop`."""
    found = get_corpus(workspace.ledger, corpus).name
    if unicodedata.normalize("NFC", name) != found:
        raise InputError(f"corpus {found!r} stays: the name typed was {name[:80]!r}; type its name as it is")
    return drop(workspace, found)


def move(workspace: Workspace, name: str, target: str) -> dict[str, Any]:
    """Copy a corpus with all its epochs into another home, or into a database: the rows by table, and the epochs.

    Args:
        target: a folder, or an address of PostgreSQL as the setting ``database``.

    Raises:
        InputError: there is a corpus of that name.
    """
    from clausegraph.indexes.move import copy_corpus

    is_address = target.startswith(("postgresql:", "postgres:", "postgresql+psycopg:"))
    home = workspace.settings.home if is_address else Path(target).expanduser().absolute()
    with open_ledger(home, target if is_address else "") as ledger:
        return asdict(copy_corpus(workspace.ledger, ledger, name)) | {"corpus": name, "target": ledger.place}


def corpus_status(workspace: Workspace, corpus: str | None = None) -> list[dict[str, Any]]:
    """One corpus, or every one by name."""
    ledger = workspace.ledger
    rows = list_rows(ledger) if corpus is None else [get_corpus(ledger, corpus)]
    settings = workspace.settings
    return [_of_corpus(ledger, row) | {"projections": _projections(settings, ledger, row.id)} for row in rows]


def standing(workspace: Workspace, corpus: str) -> dict[str, Any]:
    """What the gate said of the published epoch where it misses its floor, and where each projection stands."""
    ledger, row = workspace.ledger, get_corpus(workspace.ledger, corpus)
    published = next((one for one in list_epochs(ledger, row.id) if one.number == row.published), None)
    return {
        "gate": _missed_gate(ledger, row, published),
        "projections": _projections(workspace.settings, ledger, row.id),
    }


def get_run_record(workspace: Workspace, corpus: str, run: str) -> dict[str, Any]:
    """A run with its report; ``told`` says in a sentence what became of it so far."""
    ledger = workspace.ledger
    found = get_run(ledger, get_corpus(ledger, corpus).id, run)
    return found | {"told": run_words(found)}


def _of_corpus(ledger: Ledger, corpus: CorpusRow) -> dict[str, Any]:
    counts = SqlGraph(ledger, corpus.id, corpus.published).counts()
    listed, of_sources = list_epochs(ledger, corpus.id), count_pages(ledger, corpus.id)
    runs, lease = list_runs(ledger, corpus.id, 5), current_holder(ledger, corpus.id)
    published = next((epoch for epoch in listed if epoch.number == corpus.published), None)
    return {
        "corpus": corpus.name,
        "published": corpus.published,
        "newest": corpus.newest,
        "gate": _missed_gate(ledger, corpus, published),
        "model": published and published.model,
        "epochs": len(listed),
        "pages": published.summary.get("members", {}).get("held", 0) if published else 0,
        "entities": counts.entities,
        "facts": counts.facts,
        "statements": counts.supports,
        "sources": [
            attributes(one, "name kind location") | {"pages": of_sources.get(one.id, 0)}
            for one in list_sources(ledger, corpus.id)
        ],
        "watched": count_watched(ledger, corpus.id),
        "running": None if lease is None else {"run": lease.run_id, "host": lease.host, "pid": lease.pid},
        "runs": [ListedRun.model_validate(run) for run in runs],
    }


def _missed_gate(ledger: Ledger, corpus: CorpusRow, published: EpochRow | None) -> dict[str, Any] | None:
    """What the gate said of the published epoch, where it misses the floor and was published all the same."""
    from clausegraph.ingestion.guards import GateVerdict

    run = find_run(ledger, corpus.id, published.run_id) if published else None
    report: Any = run["report"] if run else None
    gate = report and report.get("gate")
    return None if not gate or GateVerdict(**gate).is_met else gate


def project_neo4j(workspace: Workspace, corpus: str, *, rebuild: bool = False, verify: bool = False) -> dict[str, Any]:
    """Bring Neo4j to the newest epoch of a corpus: where it stood, what was done, and, if asked, what differs.

    Raises:
        StoreError: Neo4j does not answer, or refuses.
    """
    ledger = workspace.ledger_to_change()
    with opened_projection(workspace.settings, ledger) as projection:
        row = get_corpus(ledger, corpus)
        before = projection.status(row.id)
        with run_lease(ledger, row.id, "project-neo4j"):  # nobody publishes meanwhile
            report = projection.rebuild(row.id) if rebuild else projection.catch_up(row.id)
            found = projection.verify(row.id) if verify else None
    return {"before": asdict(before), "report": asdict(report), "differences": found}


def neo4j_status(workspace: Workspace, corpus: str) -> dict[str, Any]:
    """Where Neo4j stands with a corpus; errors as :func:`project_neo4j`."""
    with opened_projection(workspace.settings, workspace.ledger) as projection:
        return asdict(projection.status(get_corpus(workspace.ledger, corpus).id))


def _projections(settings: Settings, ledger: Ledger, corpus_id: int) -> dict[str, dict[str, object]]:
    """Where every projection of the settings stands with a corpus, by name; "unknown" where it cannot be asked."""
    with opened_projections(settings, ledger) as projections:
        if (one := projections.projection) is None:
            return {}
        try:
            return {one.name: asdict(one.status(corpus_id))}
        except StoreError as error:
            return {one.name: {"state": "unknown", "reason": str(error)}}


def disk_use(settings: Settings) -> dict[str, Any]:
    """Bytes by what lies in the home folder, largest first, their sum, and the bytes that are free.

    Raises:
        StorageError: the folder is not there or cannot be read.
    """
    home = settings.home
    with file_errors(home):
        sizes = {path.name: _bytes(path) for path in sorted(home.iterdir())}
        free = shutil.disk_usage(home).free
    parts = [{"name": name, "bytes": size} for name, size in sorted(sizes.items(), key=lambda one: -one[1])]
    return {"home": str(home), "parts": parts, "bytes": sum(sizes.values()), "free": free}


def _bytes(path: Path) -> int:
    """Of a file, or of all files of a folder; one that goes meanwhile takes nothing."""
    found = 0
    for one in path.rglob("*") if path.is_dir() else (path,):
        try:
            found += one.stat().st_size if one.is_file() else 0
        except FileNotFoundError:
            continue
    return found
