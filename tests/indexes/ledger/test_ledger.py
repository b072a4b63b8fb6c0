"""Opening a ledger: its tables, schema versions, damaged files, places that cannot be written; and its dialect."""

import os
import re
import signal
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, Integer, MetaData, text

from clausegraph.core.errors import SchemaError, StorageError
from clausegraph.indexes.corpora import ensure_corpus, list_corpora
from clausegraph.indexes.ledger import sqlite
from clausegraph.indexes.ledger.schema import metadata
from clausegraph.indexes.ledger.store import Ledger, ledger_id, open_ledger, open_to_read


def test_new_ledger_has_the_settings_that_must_precede_tables(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "home") as ledger, ledger.write() as connection:
        pragmas = {
            name: connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("auto_vacuum", "journal_mode", "foreign_keys", "secure_delete")
        }
    assert pragmas == {"auto_vacuum": 2, "journal_mode": "wal", "foreign_keys": 1, "secure_delete": 1}
    assert (tmp_path / "home" / "ledger.db").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("opened", [open_ledger, open_to_read])
@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("0008", r"schema 0008.*before the first release.*move .* away.*ingest"),
        ("9999", r"schema 9999.*newer.*pip install -U clausegraph"),
    ],
)
def test_another_schema_is_refused_with_the_fix(
    tmp_path: Path, opened: Callable[[Path], Ledger], version: str, said: str
) -> None:
    with open_ledger(tmp_path) as ledger, ledger.write() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{version}'"))
    with pytest.raises(SchemaError, match=said):
        opened(tmp_path)


@pytest.mark.parametrize("opened", [lambda home: open_ledger(home, create=False), open_to_read])
def test_reading_makes_nothing(tmp_path: Path, opened: Callable[[Path], Ledger]) -> None:
    with pytest.raises(SchemaError, match="no ledger at"):
        opened(tmp_path / "home")
    assert not list(tmp_path.iterdir())


def test_a_file_without_tables_gets_them(tmp_path: Path) -> None:
    """Whoever made the file was killed before the tables were in it."""
    connection = sqlite3.connect(tmp_path / "ledger.db")
    connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
    connection.close()
    with open_ledger(tmp_path) as ledger:
        ensure_corpus(ledger, "a", {})
        assert [corpus.name for corpus in list_corpora(ledger)] == ["a"]


@pytest.mark.parametrize(
    "name", ["what?", "a?mode=memory", "%41", "a#b", "two words", "größe-家", "file:x", ":memory:", "a&uri=true"]
)
def test_a_path_is_no_text_of_a_url(tmp_path: Path, name: str) -> None:
    """What is written to a home lies there, and what is read from it comes from there."""
    others = {tmp_path / other for other in ("what", "a", "A")}
    for other in others:
        open_ledger(other).close()
    with open_ledger(tmp_path / name) as ledger:
        ensure_corpus(ledger, "mine", {})
        assert ledger.database.damage() == ""
    assert (tmp_path / name / "ledger.db").stat().st_size > 0
    assert {path for path in tmp_path.iterdir() if path.is_dir()} == others | {tmp_path / name}
    with open_ledger(tmp_path / name) as ledger:
        assert [corpus.name for corpus in list_corpora(ledger)] == ["mine"]
    for other in others:
        with open_ledger(other) as ledger:
            assert list_corpora(ledger) == []


def test_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "self").mkdir()
    home = str(tmp_path.resolve()).replace(" ", "\\040")
    (tmp_path / "self" / "mounts").write_text(f"/dev/a / ext4 rw 0 0\nserver:/x {home} nfs4 rw 0 0\n")
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path))
    with pytest.raises(StorageError, match=r"network file system \(nfs4\).*CLAUSEGRAPH_HOME"):
        open_ledger(tmp_path / "home")


def unshared(home: Path) -> None:
    """A folder in which SQLite can make no index of a log."""
    home.mkdir()
    (home / "ledger.db-shm").symlink_to(home / "nowhere" / "shm")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger that can be written; the same file lies in ``home``, where its log cannot be shared.

    As a disk that is mounted twice, once read-only: what is written at one place is changed under the other.
    """
    open_ledger(tmp_path / "elsewhere").close()
    unshared(tmp_path / "home")
    os.link(tmp_path / "elsewhere" / "ledger.db", tmp_path / "home" / "ledger.db")
    with open_ledger(tmp_path / "elsewhere") as ledger:
        ledger.close()  # connections of one process share the index, whatever its name
        yield ledger


def names(ledger: Ledger) -> list[str]:
    return [corpus.name for corpus in list_corpora(ledger)]


def test_a_ledger_whose_log_cannot_be_shared_is_read(elsewhere: Ledger, tmp_path: Path) -> None:
    ensure_corpus(elsewhere, "a", {})
    elsewhere.close()
    with open_to_read(tmp_path / "home") as ledger:
        assert names(ledger) == ["a"]
        ensure_corpus(elsewhere, "b", {})
        elsewhere.close()  # which takes the log in
        assert names(ledger) == ["a", "b"]


def test_nothing_is_used_that_was_written_meanwhile(elsewhere: Ledger, tmp_path: Path) -> None:
    with open_to_read(tmp_path / "home") as ledger:
        with (
            pytest.raises(StorageError, match="was written by another process while it was read"),
            ledger.read() as one,
        ):
            assert one.execute(text("SELECT count(*) FROM corpora")).scalar() == 0
            ensure_corpus(elsewhere, "a", {})
            elsewhere.close()
            one.execute(text("SELECT count(*) FROM corpora"))
        assert names(ledger) == ["a"]


def test_a_log_that_cannot_be_read_is_not_left_out(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "live") as live:
        ensure_corpus(live, "a", {})
        unshared(tmp_path / "home")
        for name in ("ledger.db", "ledger.db-wal"):
            (tmp_path / "home" / name).write_bytes((tmp_path / "live" / name).read_bytes())
        with pytest.raises(
            StorageError, match=r"write-ahead log beside it.*make its folder writable, or free some space"
        ):
            open_to_read(tmp_path / "home")
        with open_to_read(tmp_path / "live") as ledger:
            assert names(ledger) == ["a"]


def test_what_reads_cannot_write(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        ensure_corpus(ledger, "a", {})
        with pytest.raises(StorageError, match="readonly"), ledger.read() as connection:
            connection.execute(text("DELETE FROM corpora"))
        assert names(ledger) == ["a"]


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
        mine = {"include_object": lambda one, *_: one.info.get("dialect") in (None, connection.dialect.name)}
        return list(compare_metadata(MigrationContext.configure(connection, opts=mine), tables))


def test_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"these are not the bytes you are looking for" * 100)
    with pytest.raises(StorageError, match="damaged or not a ledger"):
        open_ledger(tmp_path)


def test_home_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match=str(tmp_path / "file")):
        open_ledger(tmp_path / "file" / "home")


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("database or disk is full", "free some space"),
        ("attempt to write a readonly database", "writable"),
        ("database is locked", "another process"),
    ],
)
def test_driver_errors_name_the_fix(tmp_path: Path, reason: str, advice: str) -> None:
    with pytest.raises(StorageError, match=advice), sqlite.driver_errors(tmp_path / "ledger.db"):
        raise sqlite3.OperationalError(reason)


def test_error_inside_a_write_leaves_nothing(tmp_path: Path) -> None:
    with open_ledger(tmp_path) as ledger:
        with pytest.raises(ZeroDivisionError), ledger.write() as connection:
            connection.execute(text("INSERT INTO corpora VALUES (1, 'a', '{}', 0, 0, 0)"))
            raise ZeroDivisionError
        assert list_corpora(ledger) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_waits_for_the_end_of_a_write_and_a_second_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_S", 0.1)
    before = signal.signal(number, signal.default_int_handler)
    try:
        with open_ledger(tmp_path) as ledger:
            with pytest.raises(KeyboardInterrupt), ledger.write() as connection:
                signal.raise_signal(number)
                connection.exec_driver_sql("UPDATE identity SET id = 'a'")
            assert ledger_id(ledger) == "a"
            with pytest.raises(KeyboardInterrupt), ledger.write() as connection:
                connection.exec_driver_sql("UPDATE identity SET id = 'b'")
                signal.raise_signal(number)
                signal.raise_signal(number)
            assert ledger_id(ledger) == "a"
            ensure_corpus(ledger, "a", {})  # the lock was given back
            assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)


def test_a_new_ledger_has_the_tables_of_the_schema(tmp_path: Path) -> None:
    assert differences(tmp_path, metadata) == []
    more = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(more)
    more.tables["pages"].append_column(Column("noticed", Integer))
    assert differences(tmp_path, more) != []


def test_the_first_migration_makes_what_it_made_then(tmp_path: Path) -> None:
    """Once it is released it may not follow the schema: it has to spell out these statements then (decision 0012)."""
    make_recorded(tmp_path / "then.db")
    open_ledger(tmp_path).close()
    assert statements(tmp_path / "ledger.db") == statements(tmp_path / "then.db")


def test_only_the_migrations_make_tables() -> None:
    """The response cache is a file of its own, which is thrown away when it is damaged."""
    making = re.compile(r"create_all|(?<!URL)\.create\(|CREATE (TABLE|INDEX|VIEW|TRIGGER)", re.IGNORECASE)
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "indexes").rglob("*.py")
        if "migrations" not in path.parts and "neo4j" not in path.parts and making.search(path.read_text("utf-8"))
    }
    assert found == {f"indexes/{name}.py" for name in ("response_cache", "ledger/postgres", "vectors/pgvector")}


INDEXES = Path(__file__).parents[3] / "indexes"
ONLY_SQLITE = re.compile(
    r"sqlite|\bPRAGMA\b|BEGIN (IMMEDIATE|EXCLUSIVE|DEFERRED)|\bOR (IGNORE|REPLACE)\b|prefix_with|on_conflict"
    r"|\bVACUUM\b|wal_checkpoint|\browid\b|json_(extract|each|array|object)|\bGLOB\b|(?<!time\.)strftime|julianday|group_concat"
    r"|\+ 0\b"
)
ALLOWED = {
    "ledger/dialect.py",
    "ledger/sqlite.py",
    "ledger/postgres.py",
    "ledger/store.py",  # which database a ledger is in
    "backup.py",  # copies the file of a ledger while it is in use
    "files.py",  # rewrites the files of the dialect and of the response cache
    "response_cache.py",  # a SQLite file of its own, beside whatever database the ledger is in
}


def test_sqlite_is_known_to_the_dialects_alone() -> None:
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
