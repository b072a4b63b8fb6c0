"""What is worked out anew for each ledger, each call of the command line and each page, worked out once in a process.

A test process opens hundreds of ledgers, reads its settings as often and ingests the same few pages hundreds of times;
a user's process does so once.
"""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.util import LRUCache

from clausegraph.core.extraction import Extraction, ExtractionInput
from clausegraph.core.types import Rule
from clausegraph.indexes.ledger import store
from clausegraph.ingestion.extract.rules import extractor
from clausegraph.ingestion.reading import process
from clausegraph.ingestion.reading.page import PageRead, SourceDocument, read_page

_COMPILED: LRUCache[Any, Any] = LRUCache(4000)
_COMPLEX: dict[int, tuple[FieldInfo, tuple[bool, bool]]] = {}  # with its field, so that no other gets its id
_make_engine, _is_complex = Engine.__init__, EnvSettingsSource._field_is_complex


def share_compiled_statements() -> None:
    """Let all ledgers have one cache of compiled SQL, which looks statements up by dialect."""

    def make_engine(engine: Engine, *words: Any, **options: Any) -> None:
        _make_engine(engine, *words, **options)
        engine._compiled_cache = _COMPILED

    Engine.__init__ = make_engine  # type: ignore[method-assign]
    SQLiteDialect_pysqlite.__hash__ = lambda self: hash(type(self))  # type: ignore[method-assign]
    SQLiteDialect_pysqlite.__eq__ = lambda self, other: type(self) is type(other)  # type: ignore[method-assign]


def share_field_kinds() -> None:
    """Look at each settings field's type once, not at each reading of the settings."""

    def is_complex(source: EnvSettingsSource, field: FieldInfo) -> tuple[bool, bool]:
        if id(field) not in _COMPLEX:
            _COMPLEX[id(field)] = (field, _is_complex(source, field))
        return _COMPLEX[id(field)][1]

    EnvSettingsSource._field_is_complex = is_complex  # type: ignore[method-assign]


def share_new_tables() -> None:
    """Run the migrations for the first ledger in a file; the tables of the others are made by the same statements."""
    made: list[str] = []
    upgrade = store._upgrade

    def make_tables(connection: Connection) -> None:
        tables = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%'"
        is_file = connection.dialect.name == "sqlite"
        if not is_file or not made or connection.exec_driver_sql(tables).first():
            upgrade(connection)
            if is_file and not made:
                made.extend(connection.exec_driver_sql(tables).scalars())
                names = [text.split()[2].strip('"') for text in made if text.startswith("CREATE TABLE")]
                filled = [name for name in names if connection.exec_driver_sql(f'SELECT 1 FROM "{name}"').first()]
                assert sorted(filled) == ["alembic_version", "identity"], filled  # which are written below
            return
        for statement in made:
            connection.connection.execute(statement)  # type: ignore[attr-defined]
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (store.SCHEMA_VERSION,))
        connection.exec_driver_sql("INSERT INTO identity VALUES (?)", (uuid.uuid4().hex,))

    store._upgrade = make_tables


# --- pages ------------------------------------------------------------------------------------------

_is_shared = False
_SMALL = 100_000  # bytes of a page that is kept
_ChunkReader = extractor.ChunkReader


@contextmanager
def shared_pages() -> Iterator[None]:
    """In the block, a run that reads a page or a chunk by the rules which a run before it has read gets the same."""
    global _is_shared  # noqa: PLW0603
    _is_shared = True
    yield
    _is_shared = False


class _SharedChunkReader:
    """A ``ChunkReader`` of an input; what one of an equal input has read is not read again."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        self._read = (_read_chunk if _is_shared else _read_chunk.__wrapped__)(chunk_input)

    def read(self) -> Extraction:
        return self._read[0]

    def rules(self) -> list[Rule]:
        return list(self._read[1])


@lru_cache(maxsize=5000)
def _read_chunk(chunk_input: ExtractionInput) -> tuple[Extraction, list[Rule]]:
    reader = _ChunkReader(chunk_input)
    return reader.read(), reader.rules()


def _read_page(document: SourceDocument) -> PageRead:
    return _read_small(document) if _is_shared and len(document.raw) < _SMALL else read_page(document)


_read_small = lru_cache(maxsize=1000)(read_page)


def share_page_reading() -> None:
    """Let runs read pages so that :func:`shared_pages` can share them."""
    extractor.ChunkReader = _SharedChunkReader  # type: ignore[assignment,misc]
    process.read_page = _read_page
