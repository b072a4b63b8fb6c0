"""From Settings to Neo4j: what publishing takes along, and the graph that is read from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from clausegraph.core.errors import SettingsError, StoreError
from clausegraph.core.settings import Settings
from clausegraph.indexes.corpora import CorpusRow, get_corpus

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
    from clausegraph.indexes.graph.neo4j.server import Neo4jServer
    from clausegraph.indexes.graph.projections import Projections
    from clausegraph.indexes.graph.protocol import Graph, GraphProjection
    from clausegraph.indexes.ledger.store import Ledger
    from clausegraph.indexes.views import GraphAt

_TRANSACTION_S = 60.0  # no single transaction takes longer, whatever an epoch may take


def make_server(settings: Settings) -> Neo4jServer:
    """The Neo4j of the settings; nothing is sent yet. Close it.

    Raises:
        SettingsError: no password, or the driver is not installed.
    """
    try:
        from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
    except ModuleNotFoundError as error:
        if error.name != "neo4j":
            raise
        raise SettingsError("Neo4j needs its driver: pip install 'clausegraph[neo4j]'") from error
    if settings.neo4j_password is None:
        raise SettingsError(
            "no password for Neo4j; set CLAUSEGRAPH_NEO4J_PASSWORD (`clausegraph server neo4j` starts a Neo4j and says "
            "where its password is)"
        )
    return Neo4jServer(
        Address(
            settings.neo4j_uri,
            settings.neo4j_user,
            settings.neo4j_password.get_secret_value(),
            settings.neo4j_database,
            min(_TRANSACTION_S, settings.neo4j_deadline),
        )
    )


@contextmanager
def opened_projection(settings: Settings, ledger: Ledger) -> Iterator[Neo4jProjection]:
    """The projection into the Neo4j of the settings, whatever their mode; closed at the end."""
    server = make_server(settings)
    from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection

    with Neo4jProjection(ledger, server, settings.neo4j_deadline) as projection:
        yield projection


@contextmanager
def opened_projections(settings: Settings, ledger: Ledger) -> Iterator[Projections]:
    """What publishing has to take along, as the mode of the settings says; closed at the end."""
    from clausegraph.indexes.graph.projections import Follower, Projections

    if settings.neo4j_mode == "off":
        yield Projections()
        return
    with opened_projection(settings, ledger) as projection:
        yield Projections((Follower(projection, required=settings.neo4j_mode == "required"),))


def project_neo4j(workspace: Workspace, corpus: str, *, rebuild: bool = False, verify: bool = False) -> dict[str, Any]:
    """Bring Neo4j to the newest epoch of a corpus: where it stood, what was done, and, if asked, what differs.

    Raises:
        NotFoundError: no such corpus.
        LeaseHeldError: a run is writing to it.
        StoreError: Neo4j does not answer, or refuses.
    """
    from clausegraph.indexes.ledger.leases import run_lease

    with opened_projection(workspace.settings, workspace.ledger) as projection:
        row = get_corpus(workspace.ledger, corpus)
        before = projection.status(row.id)
        with run_lease(workspace.ledger, row.id, "project-neo4j"):  # nobody publishes meanwhile
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


@contextmanager
def opened_graphs(settings: Settings) -> Iterator[GraphAt | None]:
    """Where views read their graph from, as the settings say: None for the ledger; closed at the end."""
    if settings.graph == "ledger":
        yield None
        return
    with make_server(settings) as server:
        yield graphs_of(server)


def graphs_of(server: Neo4jServer) -> GraphAt:
    """The graphs that a Neo4j has, for views."""
    from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
    from clausegraph.indexes.graph.neo4j.keys import GraphCorpus
    from clausegraph.indexes.ledger.identity import ledger_id

    def graph_at(ledger: Ledger, corpus: CorpusRow, epoch: int) -> Graph:
        return Neo4jGraph(server, ledger_id(ledger), GraphCorpus(corpus.id, corpus.name), epoch)

    return graph_at
