"""Answers that people may come back to: a file each, by the epoch that it is of and by whoever asked.

An answer quotes pages, so it goes with its epoch, and its corpus; what it was asked for goes with whoever asked. It
lies beside the ledger, not in it: readers never write to the ledger.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from urllib.parse import quote

from clausegraph.indexes.files import file_errors, write_whole

FOLDER = "answers"  # within the home folder
_END, _UNFINISHED = ".answer", ".tmp"
_NAME = 16  # characters of a name
_CUT_OFF = 60.0  # seconds after which a file that is still unfinished is one that a killed process left


def new_name() -> str:
    """A name for an answer that is to be kept."""
    return secrets.token_hex(_NAME // 2)


def keep(home: Path, corpus_id: int, epoch: int, owner: str, name: str, data: bytes, most: int) -> None:
    """Keep an answer, on the disk before this returns. The oldest of the owner go when there are more.

    Args:
        name: of :func:`new_name`.
        most: answers of an owner, of all corpora.

    Raises:
        StorageError: it cannot be written.
    """
    write_whole(_folder(home, corpus_id) / f"epoch-{epoch:08d}" / f"{_who(owner)}_{name}{_END}", data)
    for path in _newest(home, "*", owner)[most:]:
        _remove(path)
    for path in _unfinished(home):
        _remove(path)


def read(home: Path, corpus_id: int, owner: str, name: str) -> bytes | None:
    """An answer of an owner; None where there is none of that name.

    Raises:
        StorageError: it cannot be read.
    """
    path = _find(home, corpus_id, owner, name)
    return None if path is None else _bytes(path)


def newest(home: Path, corpus_id: int, owner: str, count: int) -> Iterator[tuple[str, bytes]]:
    """The names and contents of what an owner asked a corpus last, newest first.

    Raises:
        StorageError: they cannot be read.
    """
    for path in _newest(home, str(corpus_id), owner)[:count]:
        data = _bytes(path)
        if data is not None:
            yield path.name[-_NAME - len(_END) : -len(_END)], data


def forget(home: Path, corpus_id: int, owner: str, name: str) -> None:
    """Remove an answer of an owner; one that is not there stays so.

    Raises:
        StorageError: it cannot be removed.
    """
    path = _find(home, corpus_id, owner, name)
    if path is not None:
        _remove(path)


def forget_owner(home: Path, owner: str) -> None:
    """Remove all that was kept for an owner.

    Raises:
        StorageError: a file cannot be removed.
    """
    for path in _paths(home, f"*/*/{_who(owner)}_*"):
        _remove(path)


def forget_strangers(home: Path, known: Collection[str], kind: str) -> None:
    """Remove what was kept for whoever is neither ``known`` nor begins with ``kind``.

    Raises:
        StorageError: a file cannot be removed.
    """
    names = {_who(owner) for owner in known}
    for path in _paths(home, "*/*/*_*"):
        who = path.name.rpartition("_")[0]
        if who not in names and not who.startswith(_who(kind)):
            _remove(path)


def folders_but(home: Path, corpus_id: int, epochs: Collection[int]) -> list[Path]:
    """Folders of a corpus that are of none of these epochs.

    Raises:
        StorageError: they cannot be listed.
    """
    names = {f"epoch-{number:08d}" for number in epochs}
    return [path for path in _paths(home, f"{corpus_id}/*") if path.name not in names]


def corpus_folders(home: Path) -> list[Path]:
    """The folders of all corpora, each with the id of its corpus as its name.

    Raises:
        StorageError: they cannot be listed.
    """
    return _paths(home, "*")


def _folder(home: Path, corpus_id: int) -> Path:
    return home / FOLDER / str(corpus_id)


def _who(owner: str) -> str:
    """The id of a token or a person as a part of a file's name."""
    return quote(owner, safe="").replace("_", "%5F")


def _find(home: Path, corpus_id: int, owner: str, name: str) -> Path | None:
    if len(name) != _NAME or not set(name) <= set("0123456789abcdef"):
        return None
    found = _paths(home, f"{corpus_id}/*/{_who(owner)}_{name}{_END}")
    return found[0] if found else None


def _newest(home: Path, corpus: str, owner: str) -> list[Path]:
    timed = []
    for path in _paths(home, f"{corpus}/*/{_who(owner)}_*{_END}"):
        with file_errors(path):
            try:
                timed.append((path.stat().st_mtime_ns, path.name, path))
            except FileNotFoundError:
                continue
    return [path for _, _, path in sorted(timed, reverse=True)]


def _unfinished(home: Path) -> list[Path]:
    before = time.time() - _CUT_OFF
    found = []
    for path in _paths(home, f"*/*/*{_UNFINISHED}"):
        with file_errors(path):
            try:
                found += [path] if path.stat().st_mtime < before else []
            except FileNotFoundError:
                continue
    return found


def _paths(home: Path, pattern: str) -> list[Path]:
    with file_errors(home / FOLDER):
        return sorted((home / FOLDER).glob(pattern))


def _bytes(path: Path) -> bytes | None:
    with file_errors(path):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None  # it was removed meanwhile


def _remove(path: Path) -> None:
    with file_errors(path):
        path.unlink(missing_ok=True)
