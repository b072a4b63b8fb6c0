"""A folder of HTML files, or one such file, as a source."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.core.pages.document import HTML, MAX_PAGE_BYTES, SourceDocument
from clausegraph.ingestion.sources.sniff import why_not_html

_SUFFIXES = (".html", ".htm")


class FolderSource:
    """The ``*.html`` and ``*.htm`` files below a folder; a page's uri is its path relative to the folder.

    Hidden folders (``.git``) are not entered, links to folders are not followed, and a link to a file is
    followed only where it stays inside the folder.
    """

    kind = "folder"

    def __init__(self, path: Path | str, name: str | None = None, max_bytes: int = MAX_PAGE_BYTES) -> None:
        """Open the folder or file at ``path``.

        Raises:
            SourceError: nothing is there.
        """
        self._path = Path(path).expanduser().absolute()
        if not self._path.exists():
            raise SourceError(f"source {path} does not exist; give a folder of HTML files or one HTML file")
        self._root = self._path if self._path.is_dir() else self._path.parent
        self._max_bytes = max_bytes
        self.name = name or (self._path.name if self._path.is_dir() else self._path.stem) or "root"
        self.location = str(self._path)

    def documents(self) -> Iterator[SourceDocument | Reject]:
        """Yield the pages in the order of their uris; see ``Source.documents``."""
        unreadable: list[Reject] = []
        paths = self._files(unreadable) if self._path.is_dir() else [self._path]
        yield from unreadable
        usable = 0
        for path in paths:
            found = self._read(path)
            usable += isinstance(found, SourceDocument)
            yield found
        if not usable:
            raise SourceError(
                f"source {self.location} has no usable HTML page ({len(paths)} candidates); this run removes nothing"
            )

    def _files(self, rejects: list[Reject]) -> list[Path]:
        """All candidate files below the folder, sorted by uri; folders not read are added to ``rejects``."""

        def failed(error: OSError) -> None:
            rejects.append(Reject(str(error.filename), f"the folder cannot be read: {error.strerror}"))

        found: list[Path] = []
        for parent, folders, files in os.walk(self._path, onerror=failed):
            here = Path(parent)
            for folder in sorted(folders):
                if (here / folder).is_symlink():
                    uri = (here / folder).relative_to(self._root).as_posix()
                    rejects.append(Reject(uri, "a symbolic link to a folder is not followed"))
            folders[:] = [folder for folder in folders if not folder.startswith(".")]
            found += [here / file for file in files if file.lower().endswith(_SUFFIXES)]
        return sorted(found, key=lambda path: path.relative_to(self._root).as_posix())

    def _read(self, path: Path) -> SourceDocument | Reject:
        uri = path.relative_to(self._root).as_posix()
        try:
            uri.encode("utf-8")
        except UnicodeEncodeError:
            return Reject(ascii(uri), "the file name is not valid UTF-8; rename the file")
        try:
            raw = self._raw(path)
        except OSError as error:
            return Reject(uri, f"the file cannot be read: {error.strerror or error}")
        if isinstance(raw, str):
            return Reject(uri, raw)
        reason = why_not_html(raw)
        return Reject(uri, reason) if reason else SourceDocument(uri, raw, HTML)

    def _raw(self, path: Path) -> bytes | str:
        """Bytes of a file, or the reason not to read it: an unbounded, special or outside file is never opened."""
        target = path.resolve()
        if path.is_symlink() and not target.is_relative_to(self._root.resolve()):
            return "the symbolic link leads out of the source's folder"
        status = target.stat()
        if not target.is_file():
            return "not a regular file"
        if status.st_size > self._max_bytes:
            return f"the file has {status.st_size / 1e6:.0f} MB; the limit is {self._max_bytes / 1e6:.0f} MB"
        with target.open("rb") as file:
            return file.read(self._max_bytes)
