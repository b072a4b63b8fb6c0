"""What is known and paid for: kept, never rebuilt."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from clausegraph.indexes.ledger.dialect import IDS_NEVER_REUSED
from clausegraph.indexes.ledger.schema.columns import corpus_id, interval, metadata

corpora = Table(
    "corpora",
    metadata,
    Column("id", Integer, primary_key=True),
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
    Column("id", Integer, primary_key=True),
    corpus_id(),
    Column("name", String(500), nullable=False),
    Column("kind", String(50), nullable=False),
    Column("location", Text, nullable=False),
    UniqueConstraint("corpus_id", "name"),
)

pages = Table(
    "pages",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
    Column("source_id", ForeignKey("sources.id", ondelete="CASCADE"), nullable=False),
    Column("uri", Text, nullable=False),
    UniqueConstraint("source_id", "uri"),
    **IDS_NEVER_REUSED,
)

blobs = Table(
    "blobs",
    metadata,
    corpus_id(),
    Column("hash", String(64), nullable=False),
    Column("data", LargeBinary, nullable=False),
    UniqueConstraint("corpus_id", "hash"),
)

page_versions = Table(
    "page_versions",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
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
    **IDS_NEVER_REUSED,
)

members = Table(
    "members",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
    Column("page_id", ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
    Column("page_version_id", ForeignKey("page_versions.id"), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("projection", Text, nullable=False),
    *interval(),
    Index("members_open", "corpus_id", "until"),
    Index("members_version", "page_version_id"),
)

crawls = Table(  # of a source that is fetched: the crawl that goes on, or the last one
    "crawls",
    metadata,
    Column("source_id", ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True),
    corpus_id(),
    Column("number", BigInteger, nullable=False),
    Column("heard", Float, nullable=False),  # its last reply; its beginning before there is one
    Column("ended", Float),  # none: what was asked under its number is not asked again
)

fetches = Table(  # every address of such a source, what it answered last, and what it had when it last had something
    "fetches",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
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
    corpus_id(),
    Column("input_key", String(64), nullable=False),
    Column("extractor", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created", Float, nullable=False),
    UniqueConstraint("corpus_id", "input_key", "extractor"),
)

embeddings = Table(
    "embeddings",
    metadata,
    corpus_id(),
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
    corpus_id(),
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
    Column("id", Integer, primary_key=True),
    corpus_id(),
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
    Column("id", Integer, primary_key=True),
    corpus_id(),
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
    Column("id", Integer, primary_key=True),
    corpus_id(),
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
    Column("id", Integer, primary_key=True),
    corpus_id(),
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
