"""Neo4j follows the ledger: brought up to date, compared, and where it stands."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from clausegraph.app.neo4j import opened_projection, opened_projections
from clausegraph.core.errors import StoreError
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import get_corpus

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.indexes.graph.protocol import GraphProjection
    from clausegraph.indexes.ledger.store import Ledger


def project_neo4j(workspace: Workspace, corpus: str, *, rebuild: bool = False, verify: bool = False) -> dict[str, Any]:
    """Bring Neo4j to the newest epoch of a corpus: where it stood, what was done, and, if asked, what differs.

    Raises:
        NotFoundError: no such corpus.
        LeaseHeldError: a run is writing to it.
        StoreError: Neo4j does not answer, or refuses.
    """
    from clausegraph.indexes.ledger.leases import run_lease

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


def projection_states(settings: Settings, ledger: Ledger, corpus_id: int) -> dict[str, dict[str, object]]:
    """Where every projection of the settings stands with a corpus, by name; "unknown" where it cannot be asked."""
    with opened_projections(settings, ledger) as projections:
        return {one.projection.name: _state(one.projection, corpus_id) for one in projections.followers}


def _state(projection: GraphProjection, corpus_id: int) -> dict[str, object]:
    try:
        return asdict(projection.status(corpus_id))
    except StoreError as error:
        return {"state": "unknown", "reason": str(error)}
