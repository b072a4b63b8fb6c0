"""The ledger: one database per home folder, opened, checked, with its tables."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Select, inspect, select, text

from clausegraph.core.errors import SchemaError, SettingsError, require_extra
from clausegraph.indexes.ledger.dialect import Database
from clausegraph.indexes.ledger.schema import identity
from clausegraph.indexes.ledger.sqlite import SqliteDatabase

T = TypeVar("T")
SCHEMA_VERSION = "0016"
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
    """An open ledger: its ``database``, and the ``home`` folder for what lies beside it. Write transactions hold the
    lock from their beginning.

    What reads has connections of its own, which need no lock, and no right or room to write.
    """

    def __init__(self, home: Path, database: Database | None = None) -> None:
        self.home = home
        self.database: Database = database or SqliteDatabase(home)
        self.place = self.database.place
        self._joined = threading.local()

    def read(self) -> AbstractContextManager[Connection]:
        """A connection for reading one consistent state."""
        return self._joined_or(self.database.reading)

    def write(self) -> AbstractContextManager[Connection]:
        """A connection in a writing transaction: committed at the end, rolled back on an error."""
        return self._joined_or(self.database.writing)

    def beside(self) -> AbstractContextManager[Connection]:
        """As :meth:`write`, for what waits for nobody else who writes, where the database can do that."""
        return self._joined_or(partial(self.database.writing, alone=False))

    @contextmanager
    def _joined_or(self, begin: Callable[[], AbstractContextManager[Connection]]) -> Iterator[Connection]:
        """The transaction that this thread is in, else one of its own."""
        joined = getattr(self._joined, "connection", None)
        if joined is not None:
            yield joined
            return
        with self.database.errors(), begin() as connection:
            yield connection

    @contextmanager
    def as_one(self) -> Iterator[None]:
        """All that this thread reads and writes in the block is one writing transaction."""
        with self.write() as connection, self._join(connection):
            yield

    @contextmanager
    def publishing(self, last: Callable[[Connection], object]) -> Iterator[None]:
        """As :meth:`as_one`, while others write; ``last`` runs at its end, when nobody else does. A database in which
        a publish is no single transaction does nothing here: each write is its own."""
        if not self.database.publishes_at_once:
            yield
            return
        with self.beside() as connection:
            with self._join(connection):
                yield
            self.database.lock(connection)
            last(connection)

    @contextmanager
    def _join(self, connection: Connection) -> Iterator[None]:
        self._joined.connection = connection
        try:
            yield
        finally:
            self._joined.connection = None

    def has_tables(self) -> bool:
        """Whether it has its tables."""
        with self.read() as connection:
            seen = inspect(connection)  # a schema further down the path may have another ledger
            if not seen.has_table("alembic_version", seen.default_schema_name):
                return False
            found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        if found is None or found == SCHEMA_VERSION:
            return found is not None
        told = f"{self.place} has schema {found}, this ClauseGraph knows {SCHEMA_VERSION}"
        if str(found) > SCHEMA_VERSION:
            raise SchemaError(f"{told}: it was made by a newer version; upgrade with `pip install -U clausegraph`")
        raise SchemaError(
            f"{told}: it was made before the first release and cannot be brought over; {self.database.elsewhere}, and "
            "`clausegraph ingest` every source again"
        )

    def is_removal_promised(self) -> bool:
        """Whether a command that removes for good was cut off before it was done."""
        with self.read() as connection:
            return self.database.is_removal_promised(connection)

    def close(self) -> None:
        """Close every pooled connection."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_database(home: Path, address: str = "") -> Database:
    """The database of a ledger: the server at an address, the file of the home folder where there is none."""
    if not address:
        return SqliteDatabase(home)
    require_extra("postgres", "CLAUSEGRAPH_DATABASE", error=SettingsError)
    from clausegraph.indexes.ledger.postgres import PostgresDatabase

    return PostgresDatabase(address)


def open_ledger(home: Path, address: str = "", *, create: bool = True) -> Ledger:
    """Open a ledger for whoever changes it; where there is none, a new one is made."""
    database = open_database(home, address)
    with ExitStack() as undone:
        undone.callback(database.close)
        if create:
            database.make()
        elif not database.exists():
            raise _none_at(database.place)
        ledger = Ledger(home, database)
        if not ledger.has_tables():
            with ledger.write() as connection:
                _upgrade(connection)
                database.add_tables(connection)
        undone.pop_all()
    return ledger


def open_to_read(home: Path, address: str = "") -> Ledger:
    """Open a ledger for whoever only reads: nothing is made, changed or waited for."""
    ledger = Ledger(home, open_database(home, address))
    with ExitStack() as undone:
        undone.callback(ledger.close)
        if not ledger.database.exists() or not ledger.has_tables():
            raise _none_at(ledger.place)
        undone.pop_all()
    return ledger


def _none_at(place: str) -> SchemaError:
    return SchemaError(f"no ledger at {place}; run `clausegraph ingest SOURCE` first or set CLAUSEGRAPH_HOME")


def ledger_id(ledger: Ledger) -> str:
    """The id that the ledger was given when it was made."""
    found = ledger.value(select(identity.c.id))
    if found is None:
        raise SchemaError(f"{ledger.place} has lost its id (its table identity is empty); restore it from a backup")
    return str(found)


def _upgrade(connection: Connection) -> None:
    """Bring the ledger's schema to the newest version, in the connection's transaction."""
    from alembic import command  # readers do without it
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
