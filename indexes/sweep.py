"""Dropping a corpus, and sweeping a home folder: what belongs to no listed corpus goes, no byte of it stays.

The ledger is the mark: whatever else lies in the folder was left by a command that was killed, so a sweep can be
repeated and finishes what another one began. What belongs to a corpus is swept by whoever holds its lease (``vacuum``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import delete

from clausegraph.core.errors import NotFoundError, StorageError
from clausegraph.indexes.corpora import CorpusRow, current_holder, get_corpus, list_corpora, list_epochs
from clausegraph.indexes.files import UPLOADS, clear_staging, failure_of, free_bytes, remove_path
from clausegraph.indexes.kept_answers import answers_of
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.readers import held_epochs, holds_of
from clausegraph.indexes.ledger.schema import corpora, members
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.reply_rows import forget_replies
from clausegraph.indexes.response_cache import RESPONSES, remove_file
from clausegraph.indexes.vectors.protocol import EpochIndex
from clausegraph.indexes.vectors.segments import vector_index

T = TypeVar("T")
_CRAMPED = 1_000_000  # bytes: less may be too little for a transaction and its log


def find_corpus(ledger: Ledger, name: str) -> CorpusRow:
    """The corpus that is to be dropped, given as an argument. Where there is none, what killed drops left is removed,
    and the error says what of it could not be."""
    try:
        return get_corpus(ledger, name, option="")
    except NotFoundError as error:
        remains = sweep(ledger) if ledger.is_removal_promised() else []
        if not remains:
            raise
        raise NotFoundError(f"{error}; of what was dropped before remains: {'; '.join(remains)}") from error


def drop_corpus(ledger: Ledger, name: str) -> list[str]:
    """Remove a corpus with everything it has in the ledger and on disk; returns what remains and why, in words.

    Its rows go in one transaction; a drop that was killed after it is finished by the next one, by a vacuum or a run.
    """
    return with_room(ledger, partial(_drop, ledger, name), name)


def _drop(ledger: Ledger, name: str) -> list[str]:
    corpus = find_corpus(ledger, name)
    numbers = [epoch.number for epoch in list_epochs(ledger, corpus.id)]
    with run_lease(ledger, corpus.id, f"drop-{int(time.time())}"), ledger.write() as connection:
        ledger.database.promise_removal(connection)
        connection.execute(delete(members).where(members.c.corpus_id == corpus.id))  # not looked through for each page
        connection.execute(delete(corpora).where(corpora.c.id == corpus.id))  # and all that belongs to it
    readers = [
        f"what {holds_of(ledger).users(corpus.id, number)} has read of epoch {number} of corpus {corpus.name!r}; "
        "wait for it or stop it"
        for number in sorted(held_epochs(ledger, corpus.id, numbers))
    ]
    return readers + sweep(ledger)


def sweep(ledger: Ledger) -> list[str]:
    """Remove all that commands before this one deleted or should have; returns what remains and why, in words.

    Replies of language models go with the text that they may quote, and with the last corpus.
    """
    remains = [*_of_dropped_corpora(ledger), *failure_of(partial(clear_staging, ledger.home))]
    if ledger.is_removal_promised() or not list_corpora(ledger):
        remains += forget_replies(ledger)
    if unused := ledger.database.rewrite():
        remains.append(unused)
    if not remains and ledger.is_removal_promised():
        with ledger.write() as connection:
            ledger.database.promise_removal(connection, kept=True)
    return remains


def with_room(ledger: Ledger, work: Callable[[], T], dropped: str = "") -> T:
    """Do work that removes something. On a disk that is too full even for that, first all goes that takes no write and
    can be made or paid for again: replies of models, what killed commands left, the segments of a ``dropped`` corpus.

    Raises:
        StorageError: there is no room all the same.
    """
    try:
        return work()
    except StorageError:
        before = free_bytes(ledger.home)
        if before > _CRAMPED:
            raise
    stuck = [*failure_of(partial(clear_staging, ledger.home)), *remove_file(ledger.home / RESPONSES)]
    stuck += [*_of_dropped_corpora(ledger), *failure_of(partial(_remove_segments, ledger, dropped))]
    freed = max(0, free_bytes(ledger.home) - before)
    try:
        return work()
    except StorageError as error:
        needed = f"up to {ledger.database.size() / 1e6:.1f} MB are needed for a while"
        tried = f"{needed}; what goes without writing was removed first, {freed:,} bytes"
        raise StorageError("; ".join([str(error), tried, *stuck])) from error


def _remove_segments(ledger: Ledger, name: str) -> None:
    """Remove the segments of a corpus that no run is writing, where they are files."""
    index = vector_index(ledger)
    for corpus in list_corpora(ledger):
        is_free = corpus.name == name and current_holder(ledger, corpus.id) is None
        if is_free and not isinstance(index, EpochIndex):
            index.drop(corpus.id)


def _of_dropped_corpora(ledger: Ledger) -> Iterator[str]:
    """Ids are never used again, so what was there before the ledger was asked is not of a corpus yet to be listed."""
    index, answers = vector_index(ledger), answers_of(ledger)
    stored, read, kept = set[int](), set[int](), list[Path]()
    for seen in (  # a folder that cannot be listed keeps nobody from sweeping the others
        lambda: stored.update(index.corpora()),
        lambda: read.update(holds_of(ledger).corpora()),
        lambda: kept.extend(answers.folders()),
        lambda: kept.extend((ledger.home / UPLOADS).glob("*")),
    ):
        yield from failure_of(seen)
    listed = {corpus.id for corpus in list_corpora(ledger)}
    for corpus_id in sorted(read - listed):
        yield from failure_of(partial(holds_of(ledger).forget, corpus_id))
    for corpus_id in sorted(stored - listed):
        yield from failure_of(partial(index.drop, corpus_id))
    for folder in kept:
        if folder.name not in {str(corpus_id) for corpus_id in listed}:
            yield from remove_path(folder)
