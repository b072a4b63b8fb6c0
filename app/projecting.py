"""From Settings to the Neo4j projection and its graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from core.errors import SettingsError
from core.settings import Settings

if TYPE_CHECKING:
    from indexes.graph.neo4j import Neo4jServer
    from indexes.graph.neo4j_projection import Neo4jProjection
    from indexes.graph.projections import Projections
    from indexes.ledger.store import Ledger

_TRANSACTION_S = 60.0  # no single transaction takes longer, whatever an epoch may take


def make_server(settings: Settings) -> Neo4jServer:
    """The Neo4j of the settings; nothing is sent yet. Close it.

    Raises:
        SettingsError: no password, or the driver is not installed.
    """
    try:
        from indexes.graph.neo4j import Address, Neo4jServer
    except ModuleNotFoundError as error:
        if error.name != "neo4j":
            raise
        raise SettingsError("Neo4j needs its driver: pip install 'clausegraph[neo4j]'") from error
    if settings.neo4j_password is None:
        raise SettingsError(
            "no password for Neo4j; set CLAUSEGRAPH_NEO4J_PASSWORD (`make neo4j` prints where that of its server is)"
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
    from indexes.graph.neo4j_projection import Neo4jProjection

    with Neo4jProjection(ledger, server, settings.neo4j_deadline) as projection:
        yield projection


@contextmanager
def opened_projections(settings: Settings, ledger: Ledger) -> Iterator[Projections]:
    """What publishing has to take along, as the mode of the settings says; closed at the end."""
    from indexes.graph.projections import Follower, Projections

    if settings.neo4j_mode == "off":
        yield Projections()
        return
    with opened_projection(settings, ledger) as projection:
        yield Projections((Follower(projection, required=settings.neo4j_mode == "required"),))
