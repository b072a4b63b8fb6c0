"""From Settings to Neo4j: its server, what publishing takes along, and the graph that is read from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from clausegraph.core.errors import SettingsError, require_extra
from clausegraph.core.settings import Settings

if TYPE_CHECKING:
    from clausegraph.indexes.corpora import CorpusRow
    from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
    from clausegraph.indexes.graph.neo4j.server import Neo4jServer
    from clausegraph.indexes.graph.protocol import Graph, Projections
    from clausegraph.indexes.ledger.store import Ledger
    from clausegraph.indexes.views import GraphAt


_EPOCH_S = 600.0  # that Neo4j may take for an epoch
_TRANSACTION_S = 60.0  # no single transaction takes longer, whatever an epoch may take


def make_server(settings: Settings) -> Neo4jServer:
    """The Neo4j of the settings; nothing is sent yet. Close it.

    Raises:
        SettingsError: no password, or the driver is not installed.
    """
    require_extra("neo4j", "Neo4j", error=SettingsError)
    from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer

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
            _TRANSACTION_S,
        )
    )


@contextmanager
def opened_projection(settings: Settings, ledger: Ledger) -> Iterator[Neo4jProjection]:
    """The projection into the Neo4j of the settings, whatever their mode; closed at the end."""
    server = make_server(settings)
    from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection

    with Neo4jProjection(ledger, server, _EPOCH_S) as projection:
        yield projection


@contextmanager
def opened_projections(settings: Settings, ledger: Ledger) -> Iterator[Projections]:
    """What publishing has to take along, as the mode of the settings says; closed at the end."""
    from clausegraph.indexes.graph.protocol import Follower, Projections

    if settings.neo4j_mode == "off":
        yield Projections()
        return
    with opened_projection(settings, ledger) as projection:
        yield Projections((Follower(projection, required=settings.neo4j_mode == "required"),))


def graphs_of(server: Neo4jServer) -> GraphAt:
    """The graphs that a Neo4j has, for views."""
    from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
    from clausegraph.indexes.graph.neo4j.rows import GraphCorpus
    from clausegraph.indexes.ledger.store import ledger_id

    def graph_at(ledger: Ledger, corpus: CorpusRow, epoch: int) -> Graph:
        return Neo4jGraph(server, ledger_id(ledger), GraphCorpus(corpus.id, corpus.name), epoch)

    return graph_at
