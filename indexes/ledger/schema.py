"""The ledger's tables. Truth tables are migrated, never rebuilt; derived tables can be recomputed.

An epoch interval is ``[since, until)``; an open row has ``until = OPEN``. A row is visible at epoch e if and
only if ``since <= e < until``. Rows of an epoch that was frozen but not flipped have ``since = newest + 1``
(or ``until = newest + 1``) and so are invisible to every reader.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
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
)

OPEN = 2**63 - 1

metadata = MetaData()


def _corpus() -> Column[int]:
    return Column("corpus_id", ForeignKey("corpora.id", ondelete="CASCADE"), nullable=False)


def _interval() -> list[Column[int]]:
    return [Column("since", BigInteger, nullable=False), Column("until", BigInteger, nullable=False)]


# --- truth ----------------------------------------------------------------------------------------

corpora = Table(
    "corpora",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("settings", Text, nullable=False),
    Column("newest", BigInteger, nullable=False, default=0),  # highest epoch ever flipped
    Column("published", BigInteger, nullable=False, default=0),  # the one readers get
    Column("created", Float, nullable=False),
    sqlite_autoincrement=True,
)

sources = Table(
    "sources",
    metadata,
    Column("id", Integer, primary_key=True),
    _corpus(),
    Column("name", String(500), nullable=False),
    Column("kind", String(50), nullable=False),
    Column("location", Text, nullable=False),
    UniqueConstraint("corpus_id", "name"),
)

pages = Table(
    "pages",
    metadata,
    Column("id", Integer, primary_key=True),
    _corpus(),
    Column("source_id", ForeignKey("sources.id", ondelete="CASCADE"), nullable=False),
    Column("uri", Text, nullable=False),
    UniqueConstraint("source_id", "uri"),
    sqlite_autoincrement=True,
)

blobs = Table(
    "blobs",
    metadata,
    _corpus(),
    Column("hash", String(64), nullable=False),
    Column("data", LargeBinary, nullable=False),
    UniqueConstraint("corpus_id", "hash"),
)

page_versions = Table(
    "page_versions",
    metadata,
    Column("id", Integer, primary_key=True),
    _corpus(),
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
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
    sqlite_autoincrement=True,
)

members = Table(
    "members",
    metadata,
    Column("id", Integer, primary_key=True),
    _corpus(),
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
    Column("page_version_id", ForeignKey("page_versions.id"), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("projection", Text, nullable=False),
    *_interval(),
    Index("members_open", "corpus_id", "until"),
    Index("members_version", "page_version_id"),
)

extractions = Table(
    "extractions",
    metadata,
    _corpus(),
    Column("input_key", String(64), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created", Float, nullable=False),
    UniqueConstraint("corpus_id", "input_key", "extractor"),
)

embeddings = Table(
    "embeddings",
    metadata,
    _corpus(),
    Column("text_hash", String(64), nullable=False),
    Column("model", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),  # float32, little-endian
    Column("created", Float, nullable=False),
    UniqueConstraint("corpus_id", "text_hash", "model"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", String(40), primary_key=True),
    _corpus(),
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

epochs = Table(
    "epochs",
    metadata,
    _corpus(),
    Column("number", BigInteger, nullable=False),
    Column("state", String(10), nullable=False),  # frozen, flipped
    Column("model", Text, nullable=False),
    Column("run_id", String(40), nullable=False),
    Column("created", Float, nullable=False),
    Column("summary", Text, nullable=False),
    UniqueConstraint("corpus_id", "number"),
)

decisions = Table(  # two names, one entity: proposed, then accepted or rejected by somebody
    "decisions",
    metadata,
    Column("id", Integer, primary_key=True),
    _corpus(),
    Column("name", Text, nullable=False),  # entity key that is taken for another
    Column("entity", Text, nullable=False),  # entity key it is taken for
    Column("state", String(10), nullable=False),  # proposed, accepted, rejected
    Column("score", Float, nullable=False),
    Column("evidence", Text, nullable=False),  # canonical JSON
    Column("decided_by", Text),
    Column("decided", Float),
    Column("created", Float, nullable=False),
    UniqueConstraint("corpus_id", "name", "entity"),
    sqlite_autoincrement=True,
)

entity_names = Table(  # the accepted decisions, as each epoch applied them
    "entity_names",
    metadata,
    Column("id", Integer, primary_key=True),
    _corpus(),
    Column("name", Text, nullable=False),
    Column("entity", Text, nullable=False),
    *_interval(),
    Index("entity_names_open", "corpus_id", "until"),
)

budgets = Table(  # one row a run; every process of the run draws on it
    "budgets",
    metadata,
    Column("run_id", String(40), primary_key=True),
    _corpus(),
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
    Column("id", Integer, primary_key=True),
    _corpus(),
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
    _corpus(),
    Column("data", Text, nullable=False),  # canonical JSON
)

run_pages = Table(  # of a run in steps: the page versions it is to publish
    "run_pages",
    metadata,
    Column("run_id", String(40), primary_key=True),
    Column("uri", Text, primary_key=True),
    _corpus(),
    Column("page_id", Integer, nullable=False),
    Column("page_version_id", Integer, nullable=False),
)

work_batches = Table(  # of a run in steps: chunks to extract, claimed by one worker at a time
    "work_batches",
    metadata,
    Column("id", Integer, primary_key=True),
    _corpus(),
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
    sqlite_autoincrement=True,
)

view_leases = Table(
    "view_leases",
    metadata,
    Column("id", String(40), primary_key=True),
    _corpus(),
    Column("epoch", BigInteger, nullable=False),
    Column("expires", Float, nullable=False),
)

segments = Table(
    "segments",
    metadata,
    Column("id", Integer, primary_key=True),
    _corpus(),
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

# --- derived from the truth -----------------------------------------------------------------------

chunks = Table(
    "chunks",
    metadata,
    Column("id", Integer, primary_key=True),
    _corpus(),
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
    Column("key", Text, nullable=False),
    Column("content_hash", String(64), nullable=False),
    Column("input_key", String(64), nullable=False),
    *_interval(),
    Index("chunks_page", "page_id", "until"),
    Index("chunks_until", "corpus_id", "until"),
)

supports = Table(
    "supports",
    metadata,
    Column("id", Integer, primary_key=True),
    _corpus(),
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
    Column("chunk_key", Text, nullable=False),
    Column("fact_id", String(64), nullable=False),
    Column("subject", Text, nullable=False),
    Column("relation", Text, nullable=False),
    Column("object", Text, nullable=False),
    Column("content_key", String(64), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("statement", Text, nullable=False),
    *_interval(),
    Index("supports_page", "page_id", "until"),
    Index("supports_until", "corpus_id", "until"),
    Index("supports_fact", "corpus_id", "fact_id"),
    Index("supports_subject", "corpus_id", "subject"),
    Index("supports_object", "corpus_id", "object"),
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
    Column("id", Integer, primary_key=True),  # the id in the FAISS segments, never reused
    _corpus(),
    Column("kind", String(10), nullable=False),  # chunk, element, fact
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
    sqlite_autoincrement=True,
)

VERSIONED = (members, entity_names, chunks, supports, vectors)  # every table with an epoch interval
