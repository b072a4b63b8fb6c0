"""Sources: what they yield, what they reject, and when they refuse."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.ingestion.sources import CONDITIONALQA, HTML, Source, SourceDocument, open_source
from clausegraph.ingestion.sources.conditionalqa import ConditionalQASource
from clausegraph.ingestion.sources.folder import FolderSource

pytestmark = pytest.mark.unit

PAGE = b"<!doctype html><title>T</title><h1>T</h1><p>Some text.</p>"
RECORD = {"title": "T", "url": "https://x.example/t", "contents": ["<h1>T</h1>", "<p>Some text.</p>"]}


def split(source: Source) -> tuple[list[SourceDocument], dict[str, str]]:
    found = list(source.documents())
    documents = [item for item in found if isinstance(item, SourceDocument)]
    return documents, {item.what: item.reason for item in found if isinstance(item, Reject)}


def records_file(folder: Path, records: object) -> Path:
    path = folder / "documents.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_folder_yields_html_files_sorted_by_relative_path(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    for name in ("b.html", "a.HTM", "sub/c.html", ".git/d.html", "notes.txt"):
        (tmp_path / name).write_bytes(PAGE)
    documents, rejects = split(open_source(str(tmp_path)))
    assert [document.uri for document in documents] == ["a.HTM", "b.html", "sub/c.html"]
    assert documents[0] == SourceDocument("a.HTM", PAGE, HTML)
    assert rejects == {}


def test_single_file_is_a_source(tmp_path: Path) -> None:
    (tmp_path / "one.html").write_bytes(PAGE)
    (tmp_path / "two.html").write_bytes(PAGE)
    source = open_source(str(tmp_path / "one.html"))
    assert [document.uri for document in split(source)[0]] == ["one.html"]
    assert (source.kind, source.name, source.location) == ("folder", "one", str(tmp_path / "one.html"))


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"%PDF-1.7 <p>", "PDF"),
        (b"\x89PNG\r\n\x1a\n<p>", "PNG"),
        (bytes(range(256)) * 40, "binary"),
        (b"Just some notes, no markup; 3 < 4.", "plain text"),
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"\x00" * 500, "binary"),
    ],
)
def test_what_is_not_html_is_rejected(tmp_path: Path, raw: bytes, reason: str) -> None:
    (tmp_path / "good.html").write_bytes(PAGE)
    (tmp_path / "bad.html").write_bytes(raw)
    documents, rejects = split(open_source(str(tmp_path)))
    assert [document.uri for document in documents] == ["good.html"]
    assert reason in rejects["bad.html"]


def test_few_nul_bytes_do_not_make_a_page_binary(tmp_path: Path) -> None:
    (tmp_path / "nul.html").write_bytes(b"<p>one\x00 two</p>")
    assert len(split(open_source(str(tmp_path)))[0]) == 1


def test_large_file_is_rejected_unread(tmp_path: Path) -> None:
    (tmp_path / "good.html").write_bytes(PAGE)
    with (tmp_path / "big.html").open("wb") as file:
        file.truncate(50 * 1024 * 1024)  # sparse: reading it would show as NULs, not as a size
    assert "52 MB; the limit is 21 MB" in split(open_source(str(tmp_path)))[1]["big.html"]


def test_links_out_of_the_root_and_special_files_are_rejected(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "secret.html"
    root.mkdir()
    outside.write_bytes(PAGE)
    (root / "good.html").write_bytes(PAGE)
    (root / "inside.html").symlink_to(root / "good.html")
    (root / "out.html").symlink_to(outside)
    (root / "broken.html").symlink_to(root / "gone.html")
    (root / "folder").symlink_to(tmp_path)
    os.mkfifo(root / "pipe.html")
    documents, rejects = split(FolderSource(root))
    assert [document.uri for document in documents] == ["good.html", "inside.html"]
    assert "leads out" in rejects["out.html"]
    assert "cannot be read" in rejects["broken.html"]
    assert "not followed" in rejects["folder"]
    assert "regular" in rejects["pipe.html"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "good.html").write_bytes(PAGE)
    (tmp_path / "locked.html").write_bytes(PAGE)
    (tmp_path / "locked.html").chmod(0)
    assert "cannot be read" in split(FolderSource(tmp_path))[1]["locked.html"]


def test_missing_and_empty_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        open_source(str(tmp_path / "nowhere"))
    with pytest.raises(SourceError, match="address"):
        open_source("https://x.example/")
    with pytest.raises(SourceError, match="removes nothing"):
        list(open_source(str(tmp_path)).documents())
    (tmp_path / "bad.html").write_bytes(b"%PDF-")
    with pytest.raises(SourceError, match=r"1 candidates.*removes nothing"):
        list(open_source(str(tmp_path)).documents())


def test_conditionalqa_yields_canonical_records(tmp_path: Path) -> None:
    source = open_source(str(records_file(tmp_path, [RECORD])))
    (document,) = split(source)[0]
    assert (source.kind, document.uri, document.content_type) == ("conditionalqa", RECORD["url"], CONDITIONALQA)
    assert json.loads(document.raw) == RECORD
    assert (document.title, document.url) == ("T", RECORD["url"])


def test_conditionalqa_duplicate_uris(tmp_path: Path) -> None:
    other = RECORD | {"contents": ["<p>Other text.</p>"]}
    documents, rejects = split(ConditionalQASource(records_file(tmp_path, [RECORD, RECORD, other])))
    assert [json.loads(document.raw) for document in documents] == [RECORD]
    assert "same url" in rejects[str(RECORD["url"])]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ({}, "list of records"),
        ([], "no page"),
        ([RECORD, 3], "record 1"),
        ([{"title": "T", "contents": []}], "record 0: field 'url'"),
        ([RECORD | {"title": 4}], "field 'title'"),
        ([RECORD | {"contents": "<p>"}], "x.example/t.*contents"),
        ([RECORD | {"contents": [1]}], "contents"),
    ],
)
def test_bad_conditionalqa_files_are_refused(tmp_path: Path, records: object, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        list(open_source(str(records_file(tmp_path, records))).documents())


@pytest.mark.parametrize("raw", [b"[{", b"", b"[" * 200_000, b"\xff\xfe\x00"])
def test_bad_json_is_refused(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "documents.json").write_bytes(raw)
    with pytest.raises(SourceError, match="not valid JSON"):
        list(open_source(str(tmp_path)).documents())
