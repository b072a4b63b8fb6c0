"""The tables of a ledger: made by the migrations alone, as recorded; what only SQLite has stays in its dialect."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, Integer, MetaData

from clausegraph.indexes.ledger.schema import metadata
from clausegraph.indexes.ledger.store import ledger_id, open_ledger
from tests.contracts.graph.scripted import Town

pytestmark = pytest.mark.unit


ROOT = Path(__file__).parents[3]
FIRST = Path(__file__).with_name("first_schema.sql")  # what the first migration made when it was written


def statements(path: Path) -> dict[str, str]:
    """What made each table and index of a ledger, by name."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    finally:
        connection.close()
    return {name: " ".join(sql.split()) for name, sql in rows}


def make_recorded(path: Path) -> None:
    """A ledger of the recorded schema."""
    connection = sqlite3.connect(path)
    try:
        connection.executescript(FIRST.read_text(encoding="utf-8"))
    finally:
        connection.close()


def differences(path: Path, tables: MetaData) -> list[object]:
    with open_ledger(path) as ledger, ledger.read() as connection:
        return list(compare_metadata(MigrationContext.configure(connection), tables))


def test_a_new_ledger_has_the_tables_of_the_schema(tmp_path: Path) -> None:
    assert differences(tmp_path, metadata) == []
    more = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(more)
    more.tables["pages"].append_column(Column("noticed", Integer))
    assert differences(tmp_path, more) != []


def test_a_ledger_of_this_schema_is_opened_as_it_is(tmp_path: Path) -> None:
    open_ledger(tmp_path).close()
    before = statements(tmp_path / "ledger.db")
    code = (
        "import sys; from pathlib import Path; from clausegraph.indexes.ledger.store import open_to_read\n"
        "open_to_read(Path(sys.argv[1])).close(); sys.exit('alembic' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert statements(tmp_path / "ledger.db") == before


def test_the_first_migration_makes_what_it_made_then(tmp_path: Path) -> None:
    """Once it is released it may not follow the schema: it has to spell out these statements then (decision 0012)."""
    make_recorded(tmp_path / "then.db")
    open_ledger(tmp_path).close()
    assert statements(tmp_path / "ledger.db") == statements(tmp_path / "then.db")


def test_use_makes_no_table() -> None:
    town = Town()
    before = statements(town.ledger.path)
    town.write("a", "grant | pays | =£200", "heating grant | needs | age")
    town.publish()
    town.take("heating grant", "grant")
    town.vacuum()
    ledger_id(town.ledger)
    assert statements(town.ledger.path) == before
    town.close()


def test_only_the_migrations_make_tables() -> None:
    """The response cache is a file of its own, which is thrown away when it is damaged."""
    making = re.compile(r"create_all|(?<!URL)\.create\(|CREATE (TABLE|INDEX|VIEW|TRIGGER)", re.IGNORECASE)
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "indexes").rglob("*.py")
        if "migrations" not in path.parts and "neo4j" not in path.parts and making.search(path.read_text("utf-8"))
    }
    assert found == {"indexes/response_cache.py"}


INDEXES = Path(__file__).parents[3] / "indexes"
ONLY_SQLITE = re.compile(
    r"sqlite|\bPRAGMA\b|BEGIN (IMMEDIATE|EXCLUSIVE|DEFERRED)|\bOR (IGNORE|REPLACE)\b|prefix_with|on_conflict"
    r"|\bVACUUM\b|wal_checkpoint|\browid\b|json_(extract|each|array|object)|\bGLOB\b|strftime|julianday|group_concat"
    r"|\+ 0\b"
)
ALLOWED = {
    "ledger/dialect.py",
    "files.py",  # rewrites the files of the dialect and of the response cache
    "response_cache.py",  # a SQLite file of its own, beside whatever database the ledger is in
}


def test_sqlite_is_known_to_the_dialect_alone() -> None:
    found = {
        str(path.relative_to(INDEXES)): match.group()
        for path in INDEXES.rglob("*.py")
        if "versions" not in path.parts and (match := ONLY_SQLITE.search(_code(path)))
    }
    assert found.keys() == ALLOWED, found


def _code(path: Path) -> str:
    """The text of a module without its comments and docstrings, which may name what they like."""
    text = re.sub(r'"""(?s:.*?)"""', "", path.read_text(encoding="utf-8"))
    return re.sub(r"#.*", "", text)
