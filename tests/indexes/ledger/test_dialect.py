"""What only SQLite has stays in one module, so that another database is another such module."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit
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
