"""Values made of what the ledger stores as text or bytes: the one place that says of a row that it cannot be read."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Column

from clausegraph.core.errors import LedgerError, StorageError
from clausegraph.indexes.ledger.dialect import RESTORE

T = TypeVar("T")

# What decoders raise of bytes that were damaged: whatever their code meets first
_UNREADABLE = (
    ValueError, TypeError, LookupError, AttributeError, RecursionError, ArithmeticError, MemoryError, zlib.error,
    LedgerError,
)  # fmt: skip

TEXTS: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])
COUNTS: TypeAdapter[dict[str, dict[str, int]]] = TypeAdapter(dict[str, dict[str, int]])
OBJECT: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])


def decode(column: Column[Any], row: object, value: Any, parse: Callable[[Any], T]) -> T:
    """``parse(value)``, where ``value`` is the cell of a column in the row of that id or key.

    Raises:
        StorageError: it cannot be read; the message names table, row and column.
    """
    try:
        return parse(value)
    except _UNREADABLE as error:
        raise damaged(column, row, _reason(error)) from error


def decode_json(column: Column[Any], row: object, text: str, form: TypeAdapter[T]) -> T:
    """The JSON of a cell, which has that form; errors as of :func:`decode`."""
    return decode(column, row, text, lambda value: form.validate_json(value, strict=True))


def damaged(column: Column[Any], row: object, reason: str) -> StorageError:
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
