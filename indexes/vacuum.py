"""Vacuum: what no retained epoch shows leaves the ledger, the segments, the caches and the disk.

An epoch is retained while it is one of the newest ``keep_epochs``, younger than ``keep_days``, published, or held by a
view. What somebody decided about names and statements stays, whether or not these are there; a mere proposal about
names that are gone goes with them.

A vacuum marks and sweeps: first the list of epochs is cut, which is the mark, then everything goes that the ledger does
not list any more, wherever it lies and whoever left it there. One that was killed at any point is finished by the next.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from functools import partial

from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.kept_answers import folders_but
from clausegraph.indexes.ledger.dialect import promise_removal
from clausegraph.indexes.ledger.leases import RunLease
from clausegraph.indexes.ledger.readers import users_of_epoch
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.removal import count_unpublished, remove_rows
from clausegraph.indexes.response_cache import forget_all
from clausegraph.indexes.retention import Retained, Retention, remove_epochs
from clausegraph.indexes.scrub import in_words
from clausegraph.indexes.sweep import remove_path, why_not
from clausegraph.indexes.vectors.segments import (
    holds_strangers,
    listed_segments,
    merge_segments,
    remove_unlisted,
)

KEEP_EPOCHS = 10
KEEP_DAYS = 30.0
MANY_SEGMENTS = 20  # of one kind: a publish that makes more merges them


@dataclass(frozen=True, slots=True)
class VacuumReport:
    """What went: epochs, rows by table, and how many segments were replaced by how many.

    ``kept`` has each epoch that stays, oldest first, with the reasons: "published", "held" by a view, "young", made in
    the "future" of a clock that was set back, or among the "newest"; without any it is "between" others that stay.
    ``unpublished`` are page versions that no epoch shows and that are too young to go. ``remains`` says what should be
    gone and is not, why, and what to do.
    """

    oldest_retained: int
    kept: dict[int, list[str]]
    unpublished: int
    epochs: int
    rows: dict[str, int]
    segments_before: int
    segments_after: int
    remains: list[str]

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


NOTHING = VacuumReport(0, {}, 0, 0, {}, 0, 0, [])


def vacuum(
    ledger: Ledger,
    corpus: CorpusRow,
    lease: RunLease,
    keep_epochs: int = KEEP_EPOCHS,
    keep_days: float = KEEP_DAYS,
    *,
    promised: bool = False,
) -> VacuumReport:
    """Remove what only epochs older than the retained ones show.

    Args:
        promised: a ``sweep`` of the home is to follow, by which no byte of it stays on the disk; a run that is killed
            before is reminded of it.
    """
    retention = Retention(max(1, keep_epochs), keep_days, time.time())
    retained = remove_epochs(ledger, lease, retention)
    remains = _held(ledger, corpus, retained)

    def beforehand() -> None:
        if promised:
            with ledger.write() as connection:
                promise_removal(connection)
        else:
            remains.extend(forget_all(ledger.home))

    rows = remove_rows(ledger, lease, retained.floor, retention.before, beforehand)
    with ledger.read() as connection:
        unpublished = count_unpublished(connection, corpus.id)
    before = len(listed_segments(ledger, corpus.id))
    if ledger.is_tight:
        ledger.compact()  # new segments are written before the old ones go
    remains += [*_rewrite_segments(ledger, lease), *_remove_caches(ledger, corpus.id, retained.kept)]
    remains += _forget_answers(ledger, corpus.id, retained.kept)
    ledger.compact()
    after = len(listed_segments(ledger, corpus.id))
    return VacuumReport(retained.floor, retained.kept, unpublished, retained.gone, rows, before, after, remains)


def has_many_segments(ledger: Ledger, corpus_id: int) -> bool:
    """Whether a kind has more segments than searching them one by one should meet."""
    kinds = Counter((row.model, row.kind) for row in listed_segments(ledger, corpus_id))
    return max(kinds.values(), default=0) > MANY_SEGMENTS


def _held(ledger: Ledger, corpus: CorpusRow, retained: Retained) -> list[str]:
    return [
        f"epoch {number} of corpus {corpus.name!r} and what later ones do not show: "
        f"{in_words(users_of_epoch(ledger, corpus.id, number))} reads it; wait for it or stop it"
        for number in retained.held
    ]


def _rewrite_segments(ledger: Ledger, lease: RunLease) -> Iterator[str]:
    """Of each kind there is one segment at last, with the vectors that the ledger lists; other files go."""
    listed = defaultdict(list)
    for row in listed_segments(ledger, lease.corpus_id):
        listed[row.model, row.kind].append(row)
    for (model, kind), rows in listed.items():
        if len(rows) > 1 or holds_strangers(ledger, rows[0]):
            yield from why_not(partial(merge_segments, ledger, lease, model, kind))
    yield from why_not(partial(remove_unlisted, ledger, lease.corpus_id))


def _forget_answers(ledger: Ledger, corpus_id: int, kept: Collection[int]) -> Iterator[str]:
    """Answers go with their epoch: they quote its pages."""
    for path in folders_but(ledger.home, corpus_id, kept):
        yield from remove_path(path)


def _remove_caches(ledger: Ledger, corpus_id: int, kept: Collection[int]) -> Iterator[str]:
    """Whatever is not of a retained epoch, and what killed writes left in those of retained ones."""
    folder = ledger.cache_folder(corpus_id)
    if not folder.exists():
        return
    names = {f"epoch-{number:08d}" for number in kept}
    for path in sorted(folder.iterdir()):
        if path.name not in names:
            yield from remove_path(path)
    for path in sorted(folder.glob("*/*.tmp")):
        yield from remove_path(path)
