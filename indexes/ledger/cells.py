"""Cells of the ledger: checked as they are read, decoded from JSON and bytes; damage names table, row and column.

SQLite itself keeps any value in any column.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Column, Float, Integer, LargeBinary, MetaData, Row
from sqlalchemy.types import TypeDecorator, TypeEngine

from clausegraph.core.errors import LedgerError, StorageError

RESTORE = "restore it from a backup, `clausegraph doctor` looks at all of it"
_YEAR_9999 = 253_370_764_800.0  # seconds since 1970: the calendars of Python end there
_MOMENTS = {"acquired", "at", "created", "decided", "ended", "expires", "fetched", "heartbeat", "started"}
_FILE_NAME = re.compile(r"[A-Za-z0-9-]{1,200}")  # of a segment: it becomes a path


class WrongCell(Exception):
    """A cell holds what its column cannot; ``dialect.driver_errors`` finds its row."""

    def __init__(self, cell: CheckedType, value: object) -> None:
        super().__init__(f"table {cell.table}, column {cell.column}: {type(value).__name__} {str(value)[:40]!a}")
        self.table, self.column, self.is_sound = cell.table, cell.column, cell.is_sound


class CheckedType(TypeDecorator[Any]):
    """The type of a column that checks what comes out; what goes in is of our own making."""

    impl = LargeBinary  # of each instance it is the column's own type
    cache_ok = True

    def __init__(self, own: TypeEngine[Any], table: str, column: str, nullable: bool) -> None:
        super().__init__()
        self.impl = self.own = own  # type: ignore[assignment]
        self.table, self.column, self.nullable = table, column, nullable
        self._kind, self._more = _kind(own), _more(own, table, column)

    def coerce_compared_value(self, op: Any, value: Any) -> Any:
        """Comparisons are those of the column's own type."""
        return self.own.coerce_compared_value(op, value)

    def result_processor(self, dialect: Any, coltype: object) -> Callable[[Any], Any]:
        """What every cell of every row goes through, so the usual case is one question."""
        del dialect, coltype
        kind, more = self._kind, self._more

        def checked(value: Any) -> Any:
            if (type(value) is kind and more is None) or self.is_sound(value):
                return value
            raise WrongCell(self, value)

        return checked

    def holds(self, kind: type) -> bool:
        """Whether values of this kind are in its cells."""
        return self._kind is kind

    def is_sound(self, value: Any) -> bool:
        """Whether a cell of the column can hold the value."""
        if value is None:
            return self.nullable
        of_kind = isinstance(value, self._kind) or (self._kind is float and isinstance(value, int))  # a sum of nothing
        return of_kind and (self._more is None or self._more(value))


def check_cells(metadata: MetaData) -> None:
    """Have every column of the tables checked."""
    for table in metadata.tables.values():
        for column in table.columns:
            column.type = CheckedType(column.type, table.name, column.name, bool(column.nullable))


def _kind(own: TypeEngine[Any]) -> type:
    if isinstance(own, Integer):
        return int
    if isinstance(own, Float):
        return float
    return bytes if isinstance(own, LargeBinary) else str


def _more(own: TypeEngine[Any], table: str, column: str) -> Callable[[Any], bool] | None:
    """What else must hold of a cell."""
    if isinstance(own, Float):
        return (lambda value: 0 <= value < _YEAR_9999) if column in _MOMENTS else math.isfinite
    if (table, column) == ("segments", "file"):
        return lambda value: _FILE_NAME.fullmatch(value) is not None
    return None


T = TypeVar("T")

# What decoders raise of bytes that were damaged: whatever their code meets first
_UNREADABLE = (
    ValueError, TypeError, LookupError, AttributeError, RecursionError, ArithmeticError, MemoryError, zlib.error,
    LedgerError,
)  # fmt: skip

TEXTS: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])
COUNTS: TypeAdapter[dict[str, dict[str, int]]] = TypeAdapter(dict[str, dict[str, int]])
OBJECT: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


def record_of(kind: type[T], row: Row[Any], **decoded: Any) -> T:
    """A dataclass with the cells of a row by name, or what was ``decoded`` of them."""
    return kind(**{one.name: decoded.get(one.name, row._mapping.get(one.name)) for one in fields(cast(Any, kind))})


def decode(column: Column[Any], row: object, value: Any, parse: Callable[[Any], T]) -> T:
    """``parse(value)``, where ``value`` is the cell of a column in the row of that id or key."""
    try:
        return parse(value)
    except _UNREADABLE as error:
        raise damage_error(column, row, _reason(error)) from error


def decode_json(column: Column[Any], row: object, text: str, form: TypeAdapter[T]) -> T:
    """The JSON of a cell, which has that form; errors as of :func:`decode`."""
    return decode(column, row, text, lambda value: form.validate_json(value, strict=True))


def damage_error(column: Column[Any], row: object, reason: str) -> StorageError:
    """The error about a row that is not what was stored."""
    return StorageError(
        f"the ledger is damaged: table {column.table.name}, row {row}, column {column.name} cannot be read "
        f"({reason}); {RESTORE}"
    )


def _reason(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_input=False, include_url=False)[0]
        return " ".join([*map(str, first["loc"]), first["msg"]])[:200]
    if isinstance(error, KeyError):
        return f"it lacks {error}"
    return " ".join(str(error).split())[:200] or type(error).__name__
