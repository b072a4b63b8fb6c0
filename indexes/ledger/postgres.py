"""Everything of the ledger that only PostgreSQL has: its address, transactions, locks, clean-up and errors.

Whoever writes takes one lock of the ledger first, for a short transaction, as with a file of SQLite. A publish is one
long transaction that takes this lock at its end alone: what it writes is of its corpus, whose lease it checks then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any
from weakref import WeakSet

import psycopg
from pgvector.psycopg.vector import register_vector_info
from psycopg.types import TypeInfo
from psycopg.types.numeric import FloatLoader, IntLoader
from sqlalchemy import URL, Connection, Table, create_engine, event, func, make_url, select, text
from sqlalchemy.dialects.sqlite.dml import OnConflictDoNothing, OnConflictDoUpdate
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.compiler import compiles

from clausegraph.core.errors import InputError, SettingsError, StorageError
from clausegraph.core.secrets import mask, register_secret
from clausegraph.indexes.ledger.dialect import interrupts_held, value_errors

WAIT_S = 30  # for a lock
_AS = "write it as CLAUSEGRAPH_DATABASE=postgresql://USER:PASSWORD@HOST/DATABASE"
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('clausegraph ' || current_schema(), 0))")
_TABLES = (
    "CREATE TABLE IF NOT EXISTS removal_promises (given boolean PRIMARY KEY)",
    """CREATE TABLE IF NOT EXISTS vector_data (
        corpus_id bigint NOT NULL, name text COLLATE "C" NOT NULL, part text COLLATE "C" NOT NULL,
        place integer NOT NULL, id bigint NOT NULL, dimension integer NOT NULL, data vector NOT NULL,
        PRIMARY KEY (corpus_id, name, place)
    )""",
    "CREATE INDEX IF NOT EXISTS vector_data_first ON vector_data (corpus_id, name) WHERE place = 0",
    "CREATE INDEX IF NOT EXISTS vector_data_part ON vector_data (corpus_id, part, dimension)",
)  # vector_data: see vectors/pgvector.py


_opened: WeakSet[PostgresDatabase] = WeakSet()
os.register_at_fork(after_in_child=lambda: [*map(PostgresDatabase.forget_connections, _opened)])


@compiles(OnConflictDoNothing, "postgresql")
@compiles(OnConflictDoUpdate, "postgresql")
def _on_conflict(clause: Any, compiler: Any, **options: Any) -> str:
    """The same SQL in both databases, but SQLAlchemy's clause of PostgreSQL may name a constraint as well."""
    clause.constraint_target = None
    compiled: str = getattr(compiler, f"visit_{clause.__visit_name__}")(clause, **options)
    return compiled


class _NumericLoader(FloatLoader):
    """Sums of large integers are numerics without a fraction; nothing else is one."""

    def load(self, data: Any) -> Any:
        return IntLoader(self.oid, self.connection).load(data) if b"." not in bytes(data) else super().load(data)


class PostgresDatabase:
    """The ``Database``, which documents the methods, in a schema of a database of a server."""

    kind = "postgresql"
    elsewhere = "give CLAUSEGRAPH_DATABASE another database"
    publishes_at_once = True

    def __init__(self, address: str) -> None:
        url = _parsed(address)
        self.place = _shown(url)
        self._engine = create_engine(
            url, isolation_level="READ COMMITTED", pool_pre_ping=True, max_overflow=25, use_native_hstore=False
        )
        event.listen(self._engine, "connect", _configure)
        _opened.add(self)

    def exists(self) -> bool:
        return True  # what is not there, an error of the server names

    def make(self) -> None:
        with self.errors(), self.writing(alone=False) as connection:
            if connection.execute(text("SELECT to_regtype('vector')")).scalar() is not None:
                return
            self.lock(connection)  # two at once would both make it
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
        self.close()  # connections made before do not know the type

    def add_tables(self, connection: Connection) -> None:
        for statement in _TABLES:
            connection.execute(text(statement))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        one_state = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        with self._engine.connect().execution_options(**one_state) as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self, *, alone: bool = True) -> Iterator[Connection]:
        with interrupts_held() if alone else nullcontext(), self._engine.connect() as connection, connection.begin():
            if alone:
                self.lock(connection)
            yield connection

    @contextmanager
    def outside(self) -> Iterator[Connection]:
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("SET lock_timeout = 0"))  # others may be in long transactions
            try:
                yield connection
            finally:
                connection.execute(text(f"SET lock_timeout = '{WAIT_S}s'"))

    def lock(self, connection: Connection) -> None:
        connection.execute(_LOCK)

    @contextmanager
    def errors(self) -> Iterator[None]:
        try:
            with value_errors(self.place, lambda wrong: "?"):
                yield
        except DBAPIError as error:
            raise self._explained(error.orig) from error.orig  # which has no values of the statement
        except psycopg.Error as error:
            raise self._explained(error) from error

    def now(self, connection: Connection) -> float:
        return float(connection.execute(text("SELECT extract(epoch FROM clock_timestamp())::float8")).scalar_one())

    def last_id(self, connection: Connection, table: Table) -> int:
        highest = int(connection.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one())
        given = connection.execute(text(f"SELECT last_value FROM {table.name}_id_seq")).scalar_one()  # noqa: S608
        return max(highest, int(given))

    def follow_ids(self, connection: Connection, table: Table) -> None:
        connection.execute(text("SELECT setval(:name, :last)"), {
            "name": f"{table.name}_id_seq", "last": max(1, self.last_id(connection, table)),
        })  # fmt: skip

    def promise_removal(self, connection: Connection, *, kept: bool = False) -> None:
        given = "INSERT INTO removal_promises VALUES (true) ON CONFLICT DO NOTHING"
        connection.execute(text("DELETE FROM removal_promises" if kept else given))

    def is_removal_promised(self, connection: Connection) -> bool:
        return connection.execute(text("SELECT given FROM removal_promises")).scalar() is not None

    def compact(self) -> None:
        """The server does so by itself."""

    def rewrite(self) -> str:
        """Its server uses the room of deleted rows again from then on; backups and its log are its operator's."""
        tables = self._of_classes("relname", "relkind = 'r'")
        with self.errors(), self.outside() as connection:
            connection.execute(text(f"VACUUM (ANALYZE) {', '.join(tables)}"))
        return ""

    def damage(self) -> str:
        """Indexes that the server itself holds to be unusable; of the rest it makes sure as it reads."""
        invalid = "EXISTS (SELECT FROM pg_index WHERE indexrelid = oid AND NOT indisvalid)"
        found = self._of_classes("relname", invalid)
        return f"indexes {', '.join(found)} are not valid; run REINDEX on them" if found else ""

    def size(self) -> int:
        return sum(self._of_classes("pg_total_relation_size(oid)", "relkind = 'r'"))

    def _of_classes(self, column: str, condition: str) -> list[Any]:
        """What the server says of the tables and indexes of the schema."""
        query = f"SELECT {column} FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND {condition}"  # noqa: S608
        with self.errors(), self.reading() as connection:
            return list(connection.execute(text(query)).scalars())

    def close(self) -> None:
        self._engine.dispose()

    def forget_connections(self) -> None:
        """In a process made by ``fork``: those of its parent stay the parent's."""
        self._engine.dispose(close=False)

    def _explained(self, error: BaseException | None) -> StorageError | InputError:
        """The error in words, with what to do about it."""
        reason = mask(" ".join(str(error).split()))[:300]
        state = str(getattr(error, "sqlstate", None) or "")
        if "NUL" in reason and not state:
            return InputError(f"a text given has a NUL character, which {self.place} does not store; remove it")
        for codes, words, said in _REASONS:
            if (state and state.startswith(codes)) or (words and any(word in reason for word in words)):
                made = InputError if codes[0] in ("22", "54000") else StorageError
                return made(said.format(place=self.place, wait=WAIT_S, reason=reason))
        return StorageError(f"{self.place}: {reason}")


# First those of a statement, by the beginning of their SQLSTATE; what a server answers before that has words alone.
_REASONS: tuple[tuple[tuple[str, ...], tuple[str, ...], str], ...] = (
    (("53100",), ("No space left",),
     "the disk of {place} is full ({reason}); free some space and run again: nothing was published"),
    (("53300",), ("too many clients", "remaining connection slots"),
     "{place} takes no more connections ({reason}); raise its max_connections, or run fewer processes"),
    (("40P01", "40001"), (), "{place}: another transaction was in the way ({reason}); run again: nothing was changed"),
    (("55P03",), (), "{place} stayed locked for {wait} s ({reason}); another process is writing to it"),
    (("57014",), (), "{place} ended a statement at its statement_timeout ({reason}); raise it for this user"),
    (("25006",), (), "{place} only reads ({reason}); name the server that takes writes in CLAUSEGRAPH_DATABASE"),
    (("58P01", "0A000"), ('extension "vector"',),
     "{place} has no extension pgvector ({reason}); install it on the server, version 0.8 or newer"),
    (("28",), ("authentication failed", "no password supplied", "no pg_hba.conf entry", "role \""),
     "{place} refuses the user ({reason}); correct user and password in CLAUSEGRAPH_DATABASE"),
    (("3D000",), ("does not exist",),
     "{place} is no database of that server ({reason}); make it with `createdb`, or correct CLAUSEGRAPH_DATABASE"),
    (("42501",), ("permission denied",),
     "{place} does not let this user do that ({reason}); have its owner grant it, or make the extension vector"),
    (("42704", "42883"), (), "{place} lacks what ClauseGraph made in it ({reason}); restore it from a backup"),
    (("54000",), (), "{place} cannot find by a text as long as one that was given ({reason}); shorten it"),
    (("22",), (), "{place} cannot store a value given ({reason}); give another"),
    (("08", "57P"), ("connection", "could not translate", "failed to resolve"),
     "{place} cannot be reached ({reason}); start the server, or correct CLAUSEGRAPH_DATABASE"),
)  # fmt: skip


def _configure(connection: Any, _record: Any) -> None:
    vector = TypeInfo.fetch(connection, "vector")
    if vector is not None:  # before the first run there is no such type
        register_vector_info(connection, vector)
    connection.adapters.register_loader("numeric", _NumericLoader)
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{WAIT_S}s'")
    connection.commit()


def _parsed(address: str) -> URL:
    url = None
    with suppress(ArgumentError, ValueError):
        url = make_url(address)
    if url is None or url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise SettingsError(f"the setting 'database' is no address of PostgreSQL; {_AS}")
    for secret in (url.password, url.query.get("password"), url.query.get("sslpassword")):
        if secret:
            register_secret(str(secret))
    return url.set(drivername="postgresql+psycopg")


def _shown(url: URL) -> str:
    """The address without anything secret."""
    host = url.host or str(url.query.get("host") or "")
    port = f":{url.port}" if url.port else ""
    user = f"{url.username}@" if url.username else ""
    return f"postgresql://{user}{host}{port}/{url.database or ''}"
