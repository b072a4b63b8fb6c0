"""Epochs from the outside: what readers see while, after and in spite of publishing."""

import errno
import itertools
import multiprocessing
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import text, update

from clausegraph.core.errors import LeaseHeldError, LeaseLostError, SegmentError, StorageError
from clausegraph.core.extraction import Extraction, ExtractionInput
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.ledger.schema import run_leases
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.vectors.segments import listed_segments
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.pipeline import Options, Tools, ingest
from clausegraph.ingestion.sources import open_source
from tests.harness.writes import COMMIT, FILES, failing_at
from tests.law.world import CORPUS, World

SECRET = "Zanzibar"
PAGES = {
    "a": ["You can get the grant if you are over 65.", "The grant is £200 a year."],
    "b": [f"You must live in {SECRET} unless you are a student.", "Contact the office."],
}


def segment_file(world: World, name: str) -> Path:
    return world.ledger.home / "segments" / str(world.row.id) / name


def test_one_edited_element_redoes_only_what_holds_it(world: World) -> None:
    world.write(
        "c", [f"Rule {number}: you must keep record {number} for {number} years. " * 8 for number in range(2, 12)]
    )
    world.ingest()
    edited = [f"Rule {number}: you must keep record {number} for {number} years. " * 8 for number in range(2, 12)]
    edited[5] = "This rule is new."
    world.write("c", edited)
    before = world.extractor.calls
    report = world.ingest()
    assert report.pages_changed == ["c.html"]
    assert world.extractor.calls - before == report.chunks_extracted
    assert report.chunks_extracted <= 3 < report.chunks_reused
    assert report.texts_embedded < 12
    world.assert_lawful()


def test_many_publishes_merge_their_segments(world: World) -> None:
    for number in range(25):
        world.write("a", [f"You can get {number} pounds."])
        world.ingest()
    kinds = [row.kind for row in listed_segments(world.ledger, world.row.id)]
    assert max(kinds.count(kind) for kind in set(kinds)) <= 21
    world.assert_lawful()


def test_changing_the_model_embeds_again_and_never_mixes(world: World) -> None:
    world.embedder = HashingEmbedder(24, name="other")
    report = world.ingest()
    assert report.texts_embedded > 0
    with open_view(world.ledger, CORPUS) as view:
        assert view.model == "other:24"
        assert view.vectors("element")[1].shape[1] == 24
    with open_view(world.ledger, CORPUS, 1) as old:
        assert old.vectors("element")[1].shape[1] == 16
    world.assert_lawful()


def test_a_segment_without_embeddings_says_so(world: World) -> None:
    with world.ledger.write() as connection:
        connection.execute(text("DELETE FROM embeddings"))
    for row in listed_segments(world.ledger, world.row.id):
        segment_file(world, row.file).unlink()
    with open_view(world.ledger, CORPUS) as view, pytest.raises(SegmentError, match="--force"):
        view.search("element", world.embedder.embed_query("grant"), 3)
    world.ingest(Options(force=True))
    with open_view(world.ledger, CORPUS) as view:
        assert view.search("element", world.embedder.embed_query("grant"), 3)


def test_a_run_that_lost_its_lease_publishes_nothing(world: World) -> None:
    class Thief:
        fingerprint = "thief"

        def extract(self, chunk_input: ExtractionInput) -> Extraction:
            with world.ledger.write() as connection:
                connection.execute(update(run_leases).values(fence=99, run_id="thief"))
            return Extraction(())

    world.write("a", ["Something new."])
    with pytest.raises(LeaseLostError, match="run thief"):
        ingest(Tools(world.ledger, world.embedder, Thief()), CORPUS, open_source(str(world.folder)))
    assert world.newest() == 1


@pytest.mark.parametrize(
    ("kinds", "error"),
    [
        ([COMMIT], partial(sqlite3.OperationalError, "database or disk is full")),
        (FILES, partial(OSError, errno.ENOSPC, "No space left on device")),
    ],
    ids=["ledger", "files"],
)
def test_a_full_disk_is_told_and_loses_nothing(
    world: World, kinds: Sequence[str], error: Callable[[], BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    """Full at each write of a run in turn; what was opened by then is removed again. A log tells it after the flip."""
    for write in itertools.count(1):
        world.write("a", [f"The grant is £{write} a year."])
        with failing_at(write, world.root, error, kinds=kinds, lasting=False) as writes:
            caplog.clear()
            try:
                world.ingest()
                said = caplog.text
            except StorageError as failed:
                said = str(failed)
            except LeaseHeldError:  # the write that failed was the last, which gives the corpus back
                world.write("a", [f"The grant is £{write - 1} a year."])
                break
        if not writes.stopped:
            break
        assert "disk that holds" in said and "is full (" in said, (write, writes.seen)
    world.assert_lawful()
    assert write > 3
    assert not list(world.ledger.home.rglob("*.tmp"))


def _slow_ingest(root: str) -> None:
    class Slow:
        fingerprint = "slow"

        def extract(self, chunk_input: ExtractionInput) -> Extraction:
            time.sleep(0.2)
            return Extraction(())

    with open_ledger(Path(root) / "home") as ledger:
        ingest(Tools(ledger, HashingEmbedder(16), Slow()), CORPUS, open_source(str(Path(root) / "pages")))


@pytest.mark.integration
def test_kill_9_frees_the_lease_and_loses_nothing(world: World) -> None:
    for number in range(20):
        world.write(f"page{number}", [f"You must keep record {number}."])
    process = multiprocessing.get_context("spawn").Process(target=_slow_ingest, args=(str(world.root),))
    process.start()
    deadline = time.time() + 60
    while time.time() < deadline:  # until it holds the lease
        with world.ledger.read() as connection:
            held = connection.execute(text("SELECT pid FROM run_leases WHERE expires > 0")).scalar()
        if held == process.pid:
            break
        time.sleep(0.05)
    with pytest.raises(LeaseHeldError, match=str(process.pid)):
        world.ingest()
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    world.ingest()
    world.assert_lawful()
