"""The whole ledger read row by row: what the database's own check cannot know to be wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import Column, Table, select

from clausegraph.core.errors import StorageError
from clausegraph.core.serial import extraction_from_bytes, passage_from_text, reading_from_bytes, statement_from_text
from clausegraph.indexes.ledger.decoding import COUNTS, decode
from clausegraph.indexes.ledger.schema import (
    embeddings,
    epochs,
    extractions,
    hidden_supports,
    metadata,
    page_versions,
    passages,
    supports,
)
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import vector_from_bytes

_AT_ONCE = 500
_FORMS: dict[Table, tuple[Column[Any], Column[Any], Callable[[Any], object]]] = {  # names a row, is decoded, how
    page_versions: (page_versions.c.id, page_versions.c.reading, reading_from_bytes),
    extractions: (extractions.c.input_key, extractions.c.data, extraction_from_bytes),
    embeddings: (embeddings.c.text_hash, embeddings.c.data, vector_from_bytes),
    supports: (supports.c.id, supports.c.statement, statement_from_text),
    hidden_supports: (hidden_supports.c.id, hidden_supports.c.statement, statement_from_text),
    passages: (passages.c.id, passages.c.passage, passage_from_text),
    epochs: (epochs.c.number, epochs.c.summary, lambda text: COUNTS.validate_json(text, strict=True)),
}


def unreadable_rows(ledger: Ledger) -> Iterator[str]:
    """Of each table that has any, the first row that cannot be read, in words. Reads everything."""
    for table in metadata.sorted_tables:
        try:
            _read_all(ledger, table)
        except StorageError as error:
            yield str(error)


def _read_all(ledger: Ledger, table: Table) -> None:
    """Every cell is checked as it is fetched; what is packed in one is unpacked."""
    form = _FORMS.get(table)
    with ledger.read() as connection:
        for row in connection.execute(select(table)).yield_per(_AT_ONCE):
            if form is not None:
                named, column, parse = form
                decode(column, row._mapping[named], row._mapping[column], parse)
