"""Vacuum: what no retained epoch shows leaves the ledger, the segments and the disk.

An epoch is retained while it is one of the newest ``keep_epochs``, younger than ``keep_days``, published,
or held by a view. Everything older than the oldest retained epoch is not only unlisted but gone: rows are
overwritten (``secure_delete``), segments rewritten, free pages given back. What somebody decided about names
stays, whether or not the names are there; a mere proposal about names that are gone goes with them.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, exists, or_, select

from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.entities.names import PROPOSED
from clausegraph.indexes.files import file_errors
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.readers import AT_ONCE, forget, taking
from clausegraph.indexes.ledger.schema import (
    VERSIONED,
    blobs,
    budgets,
    chunks,
    corpora,
    decisions,
    embeddings,
    entity_names,
    entity_tokens,
    epochs,
    extractions,
    members,
    model_calls,
    page_versions,
    pages,
    runs,
    supports,
    vectors,
)
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.vectors.segments import listed_segments, merge_segments, remove_unlisted

KEEP_EPOCHS = 10
KEEP_DAYS = 30.0
MANY_SEGMENTS = 20  # of one kind: a publish that makes more merges them


@dataclass(frozen=True, slots=True)
class VacuumReport:
    """What went: epochs, rows by table, and how many segments were replaced by how many.

    ``kept`` has each epoch that stays, oldest first, with the reasons: "published", "held" by a view, "young" or
    among the "newest"; an epoch without any is "between" others that stay.
    """

    oldest_retained: int
    kept: dict[int, list[str]]
    epochs: int
    rows: dict[str, int]
    segments_before: int
    segments_after: int

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def vacuum(
    ledger: Ledger, corpus: CorpusRow, lease: RunLease, keep_epochs: int = KEEP_EPOCHS, keep_days: float = KEEP_DAYS
) -> VacuumReport:
    """Remove what only epochs older than the retained ones show."""
    before_then = time.time() - keep_days * 86400
    gone, rows = 0, Counter[str]()
    while True:
        with ledger.read() as connection:
            older = _removable(connection, corpus.id, max(1, keep_epochs), before_then)
        part = older[:AT_ONCE]
        with taking(ledger, corpus.id, part) as taken:
            untaken = {number for number in older if number not in taken}
            with ledger.write() as connection:
                check_fence(connection, lease)
                kept = _retained(connection, corpus.id, max(1, keep_epochs), before_then, untaken)
                floor = min(kept, default=0)
                mine = (epochs.c.corpus_id == corpus.id, epochs.c.number < floor)
                gone += connection.execute(delete(epochs).where(*mine)).rowcount
                rows.update(_delete_rows(connection, corpus.id, floor, before_then))
            forget(ledger, corpus.id, keep=kept)
        if len(older) <= AT_ONCE or not taken.issuperset(part):
            break
    before = len(listed_segments(ledger, corpus.id))
    _rewrite_segments(ledger, lease, rewrite=rows["vectors"] > 0)
    _remove_caches(ledger, corpus.id, floor)
    ledger.compact()
    return VacuumReport(floor, kept, gone, dict(rows), before, len(listed_segments(ledger, corpus.id)))


def _retained(
    connection: Connection, corpus_id: int, keep_epochs: int, since: float, held: Collection[int] = ()
) -> dict[int, list[str]]:
    """The oldest epoch that has a reason to stay and all after it, oldest first, each with its reasons."""
    mine = (epochs.c.corpus_id == corpus_id, epochs.c.state == "flipped")
    rows = connection.execute(select(epochs.c.number, epochs.c.created).where(*mine).order_by(epochs.c.number)).all()
    reasons = {
        "published": {connection.execute(select(corpora.c.published).where(corpora.c.id == corpus_id)).scalar_one()},
        "held": set(held),
        "young": {row.number for row in rows if row.created >= since},
        "newest": {row.number for row in rows[-keep_epochs:]},
    }
    floor = min((number for numbers in reasons.values() for number in numbers if number > 0), default=0)
    return {
        row.number: [why for why, numbers in reasons.items() if row.number in numbers] or ["between"]
        for row in rows
        if row.number >= floor
    }


def _removable(connection: Connection, corpus_id: int, keep_epochs: int, since: float) -> list[int]:
    """The epochs without a reason to stay but that somebody may hold them, oldest first."""
    floor = min(_retained(connection, corpus_id, keep_epochs, since), default=0)
    mine = (epochs.c.corpus_id == corpus_id, epochs.c.number < floor, epochs.c.state == "flipped")
    return list(connection.execute(select(epochs.c.number).where(*mine).order_by(epochs.c.number)).scalars())


def _delete_rows(connection: Connection, corpus_id: int, floor: int, paid_before: float) -> dict[str, int]:
    """Closed rows first, then the truth that nothing refers to any more."""
    counts: dict[str, int] = {}
    for table in VERSIONED:
        closed = (table.c.corpus_id == corpus_id, table.c.until <= floor)
        counts[table.name] = connection.execute(delete(table).where(*closed)).rowcount
    for table, condition in _orphans(corpus_id, paid_before).items():
        counts[table.name] = connection.execute(delete(table).where(table.c.corpus_id == corpus_id, condition)).rowcount
    return counts


def _orphans(corpus_id: int, paid_before: float) -> dict[Table, ColumnElement[bool]]:
    """What may go, in this order. Young extractions and embeddings stay: a killed run may still need them."""
    made_for = extractions.c.input_key.in_(select(chunks.c.input_key).where(chunks.c.corpus_id == corpus_id))
    used = exists().where(vectors.c.corpus_id == corpus_id, vectors.c.text_hash == embeddings.c.text_hash)
    of_corpus = supports.c.corpus_id == corpus_id
    named = or_(  # two lookups by index; one with OR inside reads every support for each name
        exists().where(of_corpus, supports.c.subject == entity_tokens.c.entity),
        exists().where(of_corpus, supports.c.object == entity_tokens.c.entity),
    )
    aliases = select(entity_names.c.name).where(entity_names.c.corpus_id == corpus_id)
    there = select(entity_tokens.c.entity).where(entity_tokens.c.corpus_id == corpus_id)
    known_runs = select(runs.c.id).where(runs.c.corpus_id == corpus_id)
    kept_bytes = select(page_versions.c.raw_hash).where(page_versions.c.corpus_id == corpus_id)
    return {
        page_versions: and_(
            ~exists().where(members.c.page_version_id == page_versions.c.id), page_versions.c.fetched < paid_before
        ),
        blobs: blobs.c.hash.not_in(kept_bytes),
        pages: ~exists().where(page_versions.c.page_id == pages.c.id),
        extractions: and_(~made_for, extractions.c.created < paid_before),
        embeddings: and_(~used, embeddings.c.created < paid_before),
        entity_tokens: and_(~named, entity_tokens.c.entity.not_in(aliases)),
        decisions: and_(
            decisions.c.state == PROPOSED, or_(decisions.c.name.not_in(there), decisions.c.entity.not_in(there))
        ),
        runs: and_(runs.c.started < paid_before, runs.c.status != "running"),
        model_calls: model_calls.c.run_id.not_in(known_runs),
        budgets: budgets.c.run_id.not_in(known_runs),
    }


def _rewrite_segments(ledger: Ledger, lease: RunLease, rewrite: bool) -> None:
    for (model, kind), count in _segment_counts(ledger, lease.corpus_id).items():
        if rewrite or count > 1:
            merge_segments(ledger, lease, model, kind)
    remove_unlisted(ledger, lease.corpus_id)


def _remove_caches(ledger: Ledger, corpus_id: int, floor: int) -> None:
    folder = ledger.cache_folder(corpus_id)
    with file_errors(folder):
        for path in folder.glob("epoch-*") if folder.exists() else ():
            if int(path.name.removeprefix("epoch-")) < floor:
                shutil.rmtree(path)


def has_many_segments(ledger: Ledger, corpus_id: int) -> bool:
    """Whether a kind has more segments than searching them one by one should meet."""
    return max(_segment_counts(ledger, corpus_id).values(), default=0) > MANY_SEGMENTS


def _segment_counts(ledger: Ledger, corpus_id: int) -> Counter[tuple[str, str]]:
    """Segments by model and kind."""
    return Counter((row.model, row.kind) for row in listed_segments(ledger, corpus_id))
