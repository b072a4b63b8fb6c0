"""A run mirrors its source, but only what it could see of it: what cannot be listed or used stays as it was."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.errors import InputError, SourceError
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.pages.read import SourceDocument
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import ingest
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import open_source
from clausegraph.ingestion.steps import run_steps
from clausegraph.ingestion.tools import Options, Tools

PAGE = "<title>T</title><h1>T</h1><p>You can get the grant if you are over 65.</p>"

Mirror = Callable[..., RunReport]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    for name in ("top.html", "sub/inner.html", "sub/deep/er.html", "subway.html"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(PAGE.replace("65", str(60 + len(name))), encoding="utf-8")
    return folder


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def mirror(ledger: Ledger, pages: Path) -> Mirror:
    """Ingest the folder: ``mirror(allow_empty=True)``."""

    def run(how: Callable[..., RunReport] = ingest, corpus: str = "c", **options: Any) -> RunReport:
        tools = Tools(ledger, HashingEmbedder(16), RuleExtractor())
        return how(tools, corpus, open_source(str(pages)), options=Options(**options))

    return run


def unreadable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operating system refuses to list the folder; root, as whom tests may run, is refused nothing by a mode."""
    scandir = os.scandir

    def refuse(path: str) -> Any:
        if Path(path) == folder:
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)


@pytest.mark.parametrize("how", [ingest, run_steps])
def test_pages_below_an_unreadable_folder_stay(
    how: Callable[..., RunReport], mirror: Mirror, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(mirror(how).pages_added) == 4
    unreadable(pages / "sub", monkeypatch)
    (pages / "subway.html").unlink()
    for dry_run in (True, False):
        report = mirror(how if not dry_run else ingest, dry_run=dry_run)
        assert report.pages_removed == ["subway.html"]
        assert report.pages_kept == ["sub/deep/er.html", "sub/inner.html"]
        assert [reject.what for reject in report.rejects] == ["sub/"]
        assert "Permission denied" in report.pages_why["sub/inner.html"]


def test_an_unreadable_root_removes_nothing(mirror: Mirror, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirror()
    unreadable(pages, monkeypatch)
    for options in ({}, {"allow_empty": True}):
        with pytest.raises(SourceError, match="Permission denied; this run removes nothing"):
            mirror(**options)


def test_a_source_that_lost_all_its_pages_is_asked_about(ledger: Ledger, mirror: Mirror, pages: Path) -> None:
    """As an unmounted disk looks: the folder is there, and nothing in it."""
    mirror()
    shutil.rmtree(pages)
    pages.mkdir()
    (pages / "lost+found").mkdir()
    for dry_run in (True, False):
        with pytest.raises(SourceError, match=r"it is empty.*add --allow-empty"):
            mirror(dry_run=dry_run)
    assert get_corpus(ledger, "c").newest == 1
    report = mirror(allow_empty=True)
    assert len(report.pages_removed) == 4 and report.epoch == 2
    assert mirror(allow_empty=True).epoch is None


def test_skipped_files_are_told(mirror: Mirror, pages: Path) -> None:
    for name in ("a.xlsx", "sub/b.xlsx", "c.zip"):
        (pages / name).write_bytes(b"x")
    assert mirror(run_steps).skipped == {".xlsx": 2, ".zip": 1}


class TwoPagesOfOneUri:
    """A source as somebody may write it: it lists two pages under one uri."""

    name, kind, location = "twice", "listed", "/twice"

    def documents(self) -> Iterator[SourceDocument]:
        for age in (65, 70):
            yield SourceDocument("a", PAGE.replace("65", str(age)).encode())


@pytest.mark.parametrize("how", [ingest, run_steps])
def test_the_second_page_of_a_uri_is_rejected(how: Callable[..., RunReport], ledger: Ledger) -> None:
    tools = Tools(ledger, HashingEmbedder(16), RuleExtractor())
    for added, unchanged in ((["a"], 0), ([], 1)):
        report = how(tools, "c", TwoPagesOfOneUri(), options=Options())
        assert (report.pages_added, report.pages_changed, report.pages_unchanged) == (added, [], unchanged)
        assert [(one.what, "another page with this uri" in one.reason) for one in report.rejects] == [("a", True)]


def test_corpus_names_that_look_alike(ledger: Ledger, mirror: Mirror) -> None:
    mirror(corpus="caf\u00e9")
    assert get_corpus(ledger, "cafe\u0301").name == "caf\u00e9"
    assert mirror(corpus="cafe\u0301").pages_unchanged == 4
    odd = ["", " ", "c ", " c", "a  b", "a\u00a0b", "c\u200b", "a\nb", "\u3164", "a\ufe0f", "a/b", "\udce9", "x" * 101]
    for name in odd:
        for dry_run in (True, False):
            with pytest.raises(InputError, match=r"corpus name .* is not usable"):
                mirror(corpus=name, dry_run=dry_run)
