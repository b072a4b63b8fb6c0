"""Deleted is gone, or it is said what remains and why."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    delete,
    event,
    func,
    insert,
    select,
    update,
)

from clausegraph.indexes import files
from clausegraph.indexes.corpora import ensure_corpus
from clausegraph.indexes.ledger.dialect import rewrite_file
from clausegraph.indexes.ledger.schema import (
    OPEN,
    corpora,
    embeddings,
    entity_tokens,
    epochs,
    extractions,
    identity,
    members,
    metadata,
    page_versions,
    pages,
    run_steps,
    runs,
    segments,
    sources,
)
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.response_cache import RESPONSES, FileResponseCache, forget_all
from clausegraph.indexes.sweep import corpus_condition, delete_rows, drop_corpus, sweep, was_promised
from clausegraph.indexes.vectors.segments import listed_segments, vector_index
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.pipeline import Options
from tests.harness.writes import failing_at
from tests.law.world import CORPUS, World, new_ledger

pytestmark = pytest.mark.unit


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
        assert rewrite_file(ledger.path) == ""
        there = ledger.path.read_bytes()
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
        [sys.executable, "-c", code, str(world.ledger.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None and reader.stdout.readline() == "ready\n"
        assert world.vacuum(1, 0).remains == []
        assert sweep(world.ledger) == [
            f"{world.ledger.path} and its log: process {reader.pid} is reading; wait for it or stop it"
        ]
        assert b"Quillonby".lower() in _raw(world.ledger.path).lower()  # the state that the reader sees
        reader.communicate()
    assert sweep(world.ledger) == []
    assert b"quillonby" not in _raw(world.ledger.path).lower()


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
    assert b"quillonby" not in _raw(world.ledger.path).lower()


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


def test_every_row_that_a_dead_run_left_goes(world: World) -> None:
    with world.ledger.write() as connection:
        values = {"corpus_id": 1, "run_id": "dead"}
        connection.execute(insert(runs).values(corpus_id=1, id="dead", kind="ingest", started=1.0, status="running"))
        connection.execute(insert(run_steps).values(**values, step="plan", data='{"of": "Quillonby"}'))
    rows = world.vacuum(1, 0).rows
    assert (rows["runs"], rows["run_steps"], count(world, run_steps)) == (3, 1, 0)


def test_young_versions_that_no_epoch_shows_are_counted(world: World) -> None:
    with world.ledger.write() as connection:
        row = connection.execute(select(page_versions)).first()
        assert row is not None
        values = dict(row._mapping) | {"id": 99, "version_key": "of a run that was killed", "fetched": time.time()}
        connection.execute(insert(page_versions).values(**values))
    assert world.vacuum(1, 30).unpublished == 1
    assert world.vacuum(1, 0).unpublished == 0


def test_replies_go_with_the_text_that_they_may_quote(world: World) -> None:
    home = world.root / "home"
    with closing(FileResponseCache(home / RESPONSES, 10**6)) as cache:
        cache.put("one", b"of Quillonby" * 9)
        world.vacuum(10, 30)
        assert cache.get("one") is not None  # nothing was removed
        world.vacuum(1, 0)
        assert cache.get("one") is None


def test_damaged_replies_go_too(tmp_path: Path) -> None:
    """Replies that are damaged now, and those that were moved aside before; what cannot be removed is named."""
    (tmp_path / RESPONSES).write_bytes(b"You live in Quillonby. " * 100)
    aside = tmp_path / f"{RESPONSES}.damaged-17"
    aside.write_bytes(b"You live in Quillonby.")

    def refused() -> PermissionError:
        return PermissionError(13, "Permission denied", str(aside))

    with failing_at("os.remove", tmp_path, refused, kinds=["os.remove"], lasting=False):
        assert forget_all(tmp_path) == [f"{aside}: Permission denied; remove it"]
    assert list(tmp_path.iterdir()) == [aside]
    assert forget_all(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_removed_is_named_and_the_rest_goes(world: World) -> None:
    """Until it can: what was promised is done by the next run."""
    home = world.root / "home"
    stray, aside = home / "segments" / "1" / "stray", home / f"{RESPONSES}.damaged-17"
    stray.write_text("quillonby")

    def refused() -> PermissionError:
        return PermissionError(13, "Permission denied")

    with failing_at("os.remove", stray, refused, kinds=["os.remove"], lasting=False):
        remains = world.vacuum(1, 0).remains
    assert len(remains) == 1 and str(stray) in remains[0] and "Permission denied" in remains[0]
    assert world.vacuum(1, 0).remains == [] and not stray.exists()
    aside.write_text("quillonby")
    with failing_at("os.remove", aside, refused, kinds=["os.remove"], lasting=False):
        assert drop_corpus(world.ledger, CORPUS) == [f"{aside}: Permission denied; remove it"]
    assert was_promised(world.ledger) and aside.exists() and vector_index(world.ledger).corpora() == set()
    world.ingest()
    assert not was_promised(world.ledger) and not aside.exists()


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


def test_models_that_no_vector_is_of_any_more_leave_no_embeddings(world: World) -> None:
    world.embedder = type(world.embedder)(8)
    world.ingest(Options(force=True))
    world.vacuum(1, 0)
    with world.ledger.read() as connection:
        models = set(connection.execute(select(embeddings.c.model)).scalars())
        assert models == set(connection.execute(select(segments.c.model)).scalars()) == {world.embedder.fingerprint}


def test_where_there_is_little_room_rows_go_in_small_steps(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the log of the removal would want more room than it gives back."""
    for number in range(4):
        world.write("a", [f"You must keep record {line} of {number} for {line} years." for line in range(60)])
        world.ingest()
    usage = shutil.disk_usage(world.root)
    logs = []

    def nearly_full(_path: object) -> object:
        return usage._replace(free=1 << 20)

    def note(_connection: object) -> None:
        logs.append((world.ledger.home / "ledger.db-wal").stat().st_size)

    monkeypatch.setattr(shutil, "disk_usage", nearly_full)
    world.ledger.close()
    event.listen(Engine, "commit", note)
    try:
        world.vacuum(keep_epochs=1, keep_days=0)
    finally:
        event.remove(Engine, "commit", note)
    assert len(logs) > 20 and max(logs) < 1_000_000
    world.assert_lawful()


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


def test_every_table_but_the_identity_belongs_to_corpora() -> None:
    assert [table.name for table in metadata.sorted_tables if corpus_condition(table, 1) is None] == [identity.name]


def test_tables_that_are_new_are_covered(tmp_path: Path) -> None:
    """Some name the corpus, in a column of whatever name; some reach it by what they refer to. None cascades."""
    tables = MetaData()
    for table in metadata.sorted_tables:
        table.to_metadata(tables)
    notes = Table("a_notes", tables, _id(), Column("about", ForeignKey("corpora.id"), nullable=False))
    marks = Table("a_marks", tables, _id(), Column("page", ForeignKey("pages.id"), nullable=False))
    replies = Table("a_replies", tables, _id(), Column("mark", ForeignKey("a_marks.id"), nullable=False))
    shared = Table("a_shared", tables, _id())
    new = (notes, marks, replies, shared)
    with open_ledger(tmp_path) as ledger, ledger.write() as connection:
        tables.create_all(connection, new)
        for corpus in (1, 2):
            _fill(connection, corpus)
            connection.execute(insert(notes).values(id=corpus, about=corpus))
            connection.execute(insert(marks).values(id=corpus, page=corpus))
            connection.execute(insert(replies).values(id=corpus, mark=corpus))
        connection.execute(insert(shared).values(id=1))
        delete_rows(connection, tables, 1)
        left = {table.name: connection.execute(select(table)).all() for table in new}
        assert left == {"a_notes": [(2, 2)], "a_marks": [(2, 2)], "a_replies": [(2, 2)], "a_shared": [(1,)]}
        counted = [connection.execute(select(func.count()).select_from(t)).scalar() for t in (corpora, pages, members)]
        assert counted == [1, 1, 1]


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _fill(connection: Connection, corpus: int) -> None:
    """A corpus with one page, and rows that refer to rows of the same corpus without cascading."""
    mine = {"corpus_id": corpus}
    connection.execute(insert(corpora).values(id=corpus, name=str(corpus), settings="{}", created=0.0))
    connection.execute(insert(sources).values(**mine, id=corpus, name="a", kind="folder", location="/a"))
    connection.execute(insert(pages).values(**mine, id=corpus, source_id=corpus, uri="a"))
    version = {"version_key": "k", "raw_hash": "h", "content_type": "t", "pipeline": "p", "fetched": 0.0}
    connection.execute(insert(page_versions).values(**mine, **version, id=corpus, page_id=corpus, reading=b""))
    member = {"page_id": corpus, "page_version_id": corpus, "extractor": "e", "projection": "p"}
    connection.execute(insert(members).values(**mine, **member, since=1, until=OPEN))
