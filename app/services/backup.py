"""Snapshots of a home: made while it is in use, listed, and restored without what was forgotten since."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from clausegraph.app.services import Record
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, StorageError
from clausegraph.core.settings import Settings
from clausegraph.indexes.backup import ACCESS, LEDGER, BackupFolder, Forgotten, Snapshot, settle, take_snapshot
from clausegraph.indexes.corpora import list_corpora
from clausegraph.indexes.files import file_errors, staging, sync_folder
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.move import copy_corpus


class ListedSnapshot(Record):
    """A snapshot: the published epoch of each corpus, its size in bytes, and the bytes that were written for it.

    ``removed``: older ones that went; ``place`` that has it now, of a restored one, and how many pages were forgotten
    again.
    """

    name: str
    created: float
    corpora: dict[str, int]
    size: int
    written: int
    removed: list[str] = []
    place: str = ""
    forgotten_pages: int = 0


def back_up(workspace: Workspace, place: str, keep: int | None = None) -> ListedSnapshot:
    """Add a snapshot of the home to a folder or URL, and ``keep`` so many at most.

    Raises:
        InputError: the place is in the home, or no library here knows such URLs.
        StorageError: another backup is under way; the place cannot be written, or is full. Its snapshots stay whole.
    """
    home, folder = workspace.settings.home.resolve(), BackupFolder(place)
    if Path(folder.place).resolve().is_relative_to(home):
        raise InputError(f"{place} lies in the home folder {home}; keep backups outside it, on another disk at best")
    with folder.locked():
        made = take_snapshot(workspace.ledger_to_change(), folder)
        return ListedSnapshot.of(made, removed=folder.keep(keep) if keep else [])


def list_snapshots(place: str) -> list[ListedSnapshot]:
    """The snapshots of a folder or URL, oldest first."""
    folder = BackupFolder(place)
    return [ListedSnapshot.of(folder.load(name)) for name in folder.snapshots()]


def restore(
    settings: Settings, place: str, name: str = "", address: str = "", certificates: Sequence[Path] = ()
) -> ListedSnapshot:
    """Make a home of a snapshot, or copy it into PostgreSQL, once every byte of it is checked.

    It is put together beside, forgets there what was forgotten since, and takes its place at last: one that was killed
    leaves nothing that opens as a home. In PostgreSQL each corpus comes in one transaction.

    Args:
        name: of the snapshot; empty for the newest.
        certificates: of what must not come back, too.

    Raises:
        NotFoundError: no such snapshot.
        InputError: the home has a ledger, or the database a corpus of the same name.
        StorageError: something of the snapshot is damaged; nothing was restored.
    """
    folder = BackupFolder(place)
    snapshot = folder.load(name)
    at = _checked_target(settings, snapshot, address)
    with staging(settings.home) as staged:
        folder.fetch(snapshot, staged)
        alone = {"database": None, "neo4j_mode": "off", "graph": "ledger", "notify": None}  # nobody else hears of it
        beside = settings.model_copy(update=alone | {"home": staged})
        with Workspace(beside) as workspace:
            ledger = workspace.ledger_to_change()
            settle(ledger)
            gone = _forget_again(workspace, folder.forgotten(), certificates)
            if damage := ledger.database.damage():
                raise StorageError(f"snapshot {snapshot.name} cannot be restored: {damage}; try another")
            if address:
                with open_ledger(settings.home, address) as target:
                    for corpus in list_corpora(ledger):
                        copy_corpus(ledger, target, corpus.name)
        _take_place(settings.home, staged, with_ledger=not address)
    return ListedSnapshot.of(snapshot, place=at, forgotten_pages=gone)


def _checked_target(settings: Settings, snapshot: Snapshot, address: str) -> str:
    """The home or database, in which nothing is lost by restoring there."""
    home = settings.home
    if address:
        with open_ledger(home, address) as target:
            if known := {corpus.name for corpus in list_corpora(target)} & snapshot.corpora.keys():
                raise InputError(f"{target.place} has a corpus {min(known)!r} already; drop it there first")
            return target.place
    if (home / LEDGER).exists():
        raise InputError(f"{home} has a ledger already; name a new folder with --home, or move this one away")
    return str(home)


def _forget_again(workspace: Workspace, wanted: Forgotten, certificates: Sequence[Path]) -> int:
    """Take what the folder or a certificate says was forgotten out of the restored corpora; how many pages went."""
    from clausegraph.app.services.certificates import check_certificate
    from clausegraph.app.services.forget import forget_again
    from clausegraph.indexes.forgotten import ForgottenRow

    for path in certificates:
        signer = "unknown"  # whoever it was: the copy may be older than the home's key, and the operator gives the file
        with suppress(OSError, ValueError, KeyError, TypeError):
            signer = str(json.loads(path.read_bytes())["public_key"])
        said = check_certificate(workspace.settings.home, path, signer)
        row = ForgottenRow(0, said["key"], said["forgotten by"], said["reason"], time.time(), path.read_text("utf-8"))
        wanted.setdefault(said["corpus"], {}).setdefault(row.key, row)
    known = [corpus.name for corpus in list_corpora(workspace.ledger) if wanted.get(corpus.name)]
    return sum(forget_again(workspace, name, wanted[name].values()) for name in known)


def _take_place(home: Path, staged: Path, *, with_ledger: bool) -> None:
    """Move what was put together to its place, the ledger last: with it, it is a home. Tokens that are there stay."""
    names = {path.name for path in staged.iterdir() if with_ledger or path.name == ACCESS}
    if (home / ACCESS).exists():
        names.discard(ACCESS)
    for name in sorted(names, key=lambda name: (name == LEDGER, name)):
        with file_errors(home / name):
            if (home / name).is_dir():
                shutil.rmtree(home / name)
            (staged / name).rename(home / name)
    sync_folder(home)
