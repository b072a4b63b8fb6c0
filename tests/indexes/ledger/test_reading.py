"""Reading a ledger: without the right or the room to write, and never what was being written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from clausegraph.core.errors import SchemaError, StorageError
from clausegraph.indexes.corpora import ensure_corpus, list_corpora
from clausegraph.indexes.ledger.store import Ledger, open_ledger, open_to_read

pytestmark = pytest.mark.unit


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


def test_reading_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="no ledger at"):
        open_to_read(tmp_path / "home")
    assert not list(tmp_path.iterdir())
