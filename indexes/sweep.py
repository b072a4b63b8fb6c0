"""Sweeping a home folder: what belongs to no corpus that the ledger lists goes, and no byte of what was deleted stays.

The ledger is the mark: whatever else lies in the folder was left by a command that was killed, whichever it was, so a
sweep can be repeated and finishes what another one began. What belongs to a corpus is swept by whoever holds its lease
(``vacuum``).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from clausegraph.core.errors import SegmentError, StorageError
from clausegraph.indexes.corpora import list_corpora
from clausegraph.indexes.files import file_errors
from clausegraph.indexes.kept_answers import corpus_folders
from clausegraph.indexes.ledger.dialect import is_removal_promised, promise_removal
from clausegraph.indexes.ledger.readers import corpora_with_files, forget
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.response_cache import forget_all
from clausegraph.indexes.vectors.segments import vector_index


def sweep(ledger: Ledger) -> list[str]:
    """Remove all that commands before this one deleted or should have; returns what remains and why, in words.

    Replies of language models go with the text that they may quote, and with the last corpus.
    """
    remains = [*_of_dropped_corpora(ledger)]
    if was_promised(ledger) or not list_corpora(ledger):
        remains += forget_all(ledger.home)
    remains += [what for what in [ledger.rewrite()] if what]
    if not remains and was_promised(ledger):
        with ledger.write() as connection:
            promise_removal(connection, kept=True)
    return remains


def make_room(ledger: Ledger) -> list[str]:
    """On a disk that is nearly full, remove what readers make again: else there is no room to remove anything.

    Deleting needs room first, for the log. Returns what remains and why, in words.
    """
    return [*remove_path(ledger.caches)] if ledger.is_tight else []


def was_promised(ledger: Ledger) -> bool:
    """Whether a command that removes for good was cut off before it was done."""
    with ledger.read() as connection:
        return is_removal_promised(connection)


def why_not(work: Callable[[], None]) -> Iterator[str]:
    """Do the work, and say why where it cannot be done; the rest is done all the same."""
    try:
        work()
    except (SegmentError, StorageError) as error:
        yield str(error)


def remove_path(path: Path) -> Iterator[str]:
    """Remove a file, or a folder and what is in it; yields what remains and why. Where a link leads to, all stays."""
    yield from why_not(partial(_remove, path))


def _remove(path: Path) -> None:
    with file_errors(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _of_dropped_corpora(ledger: Ledger) -> Iterator[str]:
    """Ids are never used again, so what was there before the ledger was asked is not of a corpus yet to be listed."""
    index = vector_index(ledger)
    stored, read, cached = set[int](), set[int](), list[Path]()
    for seen in (  # a folder that cannot be listed keeps nobody from sweeping the others
        lambda: stored.update(index.corpora()),
        lambda: read.update(corpora_with_files(ledger)),
        lambda: cached.extend(_inside(ledger.caches)),
        lambda: cached.extend(corpus_folders(ledger.home)),
    ):
        yield from why_not(seen)
    listed = {corpus.id for corpus in list_corpora(ledger)}
    for corpus_id in sorted(read - listed):
        yield from why_not(partial(forget, ledger, corpus_id))
    for corpus_id in sorted(stored - listed):
        yield from why_not(partial(index.drop, corpus_id))
    for folder in cached:
        if folder.name not in {str(corpus_id) for corpus_id in listed}:
            yield from remove_path(folder)


def _inside(folder: Path) -> list[Path]:
    with file_errors(folder):
        return sorted(folder.iterdir()) if folder.exists() else []
