"""The response cache's file."""

from __future__ import annotations

import logging
import os
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from clausegraph.indexes.response_cache import FileResponseCache

pytestmark = pytest.mark.unit

ROOT = Path(__file__).resolve().parents[4]


def _value(number: int, size: int = 2000) -> bytes:
    return os.urandom(size - 8) + number.to_bytes(8, "big")  # nothing that compresses


def test_what_is_put_is_got(tmp_path: Path) -> None:
    path = tmp_path / "new" / "responses.db"
    cache = FileResponseCache(path, 1_000_000)
    assert cache.get("a") is None
    cache.put("a", b"one" * 1000)
    cache.put("a", b"two" * 1000)
    assert cache.get("a") == b"two" * 1000
    cache.forget("a")
    assert cache.get("a") is None
    cache.put("b", b"kept")
    cache.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert FileResponseCache(path, 1_000_000).get("b") == b"kept"


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    path = tmp_path / "responses.db"
    cache = FileResponseCache(path, 100_000)
    for number in range(200):
        cache.put(f"key {number}", _value(number))
        assert cache.get("key 0") is not None  # used all the time
    assert cache.get("key 199") is not None
    assert cache.get("key 1") is None
    cache.close()
    assert path.stat().st_size <= 100_000
    left = sum(FileResponseCache(path, 100_000).get(f"key {number}") is not None for number in range(200))
    assert 10 <= left <= 50


def test_what_was_forgotten_leaves_the_file_smaller(tmp_path: Path) -> None:
    path = tmp_path / "responses.db"
    cache = FileResponseCache(path, 1_000_000)
    for number in range(50):
        cache.put(f"key {number}", _value(number))
    assert cache.forget_before(time.time() + 1) == (50, "")
    cache.close()
    assert path.stat().st_size < 30_000


def test_of_what_was_forgotten_no_copy_is_left_in_a_page_of_the_file(tmp_path: Path) -> None:
    """Moving rows between pages leaves copies of them behind, which ``secure_delete`` does not know of."""
    random = np.random.default_rng(2)
    path = tmp_path / "responses.db"
    cache = FileResponseCache(path, 10_000_000)
    kept: list[str] = []
    gone: list[str] = []
    for _ in range(6):
        new = [random.bytes(16).hex() for _ in range(300)]
        for key in new:
            cache.put(key, random.bytes(int(random.integers(16, 200))))
        kept += new
        random.shuffle(kept)
        going, kept = kept[: len(kept) * 2 // 5], kept[len(kept) * 2 // 5 :]
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executemany("UPDATE replies SET used = 1 WHERE key = ?", [(key,) for key in going])
        assert cache.forget_before(2.0) == (len(going), "")
        gone += going
    there = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    cache.close()
    assert not [key for key in gone if key.encode() in there]
    assert all(key.encode() in there for key in kept)


@pytest.mark.parametrize("damage", ["garbage", "torn"])
def test_a_damaged_file_gives_way_to_a_new_one(damage: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "responses.db"
    first = FileResponseCache(path, 1_000_000)
    for number in range(100):
        first.put(f"key {number}", _value(number))
    first.close()
    content = path.read_bytes()
    path.write_bytes(b"no database at all" * 500 if damage == "garbage" else content[:4096] + b"\xff" * 60_000)
    cache = FileResponseCache(path, 1_000_000)
    with caplog.at_level(logging.WARNING):
        for number in range(100):
            cache.get(f"key {number}")
        cache.put("new", b"value")
    assert cache.get("new") == b"value"
    assert "is damaged" in caplog.text
    assert b"key 1" not in b"".join(one.read_bytes() for one in tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("not a folder")
    cache = FileResponseCache(tmp_path / "file" / "responses.db", 1000)
    cache.put("a", b"b")
    assert cache.get("a") is None
    assert caplog.text.count("cannot be used") == 1
