"""The ledger's tables, as the newest migration leaves them; a change here is a migration in ``migrations/versions``.

An epoch interval is ``[since, until)``; an open row has ``until = OPEN``. A row is visible at epoch e if and
only if ``since <= e < until``. Rows of an epoch that was frozen but not flipped have ``since = newest + 1``
(or ``until = newest + 1``) and so are invisible to every reader.
"""

from sqlalchemy import ColumnElement, Table, and_, select

from clausegraph.indexes.ledger.cells import check_cells
from clausegraph.indexes.ledger.schema.columns import OPEN, metadata
from clausegraph.indexes.ledger.schema.derived import (
    chunks,
    entity_names,
    entity_tokens,
    hidden_supports,
    passages,
    supports,
    vectors,
)
from clausegraph.indexes.ledger.schema.runs import (
    budgets,
    model_calls,
    run_leases,
    run_pages,
    run_steps,
    runs,
    work_batches,
)
from clausegraph.indexes.ledger.schema.truth import (
    FLIPPED,
    FREEZING,
    FROZEN,
    blobs,
    corpora,
    crawls,
    decisions,
    embeddings,
    epochs,
    extractions,
    fetches,
    hidden_statements,
    identity,
    judged_answers,
    members,
    page_versions,
    pages,
    segments,
    sources,
)

check_cells(metadata)

VECTOR_KINDS = ("chunk", "element", "fact", "passage")  # what is embedded of a page
VERSIONED = (members, entity_names, chunks, supports, hidden_supports, passages, vectors)  # all with an epoch interval


def seen_at(table: Table, epoch: ColumnElement[int] | int) -> ColumnElement[bool]:
    """Whether a row is visible at an epoch."""
    return and_(table.c.since <= epoch, table.c.until > epoch)


def in_newest(table: Table) -> ColumnElement[bool]:
    """Whether a row belongs to the newest state, for whoever looks without the corpus' lease: an epoch that is being
    written has closed rows and opened others that are not part of it."""
    newest = select(corpora.c.newest).where(corpora.c.id == table.c.corpus_id).correlate(table).scalar_subquery()
    return seen_at(table, newest)


__all__ = [
    "FLIPPED", "FREEZING", "FROZEN", "OPEN", "VECTOR_KINDS", "VERSIONED", "blobs", "budgets", "chunks", "corpora",
    "crawls", "decisions", "embeddings", "entity_names", "entity_tokens", "epochs", "extractions", "fetches",
    "hidden_statements", "hidden_supports", "identity", "in_newest", "judged_answers", "members", "metadata",
    "model_calls", "page_versions", "pages", "passages", "run_leases", "run_pages", "run_steps", "runs", "seen_at",
    "segments", "sources", "supports", "vectors", "work_batches",
]  # fmt: skip
