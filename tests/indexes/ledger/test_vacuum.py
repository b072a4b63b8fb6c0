"""Deleted is gone, or it is said what remains and why."""

import fcntl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import delete, func, insert, select, update

from clausegraph.indexes import files
from clausegraph.indexes.corpora import ensure_corpus
from clausegraph.indexes.ledger.schema import (
    corpora,
    embeddings,
    entity_tokens,
    epochs,
    extractions,
    identity,
    metadata,
    page_versions,
    runs,
)
from clausegraph.indexes.response_cache import RESPONSES, FileResponseCache
from clausegraph.indexes.sweep import drop_corpus, sweep
from clausegraph.indexes.vectors.segments import listed_segments, vector_index
from clausegraph.indexes.views import open_view
from tests.harness.writes import failing_at
from tests.law.world import CORPUS, World, new_ledger

GONE = "You can get a grant if you live in Quillonby."


@pytest.fixture
def world() -> Iterator[World]:
    """Epoch 1 has a page that epoch 2 has not, and epoch 2 no vector that epoch 1 has not."""
    made = World()
    made.write("a", ["You can get a grant if you are over 65."])
    made.write("b", [GONE])
    made.ingest()
    made.remove("b")
    made.ingest()
    yield made
    made.close()


def count(world: World, table: object) -> int:
    with world.ledger.read() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())  # type: ignore[arg-type]


def test_no_copy_of_a_deleted_row_is_left_in_a_page_of_the_database(tmp_path: Path) -> None:
    """Moving rows between pages leaves copies of them behind, which ``secure_delete`` does not know of."""
    random = np.random.default_rng(2)
    kept: list[str] = []
    gone: list[str] = []
    with new_ledger(tmp_path / "home") as ledger:
        corpus = ensure_corpus(ledger, CORPUS, {})
        for _ in range(8):
            new = {random.bytes(16).hex(): random.bytes(int(random.integers(16, 200))).hex() for _ in range(400)}
            rows = [{"corpus_id": corpus.id, "token": token, "entity": entity} for token, entity in new.items()]
            with ledger.write() as connection:
                connection.execute(insert(entity_tokens), rows)
            kept += new
            random.shuffle(kept)
            going, kept = kept[: len(kept) * 2 // 5], kept[len(kept) * 2 // 5 :]
            with ledger.write() as connection:
                connection.execute(delete(entity_tokens).where(entity_tokens.c.token.in_(going)))
            gone += going
        assert ledger.database.rewrite() == ""
        there = (ledger.home / "ledger.db").read_bytes()
    assert not [token for token in gone if token.encode() in there]
    assert all(token.encode() in there for token in kept)


def test_a_reader_inside_a_transaction_is_named_and_not_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "READERS_S", 0.05)
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN');"
        "c.execute('SELECT count(*) FROM corpora').fetchall(); print('ready', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, world.ledger.place], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None and reader.stdout.readline() == "ready\n"
        assert world.vacuum(1, 0).remains == []
        assert sweep(world.ledger) == [
            f"{world.ledger.place} and its log: process {reader.pid} is reading; wait for it or stop it"
        ]
        assert b"Quillonby".lower() in _raw(Path(world.ledger.place)).lower()  # the state that the reader sees
        reader.communicate()
    assert sweep(world.ledger) == []
    assert b"quillonby" not in _raw(Path(world.ledger.place)).lower()


def _raw(path: Path) -> bytes:
    return b"".join(one.read_bytes() for one in sorted(path.parent.glob(f"{path.name}*")))


def test_what_a_reader_keeps_is_said(world: World) -> None:
    with open_view(world.ledger, CORPUS, 1):
        report = world.vacuum(1, 0)
    assert report.kept == {1: ["held"], 2: ["published", "newest"]}
    assert len(report.remains) == 1 and "epoch 1 of corpus 'law'" in report.remains[0]
    report = world.vacuum(1, 0)
    assert (report.kept, report.remains) == ({2: ["published", "newest"]}, [])


def test_a_clock_that_was_set_back(world: World) -> None:
    """What is of the future stays with that reason, and not where nothing is to stay for its age."""
    later = time.time() + 86400
    with world.ledger.write() as connection:
        connection.execute(update(epochs).values(created=later))
        connection.execute(update(runs).values(started=later))
        connection.execute(update(page_versions).values(fetched=later))
        for table in (extractions, embeddings):
            connection.execute(update(table).values(created=later))
    assert world.vacuum(1, 30).kept == {1: ["future"], 2: ["published", "future", "newest"]}
    assert world.vacuum(1, 0).kept == {2: ["published", "newest"]}
    assert count(world, page_versions) == 1
    assert (count(world, runs), len(listed_segments(world.ledger, 1))) == (0, 3)
    assert sweep(world.ledger) == []
    assert b"quillonby" not in _raw(Path(world.ledger.place)).lower()


def test_segments_are_compared_with_the_ledger_not_with_what_was_just_deleted(world: World) -> None:
    """As after a vacuum that was killed before it came to them; a damaged one may hold anything."""
    files = {row.file: row for row in listed_segments(world.ledger, 1)}
    index = vector_index(world.ledger)
    old = {name: index.ids(1, name).tolist() for name in files}
    world.vacuum(1, 0)
    now = listed_segments(world.ledger, 1)
    assert not {row.file for row in now} & files.keys()
    assert sum(len(index.ids(1, row.file)) for row in now) < sum(map(len, old.values()))
    again = world.vacuum(1, 0)
    assert [row.file for row in listed_segments(world.ledger, 1)] == [row.file for row in now]  # nothing to rewrite
    assert not any(again.rows.values())
    (world.root / "home" / "segments" / "1" / now[0].file).write_bytes(b"quillonby")
    world.vacuum(1, 0)
    assert index.names(1) == {row.file for row in listed_segments(world.ledger, 1)} != {row.file for row in now}
    world.assert_lawful()


def test_replies_go_with_the_text_that_they_may_quote(world: World) -> None:
    home = world.root / "home"
    with closing(FileResponseCache(home / RESPONSES, 10**6)) as cache:
        cache.put("one", b"of Quillonby" * 9)
        world.vacuum(10, 30)
        assert cache.get("one") is not None  # nothing was removed
        world.vacuum(1, 0)
        assert cache.get("one") is None


def test_what_cannot_be_removed_is_named_and_the_rest_goes(world: World) -> None:
    """Until it can: what was promised is done by the next run."""
    home = world.root / "home"
    stray, replies = home / "segments" / "1" / "stray", home / RESPONSES
    stray.write_text("quillonby")

    def refused() -> PermissionError:
        return PermissionError(13, "Permission denied")

    with failing_at("os.remove", stray, refused, kinds=["os.remove"], lasting=False):
        remains = world.vacuum(1, 0).remains
    assert len(remains) == 1 and str(stray) in remains[0] and "Permission denied" in remains[0]
    assert world.vacuum(1, 0).remains == [] and not stray.exists()
    replies.write_bytes(b"You live in Quillonby. " * 100)  # damaged, so it is removed as a whole
    with failing_at("os.remove", replies, refused, kinds=["os.remove"], lasting=False):
        (remains,) = drop_corpus(world.ledger, CORPUS)
    assert str(replies) in remains and "Permission denied" in remains
    assert world.ledger.is_removal_promised() and replies.exists() and vector_index(world.ledger).corpora() == set()
    world.ingest()
    assert not world.ledger.is_removal_promised() and b"Quillonby" not in _raw(replies)


def test_a_folder_that_cannot_be_listed_keeps_nobody_from_sweeping_the_others(world: World) -> None:
    home = world.root / "home"
    stray = home / "answers" / "99"
    stray.mkdir(parents=True)
    (home / "segments").rename(home / "moved")
    (home / "segments").write_text("no folder")
    (remains,) = sweep(world.ledger)
    assert str(home / "segments") in remains
    assert not stray.exists()


def test_strangers_in_the_home_end_no_command(world: World, tmp_path: Path) -> None:
    """Of our folders what we know goes; a link goes, and not what it leads to."""
    home = world.root / "home"
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "letter").write_text("Dear Sir")
    answers = home / "answers" / "1"
    answers.mkdir(parents=True)
    for path in (home / "segments" / ".DS_Store", home / "readers" / "a-b", answers / "file", answers.parent / "x"):
        path.write_text("")
    (answers / "1").symlink_to(kept)
    assert world.vacuum(1, 0).remains == []
    assert drop_corpus(world.ledger, CORPUS) == []
    left = {path.name for path in home.rglob("*") if path.is_file()}
    assert {".DS_Store", "a-b"} <= left and not left & {"file", "x"}
    assert (kept / "letter").read_text() == "Dear Sir"


def test_a_drop_says_who_goes_on_reading(world: World) -> None:
    with open_view(world.ledger, CORPUS):
        remains = drop_corpus(world.ledger, CORPUS)
    assert len(remains) == 1 and "epoch 2 of corpus 'law'" in remains[0]
    assert not [path for path in (world.root / "home").rglob("*") if path.is_file() and path.parent.name != "home"]


def test_readers_who_are_moved_back_meanwhile_keep_their_epoch(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between looking which epochs may go and removing them."""
    world.write("a", ["The grant is £201 a year."])
    world.ingest()
    first, lock = world.dump(1), fcntl.flock

    def flock(descriptor: int, kind: int) -> None:
        monkeypatch.undo()
        world.roll_back(1)
        lock(descriptor, kind)

    monkeypatch.setattr(fcntl, "flock", flock)
    world.vacuum(keep_epochs=1, keep_days=0)
    assert world.dump() == first


def test_every_table_goes_with_its_corpus_but_what_is_of_the_whole_ledger() -> None:
    left = [
        table.name
        for table in metadata.sorted_tables
        if not any(key.column.table is corpora and key.ondelete == "CASCADE" for key in table.foreign_keys)
    ]
    assert sorted(left) == ["access_tokens", corpora.name, "deeds", identity.name, "replies"]
