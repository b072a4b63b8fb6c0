"""The ledger: one database per home folder, opened, checked, migrated."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, inspect, text

from clausegraph.core.errors import SchemaError
from clausegraph.indexes.files import file_errors, make_private
from clausegraph.indexes.ledger.dialect import compact, driver_errors, open_engine, writing

SCHEMA_VERSION = "0002"


class Reads(Protocol):
    """What can be read from: a ledger, or an epoch of it."""

    def read(self) -> AbstractContextManager[Connection]:
        """A connection for reading one consistent state."""


class Ledger:
    """An open ledger. Write transactions hold the lock from their beginning and are short; so are reads.

    ``home`` is the folder that holds ``ledger.db``, the vector segments and what is cached.
    """

    def __init__(self, home: Path, engine: Engine) -> None:
        self.home = home
        self.path = home / "ledger.db"
        self._engine = engine

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading one consistent state."""
        with driver_errors(self.path), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in a writing transaction: committed at the end, rolled back on an error."""
        with driver_errors(self.path), self._engine.connect() as raw:
            connection = writing(raw)
            with connection.begin():
                yield connection

    def compact(self) -> None:
        """Give the space of what was deleted back to the file system."""
        with driver_errors(self.path):
            compact(self.path)

    def cache_folder(self, corpus_id: int) -> Path:
        """Derived files of a corpus; deleting them costs time, never truth."""
        return self.home / "cache" / str(corpus_id)

    def close(self) -> None:
        """Close every pooled connection."""
        self._engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_ledger(home: Path, *, create: bool = True) -> Ledger:
    """Open the ledger of ``home``; a new one is made, an older one migrated.

    Raises:
        StorageError: the folder cannot be written, is on a network file system, or the file is damaged.
        SchemaError: made by a newer ClauseGraph, or absent while ``create`` is false.
    """
    path = home / "ledger.db"
    if not create and not path.exists():
        raise SchemaError(f"no ledger at {path}; run `clausegraph ingest SOURCE` first or set CLAUSEGRAPH_HOME")
    with file_errors(home), driver_errors(path):
        make_private(home)
        engine = open_engine(path)
        _check_schema(engine, path)
    return Ledger(home, engine)


def _check_schema(engine: Engine, path: Path) -> None:
    found = _schema_version(engine)
    if found == SCHEMA_VERSION:
        return
    if found is not None and found > SCHEMA_VERSION:
        raise SchemaError(
            f"{path} has schema {found}, this ClauseGraph knows {SCHEMA_VERSION}: it was made by a newer "
            "version; upgrade with `pip install -U clausegraph`"
        )
    from clausegraph.indexes.ledger.migrate import upgrade

    upgrade(engine)


def _schema_version(engine: Engine) -> str | None:
    if not inspect(engine).has_table("alembic_version"):
        return None
    with engine.connect() as connection:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if found is None else str(found)
