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
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from sqlalchemy import insert, select, update

from clausegraph.core.errors import InputError, NotFoundError, StorageError
from clausegraph.core.hashing import canonical_json
from clausegraph.indexes.answers import FOLDER as ANSWERS
from clausegraph.indexes.corpora import list_corpora
from clausegraph.indexes.files import file_errors, lock_alone, make_private, open_private, staging, write_whole
from clausegraph.indexes.ledger.schema import backups, corpora, forgotten, identity
from clausegraph.indexes.ledger.sqlite import driver_errors
from clausegraph.indexes.ledger.store import Ledger, ledger_id, open_ledger, open_to_read
from clausegraph.indexes.move import copy_corpus

BLOCK = 1 << 16  # bytes: an edited page touches parts of the ledger that are far apart
_FORMAT = 1
_PAGES_AT_ONCE = 4096  # of the database, copied in one call that Ctrl-C waits for
LEDGER, ACCESS = "ledger.db", "access"  # tokens, the log of deeds, the key of certificates
_LEFT_OUT = {"lock", "serve.token"}  # of ``access``
Step = Callable[[str, int, int], None]  # stage, done, total
Forgotten = dict[str, dict[str, dict[str, Any]]]  # corpus → key → the other cells of the row


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a snapshot: its size in bytes, its SHA-256, and its blocks in order."""

    size: int
    sha256: str
    blocks: list[str]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state of a home: the published epoch of each of its ``corpora``, the keys that each has ``forgotten``; bytes
    that were ``written`` for it."""

    name: str
    created: float
    corpora: dict[str, int]
    forgotten: dict[str, list[str]]
    files: dict[str, StoredFile]
    written: int = 0

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(one.size for one in self.files.values())


class BackupFolder:
    """Where snapshots are: a local folder, or a URL that fsspec knows. The first write makes it."""

    def __init__(self, place: str) -> None:
        import fsspec

        try:
            self._fs, self._path = fsspec.core.url_to_fs(place, use_listings_cache=False)
        except (ImportError, ValueError) as error:
            raise InputError(f"backups cannot be kept at {place}: {error}") from error
        self._local = Path(self._path) if "file" in self._fs.protocol else None
        self.place = str(self._local or self._fs.unstrip_protocol(self._path))  # without a password

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Alone in writing to a local folder; at a URL whoever runs it sees to that."""
        if self._local is None:
            yield
            return
        with self._reached():
            make_private(self._local)
            descriptor = os.open(self._local, os.O_RDONLY | os.O_CLOEXEC)
        try:
            lock_alone(descriptor, f"another backup is writing to {self.place}")
            yield
        finally:
            os.close(descriptor)

    def snapshots(self) -> list[str]:
        """Names of the snapshots, oldest first."""
        return sorted(name.removesuffix(".json") for name in self._names("snapshots") if name.endswith(".json"))

    def load(self, name: str) -> Snapshot:
        """A snapshot by its name; the newest by none. Its manifest may be damaged, or of another version."""
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
            files = {path: StoredFile(**one) for path, one in body.pop("files").items()}
            return Snapshot(files=files, **body)
        except (ValueError, KeyError, TypeError) as error:
            why = f"the manifest of snapshot {name} in {self.place} cannot be read ({error})"
            raise StorageError(f"{why}; restore another of: {', '.join(known[-5:])}") from error

    def forgotten(self) -> Forgotten:
        """What must not come back, whichever snapshot is restored."""
        found: Forgotten = json.loads(self._read("forgotten.json") or b"{}")
        return found

    def add(self, made: Snapshot, paths: dict[str, Path], forgotten: Forgotten, told: Step) -> Snapshot:
        """Write the blocks of files that are not there, what is forgotten, and the manifest last."""
        known = self._names("blocks")
        for number, (name, path) in enumerate(sorted(paths.items()), 1):
            whole, blocks, size = hashlib.sha256(), list[str](), 0
            with suppress(FileNotFoundError), path.open("rb") as file:  # an answer may have been removed meanwhile
                while data := file.read(BLOCK):
                    whole.update(data)
                    size += len(data)
                    blocks.append(_sha256(data))
                    if blocks[-1] not in known:
                        made = replace(
                            made, written=made.written + self._write(_block(blocks[-1]), zlib.compress(data))
                        )
                        known.add(blocks[-1])
                made.files[name] = StoredFile(size, whole.hexdigest(), blocks)
            told("files", number, len(paths))
        self._write("forgotten.json", canonical_json(forgotten).encode())
        body = asdict(made)
        document = {"format": _FORMAT, "sha256": _sha256(canonical_json(body).encode()), "snapshot": body}
        self._write(f"snapshots/{made.name}.json", canonical_json(document).encode())
        return made

    def keep(self, count: int) -> list[str]:
        """Remove all snapshots but the newest ``count``, then the blocks that none has; returns the names that went."""
        gone, kept = self.snapshots()[:-count], self.snapshots()[-count:]
        used = {block for name in kept for one in self.load(name).files.values() for block in one.blocks}
        for path in [f"snapshots/{name}.json" for name in gone] + [_block(one) for one in self._names("blocks") - used]:
            with self._reached():
                self._fs.rm_file(f"{self._path}/{path}")
        return gone

    def fetch(self, snapshot: Snapshot, home: Path, told: Step) -> None:
        """Write the files of a snapshot into a folder, each byte checked."""
        for number, (name, one) in enumerate(sorted(snapshot.files.items()), 1):
            parts = PurePosixPath(name).parts
            if ".." in parts or parts[0] not in (LEDGER, ANSWERS, ACCESS):
                raise StorageError(f"snapshot {snapshot.name} has a file {name!r}, as no home has; restore another")
            path, whole = home / name, hashlib.sha256()
            with file_errors(path):
                make_private(path.parent)
                with os.fdopen(open_private(path), "wb") as file:
                    for block in one.blocks:
                        data = self._checked(snapshot, block, name)
                        whole.update(data)
                        file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            if whole.hexdigest() != one.sha256:
                raise StorageError(f"{name} of snapshot {snapshot.name} is not what was copied; restore another")
            told("files", number, len(snapshot.files))

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


def take_snapshot(ledger: Ledger, folder: BackupFolder, told: Step) -> Snapshot:
    """Copy a home into a backup folder; what its ledger has forgotten, the folder does not bring back. A corpus in
    PostgreSQL, which is moved into a file, must have no run."""
    now = time.time()
    name = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03}Z"
    with staging(ledger.home) as staged:
        _copy_ledger(ledger, staged)
        with open_to_read(staged) as copy:
            epochs = {corpus.name: corpus.published for corpus in list_corpora(copy)}
            there = _forgotten_of(copy)
            merged = _merged(folder, copy, there)
        paths = {LEDGER: staged / LEDGER}
        for path in (path for part in (ANSWERS, ACCESS) for path in (ledger.home / part).rglob("*")):
            if path.is_file() and path.name not in _LEFT_OUT and path.suffix != ".tmp":
                paths[path.relative_to(ledger.home).as_posix()] = path
        made = Snapshot(name, now, epochs, {corpus: sorted(keys) for corpus, keys in there.items()}, {})
        made = folder.add(made, paths, merged, told)
    with ledger.write() as connection:
        for corpus in list_corpora(ledger):
            row = {"corpus_id": corpus.id, "place": folder.place, "epoch": epochs.get(corpus.name, 0), "created": now}
            connection.execute(insert(backups).values(**row))
    return made


def _copy_ledger(ledger: Ledger, staged: Path) -> None:
    target = staged / LEDGER
    if ledger.database.kind != "sqlite":
        with open_ledger(staged) as made:
            for corpus in list_corpora(ledger):
                copy_corpus(ledger, made, corpus.name)
            with made.write() as connection:
                connection.execute(update(identity).values(id=ledger_id(ledger)))
        return
    address = f"{(ledger.home / LEDGER).absolute().as_uri()}?mode=ro"
    with ledger.database.errors(), closing(sqlite3.connect(address, uri=True, isolation_level=None)) as reading:
        reading.execute("BEGIN")  # and what it reads from here on is one state, however long the copy takes
        reading.execute("SELECT count(*) FROM sqlite_master").fetchone()
        with file_errors(target):
            os.close(open_private(target))
        with driver_errors(target), closing(sqlite3.connect(target)) as writing:
            reading.backup(writing, pages=_PAGES_AT_ONCE)


def _forgotten_of(ledger: Ledger) -> Forgotten:
    found: Forgotten = {}
    for row in ledger.rows(select(forgotten, corpora.c.name).join(corpora, corpora.c.id == forgotten.c.corpus_id)):
        cells = {name: row._mapping[name] for name in ("forgotten_by", "reason", "created", "certificate")}
        found.setdefault(row.name, {})[row.key] = cells
    return found


def _merged(folder: BackupFolder, copy: Ledger, there: Forgotten) -> Forgotten:
    """What the folder had and what this ledger has forgotten; not what somebody allowed to come back since: the last
    snapshot that this ledger knows of had forgotten it."""
    merged = folder.forgotten()
    known = {row.created for row in copy.rows(select(backups.c.created))}
    before: dict[str, list[str]] = {}
    for name in folder.snapshots():
        with suppress(StorageError):  # one that is damaged tells nothing
            one = folder.load(name)
            before = one.forgotten if one.created in known else before
    for corpus, keys in before.items():
        for key in set(keys) - there.get(corpus, {}).keys():
            merged.get(corpus, {}).pop(key, None)
    for corpus, rows in there.items():
        merged.setdefault(corpus, {}).update(rows)
    return merged
