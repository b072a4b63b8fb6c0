"""Every cell that is read is what its column says: SQLite itself keeps any value in any column, a damaged one too."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import Float, Integer, LargeBinary, MetaData
from sqlalchemy.types import TypeDecorator, TypeEngine

_YEAR_9999 = 253_370_764_800.0  # seconds since 1970: the calendars of Python end there
_MOMENTS = {"acquired", "at", "created", "decided", "ended", "expires", "fetched", "heartbeat", "started"}
_FILE_NAME = re.compile(r"[A-Za-z0-9-]{1,200}")  # of a segment: it becomes a path


class WrongCell(Exception):
    """A cell holds what its column cannot; who has the database finds its row, and makes an error of ours of it."""

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
