"""The ledger: one database per home folder, opened, checked, with its tables."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, inspect, select, text

from clausegraph.core.errors import SchemaError
from clausegraph.indexes.files import file_errors, make_private
from clausegraph.indexes.ledger.dialect import (
    driver_errors,
    for_writing,
    make_database,
    open_for_reading,
    open_for_writing,
    read_transaction,
)
from clausegraph.indexes.ledger.schema import identity

T = TypeVar("T")
SCHEMA_VERSION = "0012"
_BATCH = 500  # bound parameters in one IN list


def batches(items: Sequence[T], size: int = _BATCH) -> Iterator[Sequence[T]]:
    """Consecutive slices of at most ``size`` items."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


class Reads:
    """What can be read from: a ledger, or an epoch of it."""

    def read(self) -> AbstractContextManager[Connection]:
        """A connection for reading one consistent state."""
        raise NotImplementedError

    def rows(self, query: Select[*tuple[Any, ...]]) -> Sequence[Row[Any]]:
        """The rows of a query."""
        with self.read() as connection:
            return connection.execute(query).all()

    def value(self, query: Select[*tuple[Any, ...]]) -> Any:
        """The first cell of the first row of a query; None where there is no row."""
        with self.read() as connection:
            return connection.execute(query.limit(1)).scalar()

    def rows_of(self, query: Select[Any], column: ColumnElement[Any], values: Iterable[Any]) -> Iterator[Row[Any]]:
        """The rows of a query whose column has one of these values."""
        for part in batches(list(dict.fromkeys(values))):
            yield from self.rows(query.where(column.in_(part)))


class Ledger(Reads):
    """An open ledger in its ``home`` folder. Write transactions hold the lock from their beginning.

    What reads has connections of its own, which need no lock, and no right or room to write.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.path = home / "ledger.db"
        self._readers = open_for_reading(self.path)
        self._writers: Engine | None = None
        self._opening = threading.Lock()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection for reading one consistent state."""
        with driver_errors(self.path), read_transaction(self._readers, self.path) as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection in a writing transaction: committed at the end, rolled back on an error."""
        with driver_errors(self.path), self._writing().connect() as raw:
            connection = for_writing(raw)
            with connection.begin():
                yield connection

    def has_tables(self) -> bool:
        """Whether it has its tables."""
        with self.read() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return False
            found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        if found is None or found == SCHEMA_VERSION:
            return found is not None
        told = f"{self.path} has schema {found}, this ClauseGraph knows {SCHEMA_VERSION}"
        if str(found) > SCHEMA_VERSION:
            raise SchemaError(f"{told}: it was made by a newer version; upgrade with `pip install -U clausegraph`")
        raise SchemaError(
            f"{told}: it was made before the first release and cannot be brought over; move {self.home} away, and "
            "`clausegraph ingest` every source again"
        )

    def make_tables(self) -> None:
        """Make the tables where there are none."""
        if not self.has_tables():
            with driver_errors(self.path):
                _upgrade(self._writing())

    def close(self) -> None:
        """Close every pooled connection. Those that write go last: they tidy up the log, which readers may not."""
        self._readers.dispose()
        if self._writers is not None:
            self._writers.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _writing(self) -> Engine:
        with self._opening:
            if self._writers is None:
                self._writers = open_for_writing(self.path)
            return self._writers


def open_ledger(home: Path, *, create: bool = True) -> Ledger:
    """Open the ledger of ``home`` for whoever changes it; where there is none, a new one is made."""
    path = home / "ledger.db"
    with file_errors(home), driver_errors(path):
        if create:
            make_private(home)
            make_database(path)
        elif not path.exists():
            raise _none_at(path)
    ledger = Ledger(home)
    ledger.make_tables()
    return ledger


def open_to_read(home: Path) -> Ledger:
    """Open the ledger of ``home`` for whoever only reads: nothing is made, changed or waited for."""
    ledger = Ledger(home)
    with file_errors(home):
        exists = ledger.path.exists()
    if not exists or not ledger.has_tables():
        raise _none_at(ledger.path)
    return ledger


def _none_at(path: Path) -> SchemaError:
    return SchemaError(f"no ledger at {path}; run `clausegraph ingest SOURCE` first or set CLAUSEGRAPH_HOME")


def ledger_id(ledger: Ledger) -> str:
    """The id that the ledger was given when it was made."""
    found = ledger.value(select(identity.c.id))
    if found is None:
        raise SchemaError(f"{ledger.path} has lost its id (its table identity is empty); restore it from a backup")
    return str(found)


def _upgrade(engine: Engine) -> None:
    """Bring the ledger's schema to the newest version, in one transaction."""
    from alembic import command  # readers do without it
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    with engine.connect() as raw:
        connection = for_writing(raw)
        with connection.begin():
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
