"""Sources: what they yield, what they reject, and when they refuse."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from socket import AF_UNIX, socket

import pytest

from clausegraph.core.errors import InputError, SourceError
from clausegraph.core.extraction import Reject
from clausegraph.ingestion.changes import peek
from clausegraph.ingestion.formats.formats import EML, MARKDOWN, PDF, TEXT
from clausegraph.ingestion.sources import CONDITIONALQA, HTML, Skipped, Source, SourceDocument, Unlisted, open_source
from clausegraph.ingestion.sources.detect import SOURCE_KINDS
from clausegraph.ingestion.sources.folder import FolderSource
from clausegraph.ingestion.tools import Options

PAGE = b"<!doctype html><title>T</title><h1>T</h1><p>Some text.</p>"
RECORD = {"title": "T", "url": "https://x.example/t", "contents": ["<h1>T</h1>", "<p>Some text.</p>"]}


def split(source: Source) -> tuple[list[SourceDocument], dict[str, str]]:
    found = list(source.documents())
    documents = [item for item in found if isinstance(item, SourceDocument)]
    rejects = {item.what: item.reason for item in found if isinstance(item, Reject)}
    return documents, rejects | {item.prefix: item.reason for item in found if isinstance(item, Unlisted)}


def records_file(folder: Path, records: object) -> Path:
    path = folder / "documents.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_folder_yields_html_files_sorted_by_relative_path(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    for name in ("b.html", "a.HTM", "sub/c.html", ".git/d.html", "notes.xml"):
        (tmp_path / name).write_bytes(PAGE)
    documents, rejects = split(open_source(str(tmp_path)))
    assert [document.uri for document in documents] == ["a.HTM", "b.html", "sub/c.html"]
    assert documents[0] == SourceDocument("a.HTM", PAGE, HTML)
    assert rejects == {}
    single = open_source(str(tmp_path / "b.html"))
    assert [document.uri for document in split(single)[0]] == ["b.html"]
    assert (single.kind, single.name, single.location) == ("folder", "b", str(tmp_path / "b.html"))


def test_what_is_not_html_is_rejected(tmp_path: Path) -> None:
    bad = {
        b"\x89PNG\r\n\x1a\n<p>": "PNG",
        bytes(range(256)) * 40: "binary",
        b"Just some notes, no markup; 3 < 4.": "plain text",
        b"": "empty",
        b" \n ": "empty",
        b"\x00" * 500: "binary",
    }
    (tmp_path / "good.html").write_bytes(b"<p>one\x00 two</p>")  # a few NUL bytes make no page binary
    for number, raw in enumerate(bad):
        (tmp_path / f"{number}.html").write_bytes(raw)
    with (tmp_path / "big.html").open("wb") as file:
        file.truncate(50 * 1024 * 1024)  # sparse: reading it would show as NULs, not as a size
    documents, rejects = split(open_source(str(tmp_path)))
    assert [document.uri for document in documents] == ["good.html"]
    assert "52 MB; the limit is 21 MB" in rejects.pop("big.html")
    assert all(reason in rejects[f"{number}.html"] for number, reason in enumerate(bad.values())), rejects


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
    (root / "loop.html").symlink_to("loop.html")
    (root / "ring-1").symlink_to("ring-2")
    (root / "ring-2").symlink_to("ring-1")
    (root / "device.html").symlink_to("/dev/zero")
    with socket(AF_UNIX) as bound:
        bound.bind(str(root / "socket.html"))
    documents, rejects = split(FolderSource(root))
    assert [document.uri for document in documents] == ["good.html", "inside.html"]
    assert "leads out" in rejects["out.html"]
    assert "cannot be read" in rejects["broken.html"]
    assert "not followed" in rejects["folder/"]
    assert "regular" in rejects["pipe.html"] and "regular" in rejects["socket.html"]
    assert "levels of symbolic links" in rejects["loop.html"]
    assert "leads out" in rejects["device.html"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "good.html").write_bytes(PAGE)
    (tmp_path / "locked.html").write_bytes(PAGE)
    (tmp_path / "locked.html").chmod(0)
    assert "cannot be read" in split(FolderSource(tmp_path))[1]["locked.html"]


def test_missing_and_empty_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"does not exist; give a folder of files, .*, or an address") as missing:
        open_source(str(tmp_path / "nowhere"))
    assert [kind.about for kind in SOURCE_KINDS if kind.about not in str(missing.value)] == []
    with pytest.raises(SourceError, match="address that is not fetched"):
        open_source("ftp://x.example/")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SourceError, match="Too many levels"):
        open_source(str(tmp_path / "loop"))
    (tmp_path / "loop").unlink()
    for name in ("empty", "records"):
        (tmp_path / name).mkdir()
    for source in (open_source(str(tmp_path / "empty")), open_source(str(records_file(tmp_path / "records", [])))):
        with pytest.raises(SourceError, match=r"page: it is empty. Nothing is removed.*--allow-empty"):
            peek(source, Options())
        assert list(peek(source, Options(allow_empty=True))) == []
    for name in ("bad.html", "good.gif"):
        (tmp_path / "empty" / name).write_bytes(b"GIF89a")
    with pytest.raises(SourceError, match=r"1 file not read: 1 \.gif; 1 not usable, the first is 'bad.html': .*a GIF"):
        peek(open_source(str(tmp_path / "empty")), Options())


def test_conditionalqa_yields_canonical_records(tmp_path: Path) -> None:
    other = RECORD | {"contents": ["<p>Other text.</p>"]}
    source = open_source(str(records_file(tmp_path, [RECORD, RECORD, other])))
    (document,), rejects = split(source)
    assert "same url" in rejects[str(RECORD["url"])]
    assert (source.kind, document.uri, document.content_type) == ("conditionalqa", RECORD["url"], CONDITIONALQA)
    assert json.loads(document.raw) == RECORD
    assert (document.title, document.url) == ("T", RECORD["url"])


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ({}, "list of records"),
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


def test_other_files_are_counted_by_ending(tmp_path: Path) -> None:
    for name in ("a.html", "b.xlsx", "c.XLSX", "sub/d.xlsx", "e.zip", "Makefile", "f.1-2-3-long-ending", ".hidden"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(PAGE)
    found = list(open_source(str(tmp_path)).documents())
    assert found[0] == Skipped({"": 2, ".xlsx": 3, ".zip": 1})
    assert isinstance(found[1], SourceDocument) and len(found) == 2


@pytest.fixture
def abyss(tmp_path: Path) -> Iterator[Path]:
    """A folder tree that no path reaches to the end, deeper than Python's recursion: pytest could not remove it."""
    folder = tmp_path / "abyss"
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    names = [*["d"] * 1100, *["e" * 250] * 8]

    def enter(name: str) -> int:
        there = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        return there

    for name in names:
        os.mkdir(name, dir_fd=here)
        here = enter(name)
    yield folder
    for name in reversed(names):
        here = enter("..")
        os.rmdir(name, dir_fd=here)
    os.close(here)


def test_a_path_that_is_too_long_and_folders_in_folders(abyss: Path) -> None:
    (abyss / "good.html").write_bytes(PAGE)
    documents, rejects = split(FolderSource(abyss))
    assert [document.uri for document in documents] == ["good.html"]
    ((prefix, reason),) = rejects.items()
    assert prefix.startswith("d/d/d/") and prefix.endswith("e/") and "File name too long" in reason


def test_names_are_data_as_long_as_they_are_text(tmp_path: Path) -> None:
    for name in (b"line\nbreak.html", b"bell\a.html", b"caf\xe9.html"):
        (tmp_path / os.fsdecode(name)).write_bytes(PAGE)
    documents, rejects = split(FolderSource(tmp_path))
    assert [document.uri for document in documents] == ["bell\a.html", "line\nbreak.html"]
    assert rejects == {r"'caf\udce9.html'": "the file name is not valid UTF-8; rename the file"}


def test_a_file_that_changes_while_it_is_read_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process appends between the two looks at the file: here, whenever one is looked at."""
    page = tmp_path / "growing.html"
    page.write_bytes(PAGE)
    look = os.fstat

    def look_and_append(descriptor: int) -> os.stat_result:
        found = look(descriptor)
        with page.open("ab") as file:
            file.write(b"<p>more</p>")
        return found

    monkeypatch.setattr(os, "fstat", look_and_append)
    assert "changed while it was read" in split(FolderSource(tmp_path))[1]["growing.html"]


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("x" * 300, "File name too long"),
        ("y/" * 3000, "File name too long"),
        ("nul\0byte", "null byte"),
        ("~nobody-of-this-name/x", "does not exist"),
        ("caf\udce9", "not valid UTF-8"),
        (" ", "does not exist"),
    ],
)
def test_impossible_locations_are_refused(location: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=why) as caught:
        open_source(location)
    assert len(str(caught.value)) < 500


def test_names_of_sources(tmp_path: Path) -> None:
    (tmp_path / "cafe\u0301").mkdir()
    assert open_source(str(tmp_path / "cafe\u0301")).name == "caf\u00e9"  # as other systems write the same name
    for name in ("", "a\nb", "a ", "x" * 200, "a\u200bb", "\udce9"):
        with pytest.raises(InputError, match="--source-name"):
            open_source(str(tmp_path), name)


def test_a_file_is_what_its_bytes_are(tmp_path: Path) -> None:
    found = {
        "a.html": b"%PDF-1.7",
        "b.txt": PAGE,
        "c.md": b"# T",
        "d.txt": b"T",
        "e.eml": b"Subject: T\n\nT",
        "F.XHT": PAGE,
    }
    for name, raw in found.items():
        (tmp_path / name).write_bytes(raw)
    documents, rejects = split(FolderSource(tmp_path))
    kinds = {document.uri: document.content_type for document in documents}
    assert kinds == {"F.XHT": HTML, "a.html": PDF, "b.txt": HTML, "c.md": MARKDOWN, "d.txt": TEXT, "e.eml": EML}
    assert rejects == {}


@pytest.mark.parametrize(
    ("name", "raw", "reason"),
    [
        ("a.docx", b"x", "not Word document: the content is something else"),
        ("a.docx", b"\xd0\xcf\x11\xe0" + "EncryptedPackage".encode("utf-16-le"), "an encrypted Office document"),
        ("a.docx", b"\xd0\xcf\x11\xe0 of 1997", "an old Office document; save it as .docx"),
        ("a.docx", b"PK\x03\x04 and no more", "a damaged ZIP archive"),
        ("a.md", bytes(range(256)) * 40, "binary"),
        ("a.eml", b"no header at all", "header lines"),
        ("a.txt", b"", "empty"),
        ("a.xyz", b"words", r"files \*.xyz are not read, but .html, "),
    ],
)
def test_one_file_that_is_not_read_says_why(tmp_path: Path, name: str, raw: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(SourceError, match=reason):
        peek(open_source(str(tmp_path / name)), Options())


def test_a_documents_file_and_the_files_beside_it_are_one_source(tmp_path: Path) -> None:
    """The files used to be passed over without a word."""
    records_file(tmp_path, [RECORD, RECORD | {"url": "b.html"}])
    alone = open_source(str(tmp_path / "documents.json"), tmp_path.name)
    for name in ("a.html", "b.html", "sub/z.html", "x.zip", "dev.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(PAGE)
    source = open_source(str(tmp_path))
    assert (source.kind, source.name, source.location) == (alone.kind, alone.name, alone.location)
    documents, rejects = split(source)
    assert [document.uri for document in documents] == ["a.html", "b.html", RECORD["url"], "sub/z.html"]
    assert documents[1].content_type == CONDITIONALQA and "same uri" in rejects["b.html"]
    assert Skipped({".json": 1, ".zip": 1}) in list(source.documents())


def test_odd_files_neither_end_nor_hold_up_a_run(tmp_path: Path) -> None:
    """A charset that every decoding fails with, many comments on one line, an archive that lists too much."""
    (tmp_path / "a.html").write_bytes(b'<meta charset="undefined"><p>caf\xe9</p>')
    (tmp_path / "b.html").write_bytes(b"<!--[-->" * 60 + b"<div>Some text.</div>")
    (tmp_path / "c.docx").write_bytes(b"PK\x03\x04" + b"PK\x05\x06" + bytes(4) + b"\xff\xff" * 6 + bytes(2))
    for name in ("~$d.docx", "._e.html"):
        (tmp_path / name).write_bytes(PAGE)
    documents, rejects = split(FolderSource(tmp_path))
    assert [document.uri for document in documents] == ["a.html", "b.html"]
    assert rejects == {"c.docx": "a ZIP archive with more than 10,000 parts"}
