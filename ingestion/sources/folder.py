"""A folder of files in any format that is read, or one such file, as a source; and reading a file, whatever it is."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Literal

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.core.pages.read import MAX_PAGE_BYTES, SourceDocument
from clausegraph.core.text import is_text
from clausegraph.ingestion.formats.formats import Unreadable, content_type_by_ending, recognised
from clausegraph.ingestion.sources.source import Item, Skipped, Unlisted

Kind = Literal["file", "folder", "other", "nothing"]
_LOCKS = ("~$", "._")  # beside a file: that Word has it open, and what macOS keeps of it
_ENDING = re.compile(r"\.[a-z0-9]{1,8}")


def local(path: str | Path) -> Path:
    """The absolute path; a "~" of an unknown user stays one."""
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        return Path(path).absolute()


def kind_of(path: Path) -> Kind:
    """What is there, links followed; nothing too where a path is too long, goes in circles or may not be entered."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # the latter of a NUL byte
        return "nothing"
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"


def is_address(location: str) -> bool:
    """Whether a location is an address on the web."""
    return location.strip().lower().startswith(("http://", "https://"))


def is_address_file(location: str) -> bool:
    """Whether a location is a text file whose first line that is no remark is an address."""
    path = local(location)
    if path.suffix.lower() not in (".txt", ".urls", ".list") or kind_of(path) != "file":
        return False
    with path.open("rb") as file:
        lines = file.read(64 * 1024).decode("utf-8-sig", "replace").splitlines()
    first = next((line.strip() for line in lines if line.strip() and not line.strip().startswith("#")), "")
    return is_address(first)


def read_regular(path: Path, limit: int) -> bytes | str:
    """The bytes of a file, or the reason not to take them.

    A pipe, socket or device is never opened, nor waited for; a file of more than ``limit`` bytes is not read, and one
    that changes meanwhile is not taken: it might be half of one page and half of another.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return "not a regular file"
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # it may be a pipe by now
        with os.fdopen(descriptor, "rb") as file:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                return "not a regular file"
            if before.st_size > limit:
                return f"the file has {before.st_size / 1e6:.0f} MB; the limit is {limit / 1e6:.0f} MB"
            raw = file.read(limit + 1)
            after = os.fstat(descriptor)
    except OSError as error:
        return f"the file cannot be read: {error.strerror or error}"
    if len(raw) != before.st_size or (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        return "the file changed while it was read; the next run reads it"
    return raw


class FolderSource:
    """The files below a folder whose format is read; a page's uri is its path relative to the folder.

    A name's ending tells which files are candidates, the bytes what they are; all others are counted. Hidden folders
    (``.git``) are not entered, links to folders are not followed, and a link to a file is followed only where it
    stays inside the folder.
    """

    kind = "folder"

    def __init__(self, path: Path | str, name: str | None = None, *, except_for: frozenset[str] = frozenset()) -> None:
        """Open the folder or file at ``path``; files at the uris of ``except_for`` are another source's."""
        self._path = local(path)
        kind = kind_of(self._path)
        if kind == "nothing":
            raise SourceError(f"source {path} does not exist; give a folder of files or one file")
        self._is_folder = kind == "folder"
        self._root = self._path if self._is_folder else self._path.parent
        self._except_for = except_for
        self.name = name or (self._path.name if self._is_folder else self._path.stem) or "root"
        self.location = str(self._path)

    def documents(self) -> Iterator[Item]:
        """Yield the pages in the order of their uris; see ``Source.documents``."""
        if not self._is_folder:
            yield self._read(self._path.name)
            return
        listed = _Listing(self._root, self._except_for)
        yield from listed.unlisted
        if listed.skipped:
            yield Skipped(dict(sorted(listed.skipped.items())))
        for uri in sorted(listed.found):
            yield self._read(uri)

    def _read(self, uri: str) -> SourceDocument | Reject:
        if not is_text(uri):
            return Reject(ascii(uri), "the file name is not valid UTF-8; rename the file")
        target = Path(os.path.realpath(self._root / uri))  # Path.resolve raises where links go in circles
        if not target.is_relative_to(os.path.realpath(self._root)):
            return Reject(uri, "the symbolic link leads out of the source's folder")
        raw = read_regular(target, MAX_PAGE_BYTES)
        if isinstance(raw, str):
            return Reject(uri, raw)
        try:
            return SourceDocument(uri, raw, recognised(uri, raw))
        except Unreadable as error:
            return Reject(uri, error.reason)


class _Listing:
    """What is below a folder: uris of candidates, what could not be listed, how many other files there are.

    Folder by folder rather than by ``os.walk``, which recurses and gives up at a thousand folders in each other.
    """

    def __init__(self, root: Path, except_for: frozenset[str]) -> None:
        self._root = root
        self._except_for = except_for
        self.found: list[str] = []
        self.unlisted: list[Unlisted] = []
        self.skipped: Counter[str] = Counter()
        waiting = [""]  # prefixes of uris
        while waiting:
            waiting += self._list(waiting.pop())

    def _list(self, prefix: str) -> list[str]:
        """Take in one folder; returns the folders in it."""
        inner = []
        try:
            with os.scandir(self._root / prefix) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        inner += [] if entry.name.startswith(".") else [f"{prefix}{entry.name}/"]
                    elif entry.is_symlink() and kind_of(Path(entry.path)) == "folder":
                        self._leave_out(f"{prefix}{entry.name}/", "a symbolic link to a folder is not followed")
                    elif prefix + entry.name in self._except_for or entry.name.startswith(_LOCKS):
                        continue
                    elif content_type_by_ending(entry.name) is not None:
                        self.found.append(prefix + entry.name)
                    elif not entry.name.startswith("."):
                        ending = PurePath(entry.name).suffix.lower()
                        self.skipped[ending if _ENDING.fullmatch(ending) else ""] += 1
        except OSError as error:
            if not prefix:
                raise SourceError(
                    f"source {self._root} cannot be read: {error.strerror}; this run removes nothing"
                ) from error
            self._leave_out(prefix, f"the folder cannot be read: {error.strerror}; its pages stay as they are")
        return inner

    def _leave_out(self, prefix: str, reason: str) -> None:
        self.unlisted.append(Unlisted(prefix if is_text(prefix) else ascii(prefix), reason))
