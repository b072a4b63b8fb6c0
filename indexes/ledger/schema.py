"""The ledger's tables, as the newest migration leaves them; a change here is a migration in ``migrations/versions``.

An epoch interval is ``[since, until)``; an open row has ``until = OPEN``. A row is visible at epoch e if and
only if ``since <= e < until``. Rows of an epoch that was frozen but not flipped have ``since = newest + 1``
(or ``until = newest + 1``) and so are invisible to every reader.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    select,
)

from clausegraph.indexes.ledger.cells import check_cells
from clausegraph.indexes.ledger.dialect import IDS_NEVER_REUSED, index_where

OPEN = 2**63 - 1  # until, of a row that no epoch has closed

metadata = MetaData()


def _corpus_id() -> Column[int]:
    """The corpus of a row: it goes with it."""
    return Column("corpus_id", ForeignKey("corpora.id", ondelete="CASCADE"), nullable=False)


def _page_id() -> Column[int]:
    """The page of a row: it goes with it."""
    return Column("page_id", ForeignKey("pages.id", ondelete="CASCADE"), nullable=False)


def _row_id() -> Column[int]:
    """A number that tells a row from the others of its table."""
    return Column("id", Integer, primary_key=True)


def _interval() -> list[Column[int]]:
    """The epochs ``[since, until)`` at which a row is visible."""
    return [Column("since", BigInteger, nullable=False), Column("until", BigInteger, nullable=False)]


corpora = Table(
    "corpora",
    metadata,
    _row_id(),
    Column("name", String(200), nullable=False, unique=True),
    Column("settings", Text, nullable=False),
    Column("newest", BigInteger, nullable=False, default=0),  # highest epoch ever flipped
    Column("published", BigInteger, nullable=False, default=0),  # the one readers get
    Column("created", Float, nullable=False),
    **IDS_NEVER_REUSED,
)

sources = Table(
    "sources",
    metadata,
    _row_id(),
    _corpus_id(),
    Column("name", String(500), nullable=False),
    Column("kind", String(50), nullable=False),
    Column("location", Text, nullable=False),
    UniqueConstraint("corpus_id", "name"),
)

pages = Table(
    "pages",
    metadata,
    _row_id(),
    _corpus_id(),
    Column("source_id", ForeignKey("sources.id", ondelete="CASCADE"), nullable=False),
    Column("uri", Text, nullable=False),
    UniqueConstraint("source_id", "uri"),
    **IDS_NEVER_REUSED,
)

blobs = Table(
    "blobs",
    metadata,
    _corpus_id(),
    Column("hash", String(64), nullable=False),
    Column("data", LargeBinary, nullable=False),
    UniqueConstraint("corpus_id", "hash"),
)

page_versions = Table(
    "page_versions",
    metadata,
    _row_id(),
    _corpus_id(),
    _page_id(),
    Column("version_key", String(64), nullable=False),  # raw bytes, stated title and url, pipeline
    Column("raw_hash", String(64), nullable=False),
    Column("content_type", String(100), nullable=False),
    Column("title", Text),
    Column("url", Text),
    Column("pipeline", Text, nullable=False),  # fingerprints of reader and chunker
    Column("fetched", Float, nullable=False),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("reading", LargeBinary, nullable=False),
    UniqueConstraint("page_id", "version_key"),
    **IDS_NEVER_REUSED,
)

members = Table(
    "members",
    metadata,
    _row_id(),
    _corpus_id(),
    _page_id(),
    Column("page_version_id", ForeignKey("page_versions.id"), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("projection", Text, nullable=False),
    *_interval(),
    Index("members_open", "corpus_id", "until"),
    Index("members_version", "page_version_id"),
)

crawls = Table(  # of a source that is fetched: the crawl that goes on, or the last one
    "crawls",
    metadata,
    Column("source_id", ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True),
    _corpus_id(),
    Column("number", BigInteger, nullable=False),
    Column("heard", Float, nullable=False),  # its last reply; its beginning before there is one
    Column("ended", Float),  # none: what was asked under its number is not asked again
)

fetches = Table(  # every address of such a source, what it answered last, and what it had when it last had something
    "fetches",
    metadata,
    _row_id(),
    _corpus_id(),
    Column("source_id", ForeignKey("sources.id", ondelete="CASCADE"), nullable=False),
    Column("address", Text, nullable=False),
    Column("crawl", BigInteger, nullable=False),  # in which it was asked last
    Column("outcome", String(20), nullable=False),
    Column("status", Integer),
    Column("reason", Text, nullable=False),
    Column("target", Text, nullable=False),  # where it redirects to
    Column("permanent", Integer, nullable=False),  # 1: for good
    Column("uri", Text, nullable=False),  # of the page that it is an address of, once that is known
    Column("raw_hash", String(64), nullable=False),  # empty: it never had a page
    Column("content_type", String(200), nullable=False),
    Column("etag", Text, nullable=False),
    Column("last_modified", Text, nullable=False),
    Column("stated", Text, nullable=False),  # when it changed, as a sitemap or feed says
    Column("canonical", Text, nullable=False),  # address that the page itself calls its own
    Column("text_hash", String(64), nullable=False),
    Column("sketch", LargeBinary, nullable=False),  # MinHash of its words
    Column("fetched", Float, nullable=False),
    Column("failures", Integer, nullable=False),  # in a row
    UniqueConstraint("source_id", "address"),
)

extractions = Table(
    "extractions",
    metadata,
    _corpus_id(),
    Column("input_key", String(64), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created", Float, nullable=False),
    UniqueConstraint("corpus_id", "input_key", "extractor"),
)

embeddings = Table(
    "embeddings",
    metadata,
    _corpus_id(),
    Column("text_hash", String(64), nullable=False),
    Column("model", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),  # float32, little-endian
    Column("created", Float, nullable=False),
    UniqueConstraint("corpus_id", "text_hash", "model"),
)

FREEZING = "freezing"  # its rows are being written, or taken back: some may be there and others not
FROZEN = "frozen"  # all of its rows are there, and no reader sees it
FLIPPED = "flipped"  # it is, or was, what readers get
epochs = Table(
    "epochs",
    metadata,
    _corpus_id(),
    Column("number", BigInteger, nullable=False),
    Column("state", String(10), nullable=False),  # one of the three below
    Column("model", Text, nullable=False),
    Column("run_id", String(40), nullable=False),
    Column("created", Float, nullable=False),
    Column("summary", Text, nullable=False),
    UniqueConstraint("corpus_id", "number"),
)

decisions = Table(  # two names, one entity: proposed, then accepted or rejected by somebody
    "decisions",
    metadata,
    _row_id(),
    _corpus_id(),
    Column("name", Text, nullable=False),  # entity key that is taken for another
    Column("entity", Text, nullable=False),  # entity key it is taken for
    Column("state", String(10), nullable=False),  # proposed, accepted, rejected
    Column("score", Float, nullable=False),
    Column("evidence", Text, nullable=False),  # canonical JSON
    Column("decided_by", Text),
    Column("decided", Float),
    Column("created", Float, nullable=False),
    UniqueConstraint("corpus_id", "name", "entity"),
    **IDS_NEVER_REUSED,
)

hidden_statements = Table(  # a statement of a page that somebody decided to be wrong, told by what it claims and where
    "hidden_statements",
    metadata,
    _row_id(),
    _corpus_id(),
    Column("source", String(500), nullable=False),
    Column("uri", Text, nullable=False),
    Column("anchor", Text, nullable=False),  # of the first element that states it; empty: it names none
    Column("claim", String(64), nullable=False),  # hash: no text of a page outlives it here
    Column("reason", Text, nullable=False),
    Column("decided_by", Text, nullable=False),
    Column("decided", Float, nullable=False),
    UniqueConstraint("corpus_id", "source", "uri", "anchor", "claim"),
    **IDS_NEVER_REUSED,
)

judged_answers = Table(  # what somebody says of an answer: a question to measure engines on
    "judged_answers",
    metadata,
    _row_id(),
    _corpus_id(),
    Column("key", String(64), nullable=False),  # hash of question, scenario and who judged
    Column("epoch", BigInteger, nullable=False),  # that the answer was of
    Column("question", Text, nullable=False),
    Column("scenario", Text, nullable=False),
    Column("verdict", String(10), nullable=False),  # right, wrong
    Column("expected", Text, nullable=False),  # what is right, in that person's words; empty: not said
    Column("answer", Text, nullable=False),  # canonical JSON: status and places, no text of a page
    Column("judged_by", Text, nullable=False),
    Column("created", Float, nullable=False),
    UniqueConstraint("corpus_id", "key"),
    **IDS_NEVER_REUSED,
)

segments = Table(
    "segments",
    metadata,
    _row_id(),
    _corpus_id(),
    Column("model", Text, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("file", Text, nullable=False),
    Column("checksum", String(64), nullable=False),
    Column("since", BigInteger, nullable=False),  # first epoch that lists it
    Index("segments_of", "corpus_id", "model", "kind"),
)

identity = Table(  # one row: what makes this ledger this one, also when it is copied, moved or restored
    "identity",
    metadata,
    Column("id", String(40), primary_key=True),
)


entity_names = Table(  # the accepted decisions, as each epoch applied them
    "entity_names",
    metadata,
    _row_id(),
    _corpus_id(),
    Column("name", Text, nullable=False),
    Column("entity", Text, nullable=False),
    *_interval(),
    Index("entity_names_open", "corpus_id", "until"),
)

chunks = Table(
    "chunks",
    metadata,
    _row_id(),
    _corpus_id(),
    _page_id(),
    Column("key", Text, nullable=False),
    Column("content_hash", String(64), nullable=False),
    Column("input_key", String(64), nullable=False),
    *_interval(),
    Index("chunks_page", "page_id", "until"),
    Index("chunks_until", "corpus_id", "until"),
)


def _support_columns() -> list[Column[Any]]:
    return [
        _row_id(),
        _corpus_id(),
        _page_id(),
        Column("chunk_key", Text, nullable=False),
        Column("fact_id", String(64), nullable=False),
        Column("subject", Text, nullable=False),
        Column("relation", Text, nullable=False),
        Column("object", Text, nullable=False),
        Column("content_key", String(64), nullable=False),
        Column("extractor", Text, nullable=False),
        Column("statement", Text, nullable=False),
        *_interval(),
    ]


# As a literal in the query, too, or no planner can tell that the index holds all that is asked for.
_DEFINED = "extractor = 'definitions:1'"
supports = Table(
    "supports",
    metadata,
    *_support_columns(),
    Index("supports_page", "page_id", "until"),
    Index("supports_until", "corpus_id", "until"),
    Index("supports_fact", "corpus_id", "fact_id"),
    Index("supports_subject", "corpus_id", "subject"),
    Index("supports_object", "corpus_id", "object"),
    index_where(_DEFINED, "supports_definitions", "corpus_id", "until"),
)

hidden_supports = Table(  # would be supports if nobody had decided to hide what they state; under the names as written
    "hidden_supports",
    metadata,
    *_support_columns(),
    Index("hidden_supports_page", "page_id", "until"),
    Index("hidden_supports_until", "corpus_id", "until"),
)

passages = Table(  # what was not understood, with its conditions and names; no part of the graph
    "passages",
    metadata,
    _row_id(),
    _corpus_id(),
    _page_id(),
    Column("chunk_key", Text, nullable=False),
    Column("content_key", String(64), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("passage", Text, nullable=False),
    *_interval(),
    Index("passages_page", "page_id", "until"),
    Index("passages_until", "corpus_id", "until"),
)

entity_tokens = Table(
    "entity_tokens",
    metadata,
    Column("corpus_id", ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
    Column("token", Text, primary_key=True),
    Column("entity", Text, primary_key=True),
)

vectors = Table(
    "vectors",
    metadata,
    _row_id(),  # the id in the FAISS segments, never reused
    _corpus_id(),
    Column("kind", String(10), nullable=False),  # chunk, element, fact, passage
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE")),
    Column("ref", Text, nullable=False),
    Column("text_hash", String(64), nullable=False),
    Column("model", Text, nullable=False),
    *_interval(),
    Index("vectors_page", "page_id", "until"),
    Index("vectors_until", "corpus_id", "until"),
    Index("vectors_ref", "corpus_id", "kind", "ref"),
    Index("vectors_text", "corpus_id", "text_hash"),
    Index("vectors_since", "corpus_id", "kind", "since"),
    **IDS_NEVER_REUSED,
)


runs = Table(
    "runs",
    metadata,
    Column("id", String(40), primary_key=True),
    _corpus_id(),
    Column("kind", String(30), nullable=False),
    Column("source", Text),
    Column("started", Float, nullable=False),
    Column("ended", Float),
    Column("status", String(20), nullable=False),
    Column("report", Text),
)

run_leases = Table(
    "run_leases",
    metadata,
    Column("corpus_id", ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
    Column("run_id", String(40), nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("acquired", Float, nullable=False),
    Column("heartbeat", Float, nullable=False),
    Column("expires", Float, nullable=False),
)

budgets = Table(  # one row a run; every process of the run draws on it
    "budgets",
    metadata,
    Column("run_id", String(40), primary_key=True),
    _corpus_id(),
    Column("limit_tokens", BigInteger),
    Column("limit_money", Float),
    Column("used_tokens", BigInteger, nullable=False, default=0),
    Column("used_money", Float, nullable=False, default=0.0),
    Column("reserved_tokens", BigInteger, nullable=False, default=0),
    Column("reserved_money", Float, nullable=False, default=0.0),
)

model_calls = Table(  # every attempt that reached a model's server, and every reply from the cache
    "model_calls",
    metadata,
    _row_id(),
    _corpus_id(),
    Column("run_id", String(40), nullable=False),
    Column("task", Text, nullable=False),
    Column("prompt", Text, nullable=False),  # id of the prompt, task.vN
    Column("pages", Text, nullable=False),  # JSON list of page keys
    Column("model", Text, nullable=False),
    Column("outcome", String(20), nullable=False),  # ok, cached, or the name of the error
    Column("prompt_tokens", BigInteger),  # none: the server did not say
    Column("output_tokens", BigInteger),
    Column("money", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("at", Float, nullable=False),
    Index("model_calls_run", "corpus_id", "run_id"),
)

run_steps = Table(  # of a run in steps: what each left for the later ones, and for the report
    "run_steps",
    metadata,
    Column("run_id", String(40), primary_key=True),
    Column("step", String(20), primary_key=True),
    _corpus_id(),
    Column("data", Text, nullable=False),  # canonical JSON
)

run_pages = Table(  # of a run in steps: the page versions it is to publish
    "run_pages",
    metadata,
    Column("run_id", String(40), primary_key=True),
    Column("uri", Text, primary_key=True),
    _corpus_id(),
    Column("page_id", Integer, nullable=False),
    Column("page_version_id", Integer, nullable=False),
)

work_batches = Table(  # of a run in steps: chunks to extract, claimed by one worker at a time
    "work_batches",
    metadata,
    _row_id(),
    _corpus_id(),
    Column("run_id", String(40), nullable=False),
    Column("chunks", Text, nullable=False),  # canonical JSON: [[uri, [input key, …]], …]
    Column("state", String(10), nullable=False),  # open, claimed, done
    Column("claim", String(40)),  # token of the claim: a worker that lost it finds another one here
    Column("host", Text),
    Column("pid", Integer),
    Column("expires", Float),
    Column("attempts", Integer, nullable=False, default=0),
    Column("result", Text),  # canonical JSON: what failed, and the seconds of work
    Index("work_batches_run", "run_id", "state"),
    **IDS_NEVER_REUSED,
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
