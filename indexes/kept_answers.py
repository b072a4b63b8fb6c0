"""Answers that people keep: files beside a ledger in a file, which readers never write, or rows of one in a server.

A kept answer quotes pages, so it goes with its epoch, its corpus and whoever asked.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from sqlalchemy import Select, delete, insert, select

from clausegraph.indexes.files import file_errors, remove_path, write_whole
from clausegraph.indexes.ledger.schema import kept_answers
from clausegraph.indexes.ledger.store import Ledger

FOLDER = "answers"  # within the home folder
_END = ".answer"
_NAME = 16  # characters of a kept answer's name
_CUT_OFF = 60.0  # seconds after which a file that is still unfinished is one that a killed process left
_kept = kept_answers.c


class AnswerStore(Protocol):
    """Where kept answers are; ``StorageError``: it cannot be read or written."""

    def keep(self, corpus_id: int, epoch: int, owner: str, name: str, data: bytes, most: int) -> None:
        """Keep an answer under a name of :func:`new_name`, on the disk before this returns. The oldest of the owner, of
        all corpora, go when there are more than ``most``."""

    def read(self, corpus_id: int, owner: str, name: str) -> bytes | None:
        """An answer of an owner; None where there is none of that name."""

    def newest(self, corpus_id: int, owner: str, count: int) -> Iterator[tuple[str, bytes]]:
        """The names and contents of what an owner asked a corpus last, newest first."""

    def forget(self, corpus_id: int, owner: str, name: str) -> None:
        """Remove an answer of an owner; one that is not there stays so."""

    def forget_owner(self, owner: str) -> None:
        """Remove all that was kept for an owner."""

    def forget_strangers(self, known: Collection[str], kind: str) -> None:
        """Remove what was kept for whoever is neither ``known`` nor begins with ``kind``."""

    def forget_epochs(self, corpus_id: int, but: Collection[int]) -> Iterator[str]:
        """Remove the answers of a corpus that are of none of these epochs; what remains and why, in words."""

    def folders(self) -> list[Path]:
        """Where there are answers that do not go with their corpus: each is called by the id of one."""


def answers_of(ledger: Ledger) -> AnswerStore:
    """The kept answers of a ledger."""
    return answers_in(ledger.home, ledger if ledger.database.kind == "postgresql" else None)


def answers_in(home: Path, shared: Ledger | None) -> AnswerStore:
    """The kept answers of a ledger that machines share, or beside the one in a home folder."""
    return AnswerFiles(home) if shared is None else AnswerRows(shared)


def new_name() -> str:
    """A name for an answer that is to be kept."""
    return secrets.token_hex(_NAME // 2)


class AnswerFiles:
    """The ``AnswerStore``, which documents the methods, in a home folder: a folder for each corpus and epoch."""

    def __init__(self, home: Path) -> None:
        self._folder = home / FOLDER

    def keep(self, corpus_id: int, epoch: int, owner: str, name: str, data: bytes, most: int) -> None:
        write_whole(self._folder / str(corpus_id) / f"epoch-{epoch:08d}" / f"{_file_part(owner)}_{name}{_END}", data)
        before = time.time() - _CUT_OFF
        unfinished = [path for path, changed in self._by_time("*/*/*.tmp") if changed / 1e9 < before]
        _remove([*self._newest("*", owner)[most:], *unfinished])

    def read(self, corpus_id: int, owner: str, name: str) -> bytes | None:
        return next((_bytes(path) for path in self._find_file(corpus_id, owner, name)), None)

    def newest(self, corpus_id: int, owner: str, count: int) -> Iterator[tuple[str, bytes]]:
        for path in self._newest(str(corpus_id), owner)[:count]:
            data = _bytes(path)
            if data is not None:
                yield path.stem[-_NAME:], data

    def forget(self, corpus_id: int, owner: str, name: str) -> None:
        _remove(self._find_file(corpus_id, owner, name))

    def forget_owner(self, owner: str) -> None:
        _remove(self._paths(f"*/*/{_file_part(owner)}_*"))

    def forget_strangers(self, known: Collection[str], kind: str) -> None:
        names = {_file_part(owner) for owner in known}
        owners = ((path, path.name.rpartition("_")[0]) for path in self._paths("*/*/*_*"))
        _remove([path for path, who in owners if who not in names and not who.startswith(_file_part(kind))])

    def forget_epochs(self, corpus_id: int, but: Collection[int]) -> Iterator[str]:
        names = {f"epoch-{number:08d}" for number in but}
        for path in self._paths(f"{corpus_id}/*"):
            if path.name not in names:
                yield from remove_path(path)

    def folders(self) -> list[Path]:
        return self._paths("*")

    def _find_file(self, corpus_id: int, owner: str, name: str) -> list[Path]:
        if len(name) != _NAME or not set(name) <= set("0123456789abcdef"):
            return []
        return self._paths(f"{corpus_id}/*/{_file_part(owner)}_{name}{_END}")

    def _newest(self, corpus: str, owner: str) -> list[Path]:
        timed = self._by_time(f"{corpus}/*/{_file_part(owner)}_*{_END}")
        return [path for path, _ in sorted(timed, key=lambda one: (one[1], one[0].name, one[0]), reverse=True)]

    def _by_time(self, pattern: str) -> Iterator[tuple[Path, int]]:
        """Files with the time of their last change in nanoseconds; not one that is removed meanwhile."""
        for path in self._paths(pattern):
            with file_errors(path), suppress(FileNotFoundError):
                yield path, path.stat().st_mtime_ns

    def _paths(self, pattern: str) -> list[Path]:
        with file_errors(self._folder):
            return sorted(self._folder.glob(pattern))


def _file_part(owner: str) -> str:
    """The id of a token or a person as a part of a file's name."""
    return quote(owner, safe="").replace("_", "%5F")


def _bytes(path: Path) -> bytes | None:
    """The content of a file; None where it was removed meanwhile."""
    with file_errors(path), suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def _remove(paths: list[Path]) -> None:
    for path in paths:
        with file_errors(path):
            path.unlink(missing_ok=True)


class AnswerRows:
    """The ``AnswerStore``, which documents the methods, in a ledger that machines share."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def keep(self, corpus_id: int, epoch: int, owner: str, name: str, data: bytes, most: int) -> None:
        row = {"corpus_id": corpus_id, "owner": owner, "name": name, "epoch": epoch, "data": data}
        older = _newest_of(owner).with_only_columns(_kept.name).offset(most)
        with self._ledger.beside() as connection:
            asked = self._ledger.database.now(connection)
            connection.execute(insert(kept_answers).values(**row, asked=asked))
            connection.execute(delete(kept_answers).where(_kept.owner == owner, _kept.name.in_(older)))

    def read(self, corpus_id: int, owner: str, name: str) -> bytes | None:
        found: bytes | None = self._ledger.value(select(_kept.data).where(*_named(corpus_id, owner, name)))
        return found

    def newest(self, corpus_id: int, owner: str, count: int) -> Iterator[tuple[str, bytes]]:
        query = _newest_of(owner).where(_kept.corpus_id == corpus_id).limit(count)
        return ((row.name, row.data) for row in self._ledger.rows(query))

    def forget(self, corpus_id: int, owner: str, name: str) -> None:
        self._delete(*_named(corpus_id, owner, name))

    def forget_owner(self, owner: str) -> None:
        self._delete(_kept.owner == owner)

    def forget_strangers(self, known: Collection[str], kind: str) -> None:
        self._delete(_kept.owner.not_in(list(known)), ~_kept.owner.startswith(kind, autoescape=True))

    def forget_epochs(self, corpus_id: int, but: Collection[int]) -> Iterator[str]:
        self._delete(_kept.corpus_id == corpus_id, _kept.epoch.not_in(list(but)))
        return iter(())

    def folders(self) -> list[Path]:
        return []

    def _delete(self, *which: Any) -> None:
        with self._ledger.beside() as connection:
            connection.execute(delete(kept_answers).where(*which))


def _named(corpus_id: int, owner: str, name: str) -> tuple[Any, ...]:
    return _kept.corpus_id == corpus_id, _kept.owner == owner, _kept.name == name


def _newest_of(owner: str) -> Select[Any]:
    return select(kept_answers).where(_kept.owner == owner).order_by(_kept.asked.desc(), _kept.name.desc())
