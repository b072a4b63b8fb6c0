"""Snapshots: whole and of one moment whoever writes, cheap after an edit, restored to the byte or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from clausegraph.app.api.served import own_token
from clausegraph.app.services.audit import audit
from clausegraph.app.services.backup import ListedSnapshot, back_up, list_snapshots, restore
from clausegraph.app.services.forget import allow, list_items
from clausegraph.app.services.forget import forget as forget_pages
from clausegraph.app.services.history import vacuum_corpus
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.services.jobs import RunOrder, opened
from clausegraph.app.services.uploads import store_sample
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import ClauseGraphError, InputError, NotFoundError, StorageError
from clausegraph.core.settings import Settings
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.files import STAGING
from clausegraph.indexes.kept_answers import FOLDER as ANSWERS
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.tools import no_progress
from tests.app.cli.conftest import SAMPLE
from tests.harness.home import filled, run
from tests.harness.syscalls import Nursery, nursery
from tests.harness.writes import failing_at

pytestmark = pytest.mark.integration

WORK = "tests.law.commands:{}"


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> tuple[Settings, Path]:
    """A home of some pages of the sample corpus, and the pages; never written to."""
    root = tmp_path_factory.mktemp("backup")
    shutil.copytree(SAMPLE / "guides", root / "pages")
    for name in ("heating-grant.html", "study-grant.html"):
        shutil.copy(SAMPLE / name, root / "pages")
    return filled(root / "home", root / "pages", "law"), root / "pages"


@pytest.fixture
def settings(stock: tuple[Settings, Path], tmp_path: Path) -> Settings:
    shutil.copytree(stock[0].home, tmp_path / "home")
    return stock[0].model_copy(update={"home": tmp_path / "home"})


@pytest.fixture(scope="module")
def runner() -> Iterator[Nursery]:
    with nursery("tests.law.commands", "faiss", "fsspec.implementations.local") as made:
        yield made


def edit(settings: Settings, pages: Path, text: str, name: str = "heating-grant") -> None:
    """Publish with a paragraph more on a page."""
    page = pages / f"{name}.html"
    html = page.read_text(encoding="utf-8")
    page.write_text(html.replace("</main>", f"<p>{text}</p></main>"), encoding="utf-8")
    run(settings, pages)
    page.write_text(html, encoding="utf-8")


def dump(settings: Settings) -> list[str]:
    with Workspace(settings) as workspace, open_view(workspace.ledger, "law") as view:
        return dump_lines(view)


def backed_up(settings: Settings, place: object, keep: int | None = None) -> ListedSnapshot:
    with Workspace(settings) as workspace:
        return back_up(workspace, str(place), keep)


def restored(
    settings: Settings, place: object, name: str = "", home: str = "new", certificates: Sequence[Path] = ()
) -> Settings:
    new = settings.model_copy(update={"home": settings.home.parent / home})
    restore(new, str(place), name, certificates=certificates)
    return new


def test_an_edit_costs_little_and_each_snapshot_comes_back(
    settings: Settings, stock: tuple[Settings, Path], tmp_path: Path
) -> None:
    kept = settings.home / ANSWERS / "1" / "epoch-00000001" / "somebody_0123456789abcdef.answer"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(os.urandom(200_000))  # so that not every block of the home changes
    (settings.home / "access").mkdir()
    (settings.home / "access" / "lock").touch()
    with Workspace(settings) as workspace:
        secret, _ = own_token(workspace)
    before = dump(settings)
    first = backed_up(settings, tmp_path / "copies")
    edit(settings, stock[1], "The grant is £999 in Lethmoor.")
    second = backed_up(settings, tmp_path / "copies")
    again = backed_up(settings, tmp_path / "copies")
    assert again.written < second.written < first.written and again.written < 0.2 * first.written
    new = restored(settings, tmp_path / "copies")
    assert dump(new) == dump(settings) != before
    assert dump(restored(settings, tmp_path / "copies", first.name, "old")) == before
    with Workspace(new) as workspace:
        assert audit(workspace, [], no_progress)[0].found == []
    files = {path.relative_to(new.home).as_posix() for path in new.home.rglob("*") if path.is_file()}
    assert {kept.relative_to(settings.home).as_posix(), "access/tokens.json"} <= files
    assert not {"access/lock", "access/serve-token"} & files
    blocks = [
        zlib.decompress(path.read_bytes()) for path in (tmp_path / "copies" / "blocks").rglob("*") if path.is_file()
    ]
    assert secret and not any(secret.encode() in one for one in blocks)
    assert {path.stat().st_mode & 0o077 for path in [*new.home.rglob("*"), *(tmp_path / "copies").rglob("*")]} == {0}
    assert [one.name for one in list_snapshots(str(tmp_path / "copies"))] == [first.name, second.name, again.name]
    assert backed_up(settings, tmp_path / "copies", keep=1).removed == [first.name, second.name, again.name]
    assert dump(restored(settings, tmp_path / "copies", home="third")) == dump(settings)


def test_a_backup_beside_a_writer_is_of_one_epoch(
    settings: Settings, stock: tuple[Settings, Path], tmp_path: Path
) -> None:
    known, ended = {1: dump(settings)}, threading.Event()

    def write() -> None:
        try:
            for epoch in (2, 3, 4):
                edit(settings, stock[1], f"The fee is £{epoch}.")
                known[epoch] = dump(settings)
                with Workspace(settings) as workspace:
                    vacuum_corpus(workspace, "law", 1, 0)
        finally:
            ended.set()

    writer = threading.Thread(target=write)
    writer.start()
    made = []
    while not ended.is_set():
        made.append(backed_up(settings, tmp_path / "copies"))
    writer.join()
    for one in made[:: max(1, len(made) // 4)]:
        assert dump(restored(settings, tmp_path / "copies", one.name, one.name)) == known[one.corpora["law"]]


def change(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9] + b"damaged!!")


def test_what_is_wrong_is_said_and_nothing_is_restored(settings: Settings, tmp_path: Path) -> None:
    copies, target = tmp_path / "copies", tmp_path / "new"
    name = backed_up(settings, copies).name
    (tmp_path / "file").write_text("")
    manifest = copies / "snapshots" / f"{name}.json"
    of_ledger = json.loads(manifest.read_bytes())["snapshot"]["files"]["ledger.db"]
    block = copies / "blocks" / of_ledger[1][:2] / of_ledger[1]
    cases: list[tuple[type[ClauseGraphError], str, Callable[[], object]]] = [
        (NotFoundError, f"no snapshot 'no' in .*; there are: {name}", lambda: restored(settings, copies, "no")),
        (NotFoundError, "no snapshot in", lambda: restored(settings, tmp_path / "nothing")),
        (InputError, "has a ledger already; name a new folder", lambda: restored(settings, copies, home="home")),
        (InputError, "lies in the home folder", lambda: backed_up(settings, settings.home / "copies")),
        (InputError, "cannot be kept at nowhere://", lambda: backed_up(settings, "nowhere://copies")),
        (StorageError, "Not a directory", lambda: backed_up(settings, tmp_path / "file")),
        (StorageError, "is damaged, a block of ledger.db in snapshot",
         lambda: (change(block), restored(settings, copies))),
        (StorageError, "is missing, a block of", lambda: (block.unlink(), restored(settings, copies))),
        (StorageError, "cannot be read .*; restore another of",
         lambda: (change(manifest), restored(settings, copies))),
    ]  # fmt: skip
    for error, said, act in cases:
        with pytest.raises(error, match=said):
            act()
        assert not (target / "ledger.db").exists()
    with (
        failing_at("open", tmp_path / "full", lambda: OSError(errno.ENOSPC, "no space")),
        pytest.raises(StorageError, match=r"no space.*make room"),
    ):
        backed_up(settings, tmp_path / "full")
    backed_up(settings, tmp_path / "full")
    assert dump(restored(settings, tmp_path / "full")) == dump(settings)


def test_a_url(settings: Settings) -> None:
    backed_up(settings, "memory://copies/of-it")
    last = backed_up(settings, "memory://copies/of-it", keep=1)
    assert dump(restored(settings, "memory://copies/of-it", last.name)) == dump(settings)


def kill_everywhere(runner: Nursery, settings: Settings, pages: Path, root: Path, step: int) -> None:
    """Backup and restore killed at each ``step``-th call: what was there before is whole, and the next one works."""
    before, copies, (home, new) = dump(settings), root / "copies", (settings.home, root / "new")
    runner.run(WORK.format("backup"), root, home=str(home), place=str(copies))
    first = list_snapshots(str(copies))[0].name
    edit(settings, pages, "The grant is £999 in Lethmoor.")
    shutil.copytree(copies, root / "kept")
    for name, of in (("backup", home), ("restore", new)):
        calls = runner.run(WORK.format(name), root, home=str(of), place=str(copies)).calls
        for at in range(1, len(calls) + 1, step):
            shutil.rmtree(new, ignore_errors=True)
            if name == "backup":
                shutil.rmtree(copies)
                shutil.copytree(root / "kept", copies)
            assert runner.run(WORK.format(name), root, at, home=str(of), place=str(copies)).killed
            if name == "restore" and (new / "ledger.db").exists():
                assert dump(settings.model_copy(update={"home": new})) == dump(settings), calls[at - 1]
                continue
            if name == "backup":
                assert dump(restored(settings, copies, first)) == before, calls[at - 1]
                shutil.rmtree(new)
                backed_up(settings, copies)
            assert dump(restored(settings, copies)) == dump(settings), calls[at - 1]
            assert not (new / STAGING).exists() and (name == "restore" or not (home / STAGING).exists())


def test_killed_at_some_calls(
    runner: Nursery, settings: Settings, stock: tuple[Settings, Path], tmp_path: Path
) -> None:
    kill_everywhere(runner, settings, stock[1], tmp_path, 100)


@pytest.mark.long
def test_killed_at_every_call(
    runner: Nursery, settings: Settings, stock: tuple[Settings, Path], tmp_path: Path
) -> None:
    kill_everywhere(runner, settings, stock[1], tmp_path, 1)


def test_what_was_forgotten_since_is_forgotten_again(settings: Settings, tmp_path: Path) -> None:
    """By the folder, by a certificate alone, and not any more when it is allowed."""
    copies, file = tmp_path / "copies", tmp_path / "one.json"
    first = backed_up(settings, copies)
    with Workspace(settings) as workspace:
        forget_pages(workspace, "law", "heating-grant.html", None, "asked for", "tester", tmp_path)
    next(tmp_path.glob("forgotten-*.json")).rename(file)
    new = restored(settings, copies, first.name)
    (copies / "forgotten.json").unlink()  # as a folder that was away meanwhile
    assert dump(restored(settings, copies, first.name, "by-certificate", [file])) == dump(settings)
    assert dump(new) == dump(settings) and not any("heating-grant" in line for line in dump(new))
    with Workspace(new) as workspace:
        assert audit(workspace, [], no_progress)[0].found == []
        (item,) = list_items(workspace, "law")
    with Workspace(settings) as workspace:
        backed_up(settings, copies)
        allow(workspace, "law", item.key)
    assert any("heating-grant" in line for line in dump(restored(settings, copies, first.name, "allowed")))


def test_files_that_were_sent_come_back_but_for_those_forgotten_since(settings: Settings, tmp_path: Path) -> None:
    with Workspace(settings) as workspace:
        store_sample(workspace, "sent")
        run_ingest(workspace, "sent", *opened(workspace, "sent", RunOrder(source="sample")))
    first = backed_up(settings, tmp_path / "copies")
    with Workspace(settings) as workspace:
        forget_pages(workspace, "sent", "sample:heating-grant.html", None, "asked for", "tester", tmp_path)
    new = restored(settings, tmp_path / "copies", first.name)
    files = [path.name for path in (new.home / "uploads").rglob("*.html")]
    assert "fishing-licence.html" in files and "heating-grant.html" not in files
    with Workspace(new) as workspace:  # where the files lie now
        report = run_ingest(workspace, "sent", *opened(workspace, "sent", RunOrder(source="sample")))
    assert not report.pages_added and not report.pages_removed
