"""What the ledger asks of a database, and statements that every database takes; one module knows each database.

``sqlite.py`` is a file in the home folder, ``postgres.py`` a server of PostgreSQL.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from sqlalchemy import BigInteger, ColumnElement, Connection, Index, Integer, String, Table, Text, text
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import MultipleResultsFound, NoResultFound
from sqlalchemy.sql.dml import Insert
from sqlalchemy.types import TypeEngine

from clausegraph.core.errors import InputError, StorageError
from clausegraph.indexes.ledger.cells import RESTORE, WrongCell

IDS_NEVER_REUSED: dict[str, Any] = {"sqlite_autoincrement": True}  # of a table: else the id of a deleted row comes back
ROWS_BY_KEY: dict[str, Any] = {"sqlite_with_rowid": False}  # of a table: its rows lie in the order of its primary key
_SQLITE, _POSTGRES = "sqlite", "postgresql"  # as SQLAlchemy names them


@contextmanager
def interrupts_held() -> Iterator[None]:
    """In the main thread Ctrl-C and SIGTERM raise nothing before the end of the block; a second one does at once.

    They raise between any two steps of a program. SQLAlchemy and whoever waits in a traceback then keep a transaction
    open that nobody ends, and what notes the end of the run waits for its lock.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    with ExitStack() as held:
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(handler := signal.getsignal(number)):
                held.callback(signal.signal, number, handler)
                signal.signal(number, partial(_hold, came, handler))
        yield
    if came:
        signal.raise_signal(came[0])


def _hold(came: list[int], handler: Callable[[int, Any], Any], number: int, frame: FrameType | None) -> None:
    came.append(number)
    if len(came) > 1:
        handler(number, frame)


class Database(Protocol):
    """Where the tables of a ledger are. Errors of its driver leave it through :meth:`errors` alone."""

    kind: str
    place: str  # for messages, without a secret
    elsewhere: str  # how a ledger that cannot be used is put out of the way
    publishes_at_once: bool  # whether a publish is one transaction

    def exists(self) -> bool:
        """Whether there may be tables in it."""

    def make(self) -> None:
        """Make what tables need, unless it is there."""

    def add_tables(self, connection: Connection) -> None:
        """Make tables that only this database has."""

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection that reads one consistent state and cannot write."""

    def writing(self, *, alone: bool = True) -> AbstractContextManager[Connection]:
        """A connection in a transaction that is ``alone`` in writing, or beside which others may write."""

    def outside(self) -> AbstractContextManager[Connection]:
        """A connection for what cannot be in a transaction, where the database has such things."""

    def lock(self, connection: Connection) -> None:
        """From here on the transaction is alone in writing."""

    def errors(self) -> AbstractContextManager[None]:
        """Translate the driver's errors into ``StorageError`` with the fix."""

    def now(self, connection: Connection) -> float:
        """Seconds since 1970, by the one clock that leases follow."""

    def last_id(self, connection: Connection, table: Table) -> int:
        """The highest id that a table has, or ever had where none is used again."""

    def follow_ids(self, connection: Connection, table: Table) -> None:
        """Give new rows higher ids than those that were written with theirs."""

    def promise_removal(self, connection: Connection, *, kept: bool = False) -> None:
        """Note that somebody was promised that what the transaction deletes leaves the disk; or that it has."""

    def is_removal_promised(self, connection: Connection) -> bool:
        """Whether a promise of removal was given and not kept yet, as when its process was killed."""

    def compact(self) -> None:
        """Give freed room back, as far as no other process is in the way."""

    def rewrite(self) -> str:
        """Leave nothing of a deleted row; returns what remains and why, empty for nothing."""

    def damage(self) -> str:
        """What is wrong with it, in words; empty when nothing is. Reads all of it where only that tells."""

    def size(self) -> int:
        """Bytes that it takes."""

    def close(self) -> None:
        """Close every connection."""


def insert_new(table: Table) -> Insert:
    """An insert that leaves a row as it is where one with the same key is there."""
    return insert(table).on_conflict_do_nothing()


def insert_or_update(table: Table, key: Sequence[str], values: Mapping[str, Any], change: Mapping[str, Any]) -> Insert:
    """An insert of ``values`` that sets ``change`` where a row with the same ``key`` is there."""
    return insert(table).values(**values).on_conflict_do_update(list(key), set_=dict(change))


def index_where(condition: str, name: str, *columns: str) -> Index:
    """An index of those rows alone for which a condition holds."""
    return Index(name, *columns, sqlite_where=text(condition), postgresql_where=text(condition))


def index_of_text(name: str, owner: str, column: str) -> tuple[Index, Index]:
    """An index of a text of any length by what owns it; PostgreSQL's trees take 2,700 bytes, its hashes any text."""
    ordered = Index(name, owner, column, info={"dialect": _SQLITE})
    hashed = Index(name, column, postgresql_using="hash", info={"dialect": _POSTGRES})
    return ordered.ddl_if(dialect=_SQLITE), hashed.ddl_if(dialect=_POSTGRES)


def id_type() -> TypeEngine[Any]:
    """The type of ids; SQLite's rows are numbered in 64 bits by this name alone."""
    return BigInteger().with_variant(Integer(), _SQLITE)


def text_type(length: int | None = None) -> TypeEngine[Any]:
    """The type of texts, compared by code points as in Python."""
    plain = Text() if length is None else String(length)
    return plain.with_variant(Text(collation="C"), _POSTGRES)


def without_index(column: ColumnElement[int]) -> ColumnElement[int]:
    """The column, by whose index the planner shall not go: it has no statistics, and takes a worse one for better."""
    return column + 0


@contextmanager
def value_errors(place: str | Path, row_of: Callable[[WrongCell], str]) -> Iterator[None]:
    """Translate errors about values that every driver raises alike; ``row_of`` finds the row of a wrong cell."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise InputError(f"{error.object[:80]!a} is not valid UTF-8; give it as UTF-8 text") from error
    except OverflowError as error:
        raise InputError(f"a number given is too large for the ledger ({error}); give a smaller one") from error
    except UnicodeDecodeError as error:  # of a message of the driver, which quotes what was damaged
        raise StorageError(f"{place} is damaged: {error.object[:200]!a}; {RESTORE}") from error
    except WrongCell as error:
        raise StorageError(f"{place} is damaged: {error} in row {row_of(error)}; {RESTORE}") from error
    except (NoResultFound, MultipleResultsFound) as error:
        raise StorageError(f"{place} is damaged: a row that others refer to is not there; {RESTORE}") from error
