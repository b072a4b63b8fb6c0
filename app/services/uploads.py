"""Files that people send: checked, and kept in a folder of the home for each source, where every run finds them."""

from __future__ import annotations

import os
import stat
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.pages.read import MAX_PAGE_BYTES
from clausegraph.core.text import checked_name, is_text
from clausegraph.indexes.corpora import CorpusRow, ensure_corpus, get_corpus, list_sources
from clausegraph.indexes.files import UPLOADS, file_errors, remove_path, write_whole
from clausegraph.indexes.forgotten import stays_out

MOST_BYTES = 128 * 1024 * 1024  # of the body of one request, and of what the archives in it hold
MOST_FILES = 1000  # of one request, those of its archives too
_MOST_RATIO = 200  # of the bytes of a part of an archive to those that it takes there
_SMALL = 1024 * 1024  # bytes of a part of which no ratio is too large
_DEEPEST, _LONGEST = 20, 200  # folders in each other; bytes of a name
SAMPLE = Path(__file__).resolve().parents[2] / "examples" / "corpus"


class RefusedFile(Record):
    """A file that was sent and is not kept."""

    name: str
    reason: str


class UploadReply(Record):
    """What became of files that were sent for a source, by their names within it."""

    corpus: str
    source: str
    added: list[str]
    replaced: list[str]
    unchanged: list[str]
    refused: list[RefusedFile]


class UploadedFiles(Record):
    """A source of files that were sent."""

    source: str
    files: list[str] = Field(description="Their names, by which pages have their uris.")


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file as it was sent; its name may have folders."""

    name: str
    file: BinaryIO


def store(workspace: Workspace, corpus: str, source: str, sent: Iterable[SentFile]) -> UploadReply:
    """Keep files for a source, beside those that it has; one of the same name is replaced. An archive (.zip) is kept as
    the files in it. The corpus is made where there is none; nothing is read or published.

    Raises:
        InputError: the source is another folder or an address; a name leads out of the source; an archive holds too
            much, or a link. Nothing is kept then.
    """
    source = checked_name(source, "source", "give it another")
    row = make_corpus(workspace, corpus)
    folder = folder_of(workspace, row, source)
    for one in list_sources(workspace.ledger, row.id):
        if one.name == source and not is_of(folder, one.location):
            raise InputError(f"source {source!r} of corpus {corpus!r} is {one.location}; give the files another source")
    reply = UploadReply(corpus=row.name, source=source, added=[], replaced=[], unchanged=[], refused=[])
    out = stays_out(workspace.ledger, row.id, source)
    for name, raw in list(_usable(sent, reply.refused)):
        if rejected := out(name):
            reply.refused.append(RefusedFile(name=f"a page of source {source}", reason=rejected.reason))
            continue
        _keep(folder, name, raw, reply)
    return reply


def make_corpus(workspace: Workspace, corpus: str) -> CorpusRow:
    """The corpus, made where there is none."""
    from clausegraph.core.tokens import FINGERPRINT

    return ensure_corpus(workspace.make_ledger(), corpus, {"tokenizer": FINGERPRINT})


def list_uploads(workspace: Workspace, corpus: str) -> list[UploadedFiles]:
    """The sources of a corpus whose files were sent, and the names of these files."""
    row = get_corpus(workspace.ledger, corpus)
    folder, found = workspace.settings.home / UPLOADS / str(row.id), []
    with file_errors(folder):
        for path in sorted(folder.glob("*/source")):
            files = path.parent / "files"
            names = sorted(str(one.relative_to(files)) for one in files.rglob("*") if one.is_file())
            found.append(UploadedFiles(source=path.read_text("utf-8"), files=names))
    return found


def remove_file(workspace: Workspace, corpus: str, source: str, name: str) -> UploadedFiles:
    """Take a file away; its page leaves the corpus with the next run of the source.

    Raises:
        NotFoundError: the source has no such file.
    """
    row = get_corpus(workspace.ledger, corpus)
    kept = next((one for one in list_uploads(workspace, corpus) if one.source == source), None)
    if kept is None or name not in kept.files:
        raise NotFoundError(f"source {source[:80]!r} of corpus {corpus!r} has no file {name[:80]!r} that was sent")
    forget_files(workspace, row, source, [name])
    return UploadedFiles(source=source, files=[one for one in kept.files if one != name])


def forget_files(workspace: Workspace, corpus: CorpusRow, source: str, names: Iterable[str] | None) -> list[str]:
    """Remove files of a source, or with ``names`` None all that it has; returns what remains and why."""
    folder = folder_of(workspace, corpus, source)
    paths = [folder.parent] if names is None else [folder / name for name in names]
    return [left for path in paths if os.path.lexists(path) for left in remove_path(path)]


def store_sample(workspace: Workspace, corpus: str) -> UploadReply:
    """Keep the sample corpus as the source "sample", as if somebody had sent it.

    Raises:
        NotFoundError: it is not on this machine.
    """
    paths = sorted(path for path in SAMPLE.rglob("*") if path.is_file())
    if not paths:
        raise NotFoundError(f"there is no sample corpus at {SAMPLE}")
    sent = (SentFile(str(path.relative_to(SAMPLE)), path.open("rb")) for path in paths)
    return store(workspace, corpus, "sample", sent)


def folder_of(workspace: Workspace, corpus: CorpusRow, source: str) -> Path:
    """Where the files of a source lie that were sent; there may be none."""
    shown = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in source)[:40]
    name = f"{shown}-{sha256(source.encode()).hexdigest()[:12]}"
    return workspace.settings.home / UPLOADS / str(corpus.id) / name / "files"


def is_of(folder: Path, location: str) -> bool:
    """Whether a source's location is that folder, in this home or in the one that it was before it was moved."""
    return Path(location).parts[-4:] == folder.parts[-4:]


# --- checks ---------------------------------------------------------------------------------------


def _usable(sent: Iterable[SentFile], refused: list[RefusedFile]) -> Iterator[tuple[str, bytes]]:
    """The files that can be kept, by name, those of archives in their place; what cannot is added to ``refused``."""
    from clausegraph.ingestion.formats.formats import Unreadable, content_type_by_ending, recognised

    seen = set[str]()
    room = _Room()
    for one in sent:
        is_archive = one.name.lower().endswith(".zip")
        for given, raw in _members(one, room) if is_archive else [(one.name, one.file.read(MAX_PAGE_BYTES + 1))]:
            room.take_file(one.name)
            hidden, reason = _is_hidden(given), ""
            name = given if hidden else _checked(given)
            if hidden:
                reason = "a system keeps it for itself"
            elif len(raw) > MAX_PAGE_BYTES:
                reason = f"it has more than {MAX_PAGE_BYTES // 1_048_576} MB"
            elif name in seen:
                reason = "another file of this name was sent with it"
            elif content_type_by_ending(name) is None:
                reason = "a file of this kind is not read"
            else:
                try:
                    recognised(name, raw)
                except Unreadable as error:
                    reason = error.reason
            if reason:
                refused.append(RefusedFile(name=name, reason=reason))
                continue
            seen.add(name)
            yield name, raw


class _Room:
    """What one request may still bring."""

    def __init__(self) -> None:
        self._files, self._bytes = MOST_FILES, MOST_BYTES

    def take_file(self, what: str) -> None:
        """One more file."""
        self._files -= 1
        if self._files < 0:
            raise InputError(f"{what[:80]!r} is beyond {MOST_FILES:,} files; send them in parts")

    def take_bytes(self, count: int, what: str) -> None:
        """So many bytes of an archive."""
        self._bytes -= count
        if self._bytes < 0:
            raise InputError(f"{what[:80]!r} unpacks to more than {MOST_BYTES // 1_048_576} MB; send it in parts")


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


def _members(one: SentFile, room: _Room) -> Iterator[tuple[str, bytes]]:
    """The files of an archive, once it is known that all of it is harmless."""
    from clausegraph.ingestion.formats.formats import END_BYTES, has_more_parts

    size = one.file.seek(0, os.SEEK_END)
    one.file.seek(max(0, size - END_BYTES - 20))
    if has_more_parts(one.file.read(), 2 * MOST_FILES):
        raise InputError(f"archive {one.name[:80]!r} has more than {MOST_FILES:,} files; send them in parts")
    try:
        with ZipFile(one.file) as archive:
            wanted = [info for info in archive.infolist() if _is_file(one.name, info)]
            for info in wanted:
                room.take_bytes(info.file_size, one.name)
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


def _keep(folder: Path, name: str, raw: bytes, reply: UploadReply) -> None:
    path = folder / name
    if path.is_dir() or any(one.is_file() for one in path.parents if one.is_relative_to(folder)):
        reply.refused.append(RefusedFile(name=name, reason="the source has a folder where this is a file, or one less"))
        return
    with file_errors(path):
        before = path.read_bytes() if path.is_file() else None
    if before == raw:
        reply.unchanged.append(name)
        return
    if not (folder.parent / "source").exists():
        write_whole(folder.parent / "source", reply.source.encode())
    write_whole(path, raw)
    (reply.added if before is None else reply.replaced).append(name)
