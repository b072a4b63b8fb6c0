"""Files that people send: checked, and kept in a folder of the home for each source, where every run finds them."""

from __future__ import annotations

import os
import stat
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from clausegraph.app.services import Record
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.pages.read import MAX_PAGE_BYTES
from clausegraph.core.text import checked_name, is_text
from clausegraph.indexes.corpora import CorpusRow, ensure_corpus, list_sources
from clausegraph.indexes.files import UPLOADS, remove_path, write_whole
from clausegraph.indexes.forgotten import stays_out

MOST_BYTES = 128 * 1024 * 1024  # of the body of one request, and of what the archives in it hold
MOST_FILES = 1000  # of one request, those of its archives too
_MOST_RATIO = 200  # of the bytes of a part of an archive to those that it takes there
_SMALL = 1024 * 1024  # bytes of a part of which no ratio is too large
_DEEPEST, _LONGEST = 20, 200  # folders in each other; bytes of a name
SAMPLE = Path(__file__).resolve().parents[2] / "examples" / "corpus"


class UploadReply(Record):
    """What became of files that were sent for a source, by their names within it; ``refused`` says why of each."""

    corpus: str
    source: str
    kept: list[str]
    refused: dict[str, str]


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file as it was sent; its name may have folders."""

    name: str
    file: BinaryIO


def store(
    workspace: Workspace, corpus: str, source: str, sent: Sequence[SentFile], *, only: bool = False
) -> UploadReply:
    """Keep files for a source, beside those that it has; one of the same name is replaced. An archive (.zip) is kept as
    the files in it. The corpus is made where there is none; nothing is read or published.

    Args:
        only: take away the files that are not among these.

    Raises:
        InputError: the source is another folder or an address; a name leads out of the source; an archive holds too
            much, or a link. Nothing is kept then.
    """
    source = checked_name(source, "source", "give it another")
    row = make_corpus(workspace, corpus)
    folder = folder_of(workspace, row, source)
    for one in list_sources(workspace.ledger, row.id):
        if one.name == source and not folder.is_dir():
            raise InputError(f"source {source!r} of corpus {corpus!r} is {one.location}; give the files another source")
    reply = UploadReply(corpus=row.name, source=source, kept=[], refused={})
    out, found = stays_out(workspace.ledger, row.id, source), dict(_usable(sent, reply.refused))
    if only and found:
        there = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
        forget_files(workspace, row, source, there.keys() - found.keys())
    for name, raw in found.items():
        path = folder / name
        if path.is_dir() or any(one.is_file() for one in path.parents if one.is_relative_to(folder)):
            reply.refused[name] = "the source has a file where this has a folder, or the other way round"
        elif rejected := out(name):
            reply.refused["a page"] = rejected.reason
        else:
            write_whole(path, raw)
            reply.kept.append(name)
    return reply


def make_corpus(workspace: Workspace, corpus: str) -> CorpusRow:
    """The corpus, made where there is none."""
    from clausegraph.core.tokens import FINGERPRINT

    return ensure_corpus(workspace.make_ledger(), corpus, {"tokenizer": FINGERPRINT})


def forget_files(workspace: Workspace, corpus: CorpusRow, source: str, names: Iterable[str] | None) -> list[str]:
    """Remove files of a source, or with ``names`` None all that it has; returns what remains and why."""
    folder = folder_of(workspace, corpus, source)
    paths = [folder.parent] if names is None else [folder / name for name in names]
    return [left for path in paths if os.path.lexists(path) for left in remove_path(path)]


def store_sample(workspace: Workspace, corpus: str) -> UploadReply:
    """Keep the sample corpus as the source "sample", as if somebody had sent it."""
    paths = sorted(path for path in SAMPLE.rglob("*") if path.is_file())
    sent = [SentFile(str(path.relative_to(SAMPLE)), BytesIO(path.read_bytes())) for path in paths]
    return store(workspace, corpus, "sample", sent)


def folder_of(workspace: Workspace, corpus: CorpusRow, source: str) -> Path:
    """Where the files of a source lie that were sent; there may be none."""
    shown = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in source)[:40]
    name = f"{shown}-{sha256(source.encode()).hexdigest()[:12]}"
    return workspace.settings.home / UPLOADS / str(corpus.id) / name / "files"


# --- checks ---------------------------------------------------------------------------------------


def _usable(sent: Sequence[SentFile], refused: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """The files that can be kept, by name, those of an archive in its place; what cannot is added to ``refused``."""
    archives = [one for one in sent if one.name.lower().endswith(".zip")]
    if len(archives) > 1:
        raise InputError(f"{len(archives)} archives came at once; send one after the other")
    for one in sent:
        for given, raw in _members(one) if one in archives else [(one.name, one.file.read(MAX_PAGE_BYTES + 1))]:
            if _is_hidden(given):
                refused[given] = "a system keeps it for itself"
            elif reason := _why_not(name := _checked(given), raw):
                refused[name] = reason
            else:
                yield name, raw


def _why_not(name: str, raw: bytes) -> str:
    """Why a file is not kept; empty of one that is."""
    from clausegraph.ingestion.formats.formats import Unreadable, content_type_by_ending, recognised

    if len(raw) > MAX_PAGE_BYTES:
        return f"it has more than {MAX_PAGE_BYTES // 1_048_576} MB"
    if content_type_by_ending(name) is None:
        return "a file of this kind is not read"
    try:
        recognised(name, raw)
    except Unreadable as error:
        return error.reason
    return ""


def _is_hidden(name: str) -> bool:
    return any((part.startswith(".") and part.strip(".")) or part == "__MACOSX" for part in name.split("/"))


def _checked(given: str) -> str:
    """A name within a source; one that leads out of it, or that is hidden, raises ``InputError``."""
    name = unicodedata.normalize("NFC", given)
    parts = name.split("/")
    wrong = next((part for part in parts if part in ("", "..") or part.startswith(".") or part != part.strip()), None)
    if wrong is not None or "\\" in name or parts[0].endswith(":") or not (is_text(name) and name.isprintable()):
        raise InputError(f"file name {given[:80]!a} is no path within a source; take one like folder/page.html")
    if len(parts) > _DEEPEST or any(len(part.encode()) > _LONGEST for part in parts):
        raise InputError(f"file name {given[:80]!a}… is too long or too deep; shorten it")
    return name


def _members(one: SentFile) -> Iterator[tuple[str, bytes]]:
    """The files of an archive, once it is known that all of it is harmless."""
    from clausegraph.ingestion.formats.formats import END_BYTES, has_more_parts

    size = one.file.seek(0, os.SEEK_END)
    one.file.seek(max(0, size - END_BYTES - 20))
    if has_more_parts(one.file.read(), 2 * MOST_FILES):
        raise InputError(f"archive {one.name[:80]!r} has more than {MOST_FILES:,} files; send them in parts")
    try:
        with ZipFile(one.file) as archive:
            wanted = [info for info in archive.infolist() if _is_file(one.name, info)]
            if len(wanted) > MOST_FILES or sum(info.file_size for info in wanted) > MOST_BYTES:
                most = f"{MOST_FILES:,} files or {MOST_BYTES // 1_048_576} MB"
                raise InputError(f"archive {one.name[:80]!r} unpacks to more than {most}; send it in parts")
            for info in wanted:
                yield info.filename, archive.open(info).read(MAX_PAGE_BYTES + 1)
    except (BadZipFile, ValueError, EOFError, NotImplementedError, zlib.error) as error:
        raise InputError(f"archive {one.name[:80]!r} cannot be unpacked: {error}") from error


def _is_file(archive: str, info: ZipInfo) -> bool:
    """Whether a part of an archive is a file that is wanted; what may be meant badly raises ``InputError``."""
    where = f"archive {archive[:80]!r} has {info.filename[:80]!a}"
    mode = info.external_attr >> 16
    if info.flag_bits & 1:
        raise InputError(f"{where}, which is encrypted; send it as it is")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise InputError(f"{where}, which is a link or no file; leave it out")
    if info.file_size > _SMALL and info.file_size > _MOST_RATIO * max(1, info.compress_size):
        raise InputError(f"{where}, which unpacks to more than {_MOST_RATIO} times its size; leave it out")
    if _is_hidden(info.filename):
        return False
    _checked(info.filename.rstrip("/"))
    return not info.is_dir()
