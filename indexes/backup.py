"""Snapshots of a home in a folder or at a URL: blocks named by their SHA-256, and a manifest each, written last.

A block is written only where there is none of its name, so a snapshot costs what has changed since any other. The
ledger is copied as one reading transaction sees it, while others write. Vector segments are made again from it; locks,
replies of language models and the text of the server's own token are left out.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath

from sqlalchemy import delete, insert, select, update

from clausegraph.core.errors import InputError, NotFoundError, StorageError
from clausegraph.core.hashing import canonical_json
from clausegraph.indexes.corpora import list_corpora
from clausegraph.indexes.files import (
    OWN_TOKEN,
    UPLOADS,
    file_errors,
    locked_folder,
    make_private,
    open_private,
    staging,
    write_whole,
)
from clausegraph.indexes.forgotten import ForgottenRow, list_forgotten
from clausegraph.indexes.kept_answers import FOLDER as ANSWERS
from clausegraph.indexes.ledger.schema import backups, identity, run_leases, segments
from clausegraph.indexes.ledger.store import Ledger, ledger_id, open_ledger, open_to_read
from clausegraph.indexes.move import copy_corpus, write_segments

BLOCK = 1 << 16  # bytes: an edited page touches parts of the ledger that are far apart
_FORMAT = 1
LEDGER, ACCESS = "ledger.db", "access"  # tokens, the log of deeds, the key of certificates
_LEFT_OUT = {"lock", OWN_TOKEN}  # of ``access``
Forgotten = dict[str, dict[str, ForgottenRow]]  # by corpus and key


@dataclass(slots=True)
class Snapshot:
    """A state of a home: the published epoch of each of its ``corpora``, the keys that each has ``forgotten``, the
    blocks of its ``files`` in order; its ``size`` in bytes, and how many bytes were ``written`` for it."""

    name: str
    created: float
    corpora: dict[str, int]
    forgotten: dict[str, list[str]]
    files: dict[str, list[str]] = field(default_factory=dict)
    size: int = 0
    written: int = 0


class BackupFolder:
    """Where snapshots are: a local folder, or a URL that fsspec knows. The first write makes it.

    Raises, from everything:
        StorageError: it cannot be read or written, or is full.
    """

    def __init__(self, place: str) -> None:
        import fsspec

        try:
            self._fs, self._path = fsspec.core.url_to_fs(place, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise InputError(f"backups cannot be kept at {place}: {error}") from error
        self._local = Path(self._path) if "file" in self._fs.protocol else None
        self.place = str(self._local or self._fs.unstrip_protocol(self._path))  # without a password

    def locked(self) -> AbstractContextManager[None]:
        """Alone in writing to a local folder; at a URL whoever runs it sees to that."""
        busy = f"another backup is writing to {self.place}"
        return nullcontext() if self._local is None else locked_folder(self._local, busy)

    def snapshots(self) -> list[str]:
        """Names of the snapshots, oldest first."""
        return sorted(name.removesuffix(".json") for name in self._names("snapshots") if name.endswith(".json"))

    def load(self, name: str) -> Snapshot:
        """A snapshot by its name; the newest by none.

        Raises:
            NotFoundError: there is none, or none of that name.
            StorageError: its manifest is damaged, or of another version of ClauseGraph.
        """
        known = self.snapshots()
        if not known or (name and name not in known):
            listed = f"there are: {', '.join(known[-5:])}" if known else "`clausegraph backup DIR` makes one"
            raise NotFoundError(f"no snapshot {f'{name!r} ' if name else ''}in {self.place}; {listed}")
        name = name or known[-1]
        try:
            document = json.loads(self._read(f"snapshots/{name}.json") or b"")
            body = document["snapshot"]
            if document["format"] != _FORMAT or document["sha256"] != _sha256(canonical_json(body).encode()):
                raise ValueError("its format or checksum is another")
            return Snapshot(**body)
        except (ValueError, KeyError, TypeError) as error:
            why = f"the manifest of snapshot {name} in {self.place} cannot be read ({error})"
            raise StorageError(f"{why}; restore another of: {', '.join(known[-5:])}") from error

    def forgotten(self) -> Forgotten:
        """What must not come back, whichever snapshot is restored."""
        found = json.loads(self._read("forgotten.json") or b"{}")
        return {corpus: {key: ForgottenRow(**row) for key, row in rows.items()} for corpus, rows in found.items()}

    def note(self, corpus: str, row: ForgottenRow) -> None:
        """Add a page or source that was forgotten, so that no snapshot that is there brings it back."""
        with self.locked():
            known = self.forgotten()
            known.setdefault(corpus, {})[row.key] = row
            self._write_forgotten(known)

    def let_in(self, corpus: str, key: str) -> None:
        """Take back what :meth:`note` did."""
        with self.locked():
            known = self.forgotten()
            if known.get(corpus, {}).pop(key, None):
                self._write_forgotten(known)

    def _write_forgotten(self, forgotten: Forgotten) -> None:
        rows = {corpus: {key: asdict(row) for key, row in keys.items()} for corpus, keys in forgotten.items()}
        self._write("forgotten.json", canonical_json(rows).encode())

    def add(self, made: Snapshot, paths: dict[str, Path], forgotten: Forgotten) -> None:
        """Write the blocks of files that are not there, then what is forgotten, and the manifest last."""
        known = self._names("blocks")
        for name, path in paths.items():
            blocks = made.files[name] = list[str]()
            with suppress(FileNotFoundError), path.open("rb") as file:  # an answer may have been removed meanwhile
                while data := file.read(BLOCK):
                    blocks.append(_sha256(data))
                    made.size += len(data)
                    if blocks[-1] not in known:
                        known.add(blocks[-1])
                        made.written += self._write(_block(blocks[-1]), zlib.compress(data))
        self._write_forgotten(forgotten)
        body = asdict(made)
        document = {"format": _FORMAT, "sha256": _sha256(canonical_json(body).encode()), "snapshot": body}
        self._write(f"snapshots/{made.name}.json", canonical_json(document).encode())

    def keep(self, count: int) -> list[str]:
        """Remove all snapshots but the newest ``count``, then the blocks that none has; returns the names that went."""
        gone, kept = self.snapshots()[:-count], self.snapshots()[-count:]
        used = {block for name in kept for blocks in self.load(name).files.values() for block in blocks}
        for path in [f"snapshots/{name}.json" for name in gone] + [_block(one) for one in self._names("blocks") - used]:
            with self._reached():
                self._fs.rm_file(f"{self._path}/{path}")
        return gone

    def fetch(self, snapshot: Snapshot, home: Path) -> None:
        """Write the files of a snapshot into a folder, each byte checked.

        Raises:
            StorageError: a block is not there, or is not what was written.
        """
        for name, blocks in snapshot.files.items():
            path, parts = home / name, PurePosixPath(name).parts
            if ".." in parts or parts[0] not in (LEDGER, ANSWERS, UPLOADS, ACCESS):
                raise StorageError(f"snapshot {snapshot.name} has a file {name!r}, as no home has; restore another")
            with file_errors(path):
                make_private(path.parent)
                with os.fdopen(open_private(path), "wb") as file:
                    for block in blocks:
                        file.write(self._checked(snapshot, block, name))
                    file.flush()
                    os.fsync(file.fileno())

    def _checked(self, snapshot: Snapshot, block: str, name: str) -> bytes:
        packed = self._read(_block(block))
        with suppress(zlib.error):
            data = zlib.decompressobj().decompress(packed or b"", BLOCK + 1)
            if _sha256(data) == block:
                return data
        what = f"{self.place}/{_block(block)} is {'missing' if packed is None else 'damaged'}"
        raise StorageError(
            f"{what}, a block of {name} in snapshot {snapshot.name}; nothing was restored. Restore another; where a "
            "home is whole, remove the file and back up again"
        )

    def _write(self, name: str, data: bytes) -> int:
        with self._reached():
            if self._local is not None:
                write_whole(self._local / name, data)
            else:
                self._fs.makedirs(f"{self._path}/{name}".rpartition("/")[0], exist_ok=True)
                self._fs.pipe_file(f"{self._path}/{name}", data)
        return len(data)

    def _read(self, name: str) -> bytes | None:
        with self._reached(), suppress(FileNotFoundError):
            data: bytes = self._fs.cat_file(f"{self._path}/{name}")
            return data
        return None

    def _names(self, folder: str) -> set[str]:
        """The files in and below a folder, by the last part of their names."""
        with self._reached(), suppress(FileNotFoundError):
            return {PurePosixPath(path).name for path in self._fs.find(f"{self._path}/{folder}")}
        return set()

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except (OSError, StorageError) as error:
            why = error.__cause__ or error
            raise StorageError(f"backups at {self.place}: {why}; make room or access, or name another place") from error


def _block(name: str) -> str:
    return f"blocks/{name[:2]}/{name}"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def take_snapshot(ledger: Ledger, folder: BackupFolder) -> Snapshot:
    """Copy a home into a backup folder; what its ledger has forgotten, the folder does not bring back."""
    created = time.time()
    with staging(ledger.home) as staged:
        _copy_ledger(ledger, staged)
        with open_to_read(staged) as copy:
            listed = list_corpora(copy)
            epochs = {corpus.name: corpus.published for corpus in listed}
            there = {corpus.name: {row.key: row for row in list_forgotten(copy, corpus.id)} for corpus in listed}
            merged = _merged(folder, copy, there)
        made = Snapshot(_name_at(created), created, epochs, {corpus: sorted(keys) for corpus, keys in there.items()})
        folder.add(made, {LEDGER: staged / LEDGER} | _small_files(ledger.home), merged)
    with ledger.write() as connection:
        for corpus in list_corpora(ledger):
            epoch = epochs.get(corpus.name, 0)
            row = {"corpus_id": corpus.id, "place": folder.place, "epoch": epoch, "created": created}
            connection.execute(insert(backups).values(**row))
    return made


def _name_at(created: float) -> str:
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime(created)) + f".{int(created % 1 * 1000):03}Z"


def _small_files(home: Path) -> dict[str, Path]:
    """Kept answers, files that people sent, and what is in ``access``, by their names within the home."""
    return {
        path.relative_to(home).as_posix(): path
        for folder in (ANSWERS, UPLOADS, ACCESS)
        for path in (home / folder).rglob("*")
        if path.is_file() and path.name not in _LEFT_OUT and path.suffix != ".tmp"
    }


def _copy_ledger(ledger: Ledger, staged: Path) -> None:
    if ledger.database.kind != "sqlite":
        with open_ledger(staged) as made:
            for corpus in list_corpora(ledger):
                copy_corpus(ledger, made, corpus.name, in_use=True)
            with made.write() as connection:
                connection.execute(update(identity).values(id=ledger_id(ledger)))
        return
    source, target = ledger.home / LEDGER, staged / LEDGER
    address = f"{source.absolute().as_uri()}?mode=ro"
    with file_errors(target):
        os.close(open_private(target))
    with (
        ledger.database.errors(),
        closing(sqlite3.connect(address, uri=True)) as reading,
        closing(sqlite3.connect(target)) as writing,
    ):
        reading.backup(writing)  # all in one step, so that it is one state, however long it takes


def _merged(folder: BackupFolder, copy: Ledger, there: Forgotten) -> Forgotten:
    """What the folder had and what this ledger has forgotten; not what somebody allowed to come back since: the last
    snapshot that this ledger knows of had forgotten it."""
    merged = folder.forgotten()
    made = {_name_at(row.created) for row in copy.rows(select(backups.c.created))}
    if last := max(made.intersection(folder.snapshots()), default=""):
        with suppress(StorageError):  # one that is damaged tells nothing
            for corpus, keys in folder.load(last).forgotten.items():
                merged[corpus] = {key: row for key, row in merged.get(corpus, {}).items() if key not in keys}
    for corpus, rows in there.items():
        merged.setdefault(corpus, {}).update(rows)
    return merged


def settle(ledger: Ledger) -> None:
    """Make a copied ledger one of its own: no run is at work on it, and its vectors are written."""
    with ledger.write() as connection:
        connection.execute(update(run_leases).values(expires=0.0))
        connection.execute(delete(segments))
        for corpus in list_corpora(ledger):
            write_segments(ledger, connection, corpus.id)
