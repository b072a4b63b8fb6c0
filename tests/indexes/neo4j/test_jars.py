"""Neo4j's jars are fetched once, however many processes want them."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clausegraph.app.servers.neo4j import POM, ensure_jars
from clausegraph.core.errors import StorageError

# Stands for Maven: notes that it was called, takes a moment, and leaves a jar or fails as FAILS says.
MAVEN = """#!/bin/sh
for word; do case $word in -DoutputDirectory=*) folder=${word#-DoutputDirectory=} ;; esac; done
echo called >>"$CALLS"
sleep 0.2
if [ -n "$FAILS" ]; then echo 'no route to the repository'; exit 1; fi
touch "$folder/neo4j-server-0.jar"
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bin").mkdir()
    maven = tmp_path / "bin" / "mvn"
    maven.write_text(MAVEN)
    maven.chmod(0o755)
    monkeypatch.setenv("PATH", f"{maven.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("FAILS", "")
    return tmp_path / "calls"


def test_many_at_once_fetch_once(calls: Path, tmp_path: Path) -> None:
    assert POM.exists()
    with ThreadPoolExecutor(4) as threads:
        folders = set(threads.map(lambda _: ensure_jars(tmp_path / "cache"), range(4)))
    assert len(folders) == 1 and list(folders.pop().glob("*.jar"))
    assert calls.read_text() == "called\n"


def test_those_with_apoc_serve_without_it(calls: Path, tmp_path: Path) -> None:
    plain = ensure_jars(tmp_path / "cache")
    with_apoc = ensure_jars(tmp_path / "cache", apoc=True)
    assert plain != with_apoc == ensure_jars(tmp_path / "cache")
    assert calls.read_text() == "called\ncalled\n"


def test_what_failed_is_fetched_again(calls: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAILS", "yes")
    with pytest.raises(StorageError, match="no route to the repository"):
        ensure_jars(tmp_path / "cache")
    monkeypatch.setenv("FAILS", "")
    ensure_jars(tmp_path / "cache")
    assert calls.read_text() == "called\ncalled\n"
