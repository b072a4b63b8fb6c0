"""Runs the Alembic migrations that ship in ``indexes/ledger/migrations``."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine

from clausegraph.indexes.ledger.dialect import writing


def upgrade(engine: Engine) -> None:
    """Bring the ledger's schema to the newest version, in one transaction."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect() as raw:
        connection = writing(raw)
        with connection.begin():
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
