"""Vacuum: what no retained epoch shows leaves the ledger, the segments and the disk.

An epoch is retained while it is one of the newest ``keep_epochs``, younger than ``keep_days``, published, or held by a
view. Decisions of people stay; a proposal about names that are gone goes with them.

A vacuum marks and sweeps: first the list of epochs is cut, then everything goes that the ledger does not list any more,
as the rows themselves say. One that was killed at any point is finished by the next.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    UniqueConstraint,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
)

from clausegraph.indexes.corpora import CorpusRow
from clausegraph.indexes.entities.names import PROPOSED
from clausegraph.indexes.files import failure_of
from clausegraph.indexes.kept_answers import answers_of
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.readers import AT_ONCE, holds_of
from clausegraph.indexes.ledger.schema import (
    FLIPPED,
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
    fetches,
    members,
    model_calls,
    page_versions,
    pages,
    rule_roles,
    run_pages,
    run_steps,
    runs,
    supports,
    vectors,
    work_batches,
)
from clausegraph.indexes.ledger.store import Ledger, batches
from clausegraph.indexes.postings import cut_from_blocks
from clausegraph.indexes.reply_rows import forget_replies
from clausegraph.indexes.vectors.segments import (
    holds_strangers,
    is_large,
    listed_segments,
    merge_segments,
    remove_unlisted,
)
from clausegraph.indexes.watches import forget_words
from clausegraph.indexes.work import not_held

KEEP_EPOCHS = 10
KEEP_DAYS = 30.0
MANY_SEGMENTS = 20  # of one kind: a publish that makes more merges them
_DAY_S = 86400.0
Reasons = dict[int, list[str]]  # why epochs stay, oldest first
_ROWS_AT_ONCE = 500  # in a transaction: some 40 ms


@dataclass(frozen=True, slots=True)
class Retention:
    """What stays though it is old: the newest ``epochs``, and whatever is younger than ``days`` at ``now``.

    0 days: nothing stays for its age, whatever the clock was when it was made.
    """

    epochs: int
    days: float
    now: float

    @property
    def before(self) -> float:
        """What was made before this moment is not young any more."""
        return self.now - self.days * _DAY_S if self.days > 0 else math.inf


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
    report_days: float | None = None,
) -> VacuumReport:
    """Remove what only epochs older than the retained ones show. Where it is ``promised`` that no byte of it stays on
    the disk, a ``sweep`` is to follow, of which a run that is killed before is reminded. Reports of runs are kept for
    ``report_days``, where these are not ``keep_days``."""
    retention = Retention(max(1, keep_epochs), keep_days, time.time())
    kept, gone, held = _remove_epochs(ledger, lease, retention)
    floor = min(kept, default=0)  # the oldest that stays
    remains = [
        f"epoch {number} of corpus {corpus.name!r} and what later ones do not show: "
        f"{holds_of(ledger).users(corpus.id, number)} reads it; wait for it or stop it"
        for number in held
    ]
    with ledger.write() as connection:
        check_fence(connection, lease)
        forget_words(connection, corpus.id, floor)
    rows: dict[str, int] = {}
    reported = retention if report_days is None else replace(retention, days=report_days)
    for table, condition in _removable(lease, floor, retention.before, reported.before):
        key = _key(table)
        found = ledger.rows(select(*key).where(table.c.corpus_id == corpus.id, condition))
        if found and not any(rows.values()):  # before the first row goes
            remains += _forget_replies(ledger, promised)
        if table is page_versions:
            cut_from_blocks(ledger, lease, [row.id for row in found])
        rows[table.name] = len(found)
        one = delete(table).where(*(column == bindparam(f"key_{column.name}") for column in key))
        for part in batches(
            [{f"key_{name}": cell for name, cell in row._mapping.items()} for row in found], _ROWS_AT_ONCE
        ):
            with ledger.write() as connection:
                check_fence(connection, lease)
                connection.execute(one, part)
    unread = select(func.count()).select_from(page_versions).where(page_versions.c.corpus_id == corpus.id, _UNPUBLISHED)
    unpublished = int(ledger.value(unread))
    before = len(listed_segments(ledger, corpus.id))
    remains += _rewrite_segments(ledger, lease)
    remains += answers_of(ledger).forget_epochs(corpus.id, kept)
    ledger.database.compact()
    after = len(listed_segments(ledger, corpus.id))
    return VacuumReport(floor, kept, unpublished, gone, rows, before, after, remains)


def _forget_replies(ledger: Ledger, promised: bool) -> list[str]:
    """Replies of language models may quote what goes: they go now, or with the sweep that is promised."""
    if not promised:
        return forget_replies(ledger)
    with ledger.write() as connection:
        ledger.database.promise_removal(connection)
    return []


def _remove_epochs(
    ledger: Ledger, lease: RunLease, retention: Retention
) -> tuple[dict[int, list[str]], int, list[int]]:
    """Take the epochs that have no reason to stay out of the list, but none that a reader holds, nor any after it.

    Returns those that stay with their reasons, oldest first, how many went, and those that only a reader keeps.
    """
    gone = 0
    mine = (epochs.c.corpus_id == lease.corpus_id,)
    while True:
        with ledger.read() as connection:
            floor = min(_kept(connection, lease.corpus_id, retention), default=0)
            query = select(epochs.c.number).where(*mine, epochs.c.number < floor, epochs.c.state == FLIPPED)
            older = list(connection.execute(query.order_by(epochs.c.number)).scalars())
        with holds_of(ledger).take(lease.corpus_id, older[:AT_ONCE]) as taken, ledger.write() as connection:
            check_fence(connection, lease)
            kept = _kept(connection, lease.corpus_id, retention)  # readers may have been moved back meanwhile
            floor = min([*(number for number in older if number not in taken), *kept], default=0)
            gone += connection.execute(delete(epochs).where(*mine, epochs.c.number < floor)).rowcount
        held = [number for number in older[:AT_ONCE] if number not in taken]
        if held or len(older) <= AT_ONCE:
            break
    with ledger.read() as connection:
        kept = _kept(connection, lease.corpus_id, retention, held)
        listed = select(epochs.c.number).where(*mine)  # with one that is to be flipped
        holds_of(ledger).forget(lease.corpus_id, keep=list(connection.execute(listed).scalars()))
    return kept, gone, held


def _kept(connection: Connection, corpus_id: int, retention: Retention, held: Collection[int] = ()) -> Reasons:
    """The oldest epoch that has a reason to stay and all after it, oldest first; ``VacuumReport`` has the reasons."""
    mine = (epochs.c.corpus_id == corpus_id, epochs.c.state == FLIPPED)
    rows = connection.execute(select(epochs.c.number, epochs.c.created).where(*mine).order_by(epochs.c.number)).all()
    published = connection.execute(select(corpora.c.published).where(corpora.c.id == corpus_id)).scalar_one()
    newest = {row.number for row in rows[-retention.epochs :]}
    why: dict[int, list[str]] = {}
    for row in rows:
        reasons = {
            "published": row.number == published,
            "held": row.number in held,
            "young": retention.before <= row.created <= retention.now,
            "future": row.created >= retention.before and row.created > retention.now,
            "newest": row.number in newest,
        }
        why[row.number] = [reason for reason, applies in reasons.items() if applies]
    floor = min((number for number, reasons in why.items() if reasons), default=0)
    return {number: reasons or ["between"] for number, reasons in why.items() if number >= floor}


def _key(table: Table) -> list[ColumnElement[object]]:
    """The columns that tell a row of a table from the others."""
    if table.primary_key.columns:
        return list(table.primary_key.columns)
    return next(list(one.columns) for one in table.constraints if isinstance(one, UniqueConstraint))


_UNPUBLISHED = and_(
    ~exists().where(members.c.page_version_id == page_versions.c.id),
    ~exists().where(run_pages.c.page_version_id == page_versions.c.id, ~not_held(run_pages.c.run_id)),
)


def _removable(
    lease: RunLease, floor: int, before: float, reported: float
) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    """What goes, in this order: closed rows, then the truth that nothing refers to any more, then records of runs."""
    for table in VERSIONED:
        yield table, table.c.until <= floor
    yield from _orphans(lease.corpus_id, before)
    for table in (run_pages, work_batches, run_steps):  # runs but ours have ended or died, and none can go on
        yield table, and_(table.c.run_id != lease.run_id, not_held(table.c.run_id))
    yield runs, and_(runs.c.id != lease.run_id, runs.c.started < reported, not_held(runs.c.id))
    known = select(runs.c.id).where(runs.c.corpus_id == lease.corpus_id)
    for table in (model_calls, budgets):
        yield table, and_(table.c.run_id != lease.run_id, table.c.run_id.not_in(known))


def _orphans(corpus_id: int, before: float) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    yield page_versions, and_(_UNPUBLISHED, page_versions.c.fetched < before)
    read = select(page_versions.c.raw_hash).where(page_versions.c.corpus_id == corpus_id)
    fetched = select(fetches.c.raw_hash).where(fetches.c.corpus_id == corpus_id)
    yield blobs, and_(blobs.c.hash.not_in(read), blobs.c.hash.not_in(fetched))
    yield pages, ~exists().where(page_versions.c.page_id == pages.c.id)
    made_for = extractions.c.input_key.in_(select(chunks.c.input_key).where(chunks.c.corpus_id == corpus_id))
    yield extractions, and_(~made_for, extractions.c.created < before)
    used = exists().where(
        vectors.c.corpus_id == corpus_id,
        vectors.c.text_hash == embeddings.c.text_hash,
        vectors.c.model == embeddings.c.model,
    )
    yield embeddings, and_(~used, embeddings.c.created < before)
    of_corpus = supports.c.corpus_id == corpus_id
    named = or_(  # lookups by index; one with OR inside reads every support for each name
        exists().where(of_corpus, supports.c.subject == entity_tokens.c.entity),
        exists().where(of_corpus, supports.c.object == entity_tokens.c.entity),
        exists().where(rule_roles.c.corpus_id == corpus_id, rule_roles.c.entity == entity_tokens.c.entity),
    )
    aliases = select(entity_names.c.name).where(entity_names.c.corpus_id == corpus_id)
    yield entity_tokens, and_(~named, entity_tokens.c.entity.not_in(aliases))
    there = select(entity_tokens.c.entity).where(entity_tokens.c.corpus_id == corpus_id)
    is_about_gone = or_(decisions.c.name.not_in(there), decisions.c.entity.not_in(there))
    yield decisions, and_(decisions.c.state == PROPOSED, is_about_gone)


def has_many_segments(ledger: Ledger, corpus_id: int) -> bool:
    """Whether a kind has more small segments than searching them one by one should meet."""
    kinds = Counter((row.model, row.kind) for row in listed_segments(ledger, corpus_id))
    if max(kinds.values(), default=0) <= MANY_SEGMENTS:
        return False
    small = Counter((row.model, row.kind) for row in listed_segments(ledger, corpus_id) if not is_large(ledger, row))
    return max(small.values(), default=0) > MANY_SEGMENTS


def _rewrite_segments(ledger: Ledger, lease: RunLease) -> Iterator[str]:
    """Of each kind there is one small segment at last, with the vectors that the ledger lists; other files go."""
    listed = defaultdict(list)
    for row in listed_segments(ledger, lease.corpus_id):
        listed[row.model, row.kind].append(row)
    for (model, kind), rows in listed.items():
        pure = [row for row in rows if not holds_strangers(ledger, row)]
        keep = {row.file for row in pure if len(rows) == 1 or is_large(ledger, row)}
        if len(rows) - len(keep) > 1 or len(pure) < len(rows):
            yield from failure_of(partial(merge_segments, ledger, lease, model, kind, keep))
    yield from failure_of(partial(remove_unlisted, ledger, lease.corpus_id))
