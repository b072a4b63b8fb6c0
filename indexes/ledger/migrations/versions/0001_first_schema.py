"""The first schema, as it was when ledgers were first made by it: later changes are migrations of their own."""

import uuid

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table, and give the ledger its id: copies and backups share it."""
    _truth()
    _runs()
    _derived()
    identity = op.create_table("identity", sa.Column("id", sa.String(40), primary_key=True))
    op.bulk_insert(identity, [{"id": uuid.uuid4().hex}])


def _corpus() -> sa.Column[int]:
    return sa.Column("corpus_id", sa.Integer, sa.ForeignKey("corpora.id", ondelete="CASCADE"), nullable=False)


def _interval() -> list[sa.Column[int]]:
    return [sa.Column("since", sa.BigInteger, nullable=False), sa.Column("until", sa.BigInteger, nullable=False)]


def _truth() -> None:
    op.create_table(
        "corpora",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("newest", sa.BigInteger, nullable=False),
        sa.Column("published", sa.BigInteger, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sources",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("name", sa.String(500), nullable=False),
        sa.Column("kind", sa.String(50), nullable=False),
        sa.Column("location", sa.Text, nullable=False),
        sa.UniqueConstraint("corpus_id", "name"),
    )
    op.create_table(
        "pages",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("source_id", sa.Integer, sa.ForeignKey("sources.id", ondelete="CASCADE"), nullable=False),
        sa.Column("uri", sa.Text, nullable=False),
        sa.UniqueConstraint("source_id", "uri"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "blobs",
        _corpus(),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("corpus_id", "hash"),
    )
    op.create_table(
        "page_versions",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("page_id", sa.Integer, sa.ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
        sa.Column("version_key", sa.String(64), nullable=False),
        sa.Column("raw_hash", sa.String(64), nullable=False),
        sa.Column("content_type", sa.String(100), nullable=False),
        sa.Column("title", sa.Text),
        sa.Column("url", sa.Text),
        sa.Column("pipeline", sa.Text, nullable=False),
        sa.Column("fetched", sa.Float, nullable=False),
        sa.Column("etag", sa.Text),
        sa.Column("last_modified", sa.Text),
        sa.Column("reading", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("page_id", "version_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "members",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("page_id", sa.Integer, sa.ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
        sa.Column("page_version_id", sa.Integer, sa.ForeignKey("page_versions.id"), nullable=False),
        sa.Column("extractor", sa.Text, nullable=False),
        sa.Column("projection", sa.Text, nullable=False),
        *_interval(),
    )
    op.create_index("members_open", "members", ["corpus_id", "until"])
    op.create_index("members_version", "members", ["page_version_id"])
    op.create_table(
        "extractions",
        _corpus(),
        sa.Column("input_key", sa.String(64), nullable=False),
        sa.Column("extractor", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.UniqueConstraint("corpus_id", "input_key", "extractor"),
    )
    op.create_table(
        "embeddings",
        _corpus(),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.UniqueConstraint("corpus_id", "text_hash", "model"),
    )
    op.create_table(
        "epochs",
        _corpus(),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("run_id", sa.String(40), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.UniqueConstraint("corpus_id", "number"),
    )
    op.create_table(
        "decisions",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("entity", sa.Text, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("decided_by", sa.Text),
        sa.Column("decided", sa.Float),
        sa.Column("created", sa.Float, nullable=False),
        sa.UniqueConstraint("corpus_id", "name", "entity"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "segments",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("checksum", sa.String(64), nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
    )
    op.create_index("segments_of", "segments", ["corpus_id", "model", "kind"])


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(40), primary_key=True),
        _corpus(),
        sa.Column("kind", sa.String(30), nullable=False),
        sa.Column("source", sa.Text),
        sa.Column("started", sa.Float, nullable=False),
        sa.Column("ended", sa.Float),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("report", sa.Text),
    )
    op.create_table(
        "run_leases",
        sa.Column("corpus_id", sa.Integer, sa.ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("run_id", sa.String(40), nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("fence", sa.BigInteger, nullable=False),
        sa.Column("acquired", sa.Float, nullable=False),
        sa.Column("heartbeat", sa.Float, nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
    )
    op.create_table(
        "budgets",
        sa.Column("run_id", sa.String(40), primary_key=True),
        _corpus(),
        sa.Column("limit_tokens", sa.BigInteger),
        sa.Column("limit_money", sa.Float),
        sa.Column("used_tokens", sa.BigInteger, nullable=False),
        sa.Column("used_money", sa.Float, nullable=False),
        sa.Column("reserved_tokens", sa.BigInteger, nullable=False),
        sa.Column("reserved_money", sa.Float, nullable=False),
    )
    op.create_table(
        "model_calls",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("run_id", sa.String(40), nullable=False),
        sa.Column("task", sa.Text, nullable=False),
        sa.Column("prompt", sa.Text, nullable=False),
        sa.Column("pages", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger),
        sa.Column("output_tokens", sa.BigInteger),
        sa.Column("money", sa.Float, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_index("model_calls_run", "model_calls", ["corpus_id", "run_id"])
    op.create_table(
        "run_steps",
        sa.Column("run_id", sa.String(40), primary_key=True),
        sa.Column("step", sa.String(20), primary_key=True),
        _corpus(),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_table(
        "run_pages",
        sa.Column("run_id", sa.String(40), primary_key=True),
        sa.Column("uri", sa.Text, primary_key=True),
        _corpus(),
        sa.Column("page_id", sa.Integer, nullable=False),
        sa.Column("page_version_id", sa.Integer, nullable=False),
    )
    op.create_table(
        "work_batches",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("run_id", sa.String(40), nullable=False),
        sa.Column("chunks", sa.Text, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("claim", sa.String(40)),
        sa.Column("host", sa.Text),
        sa.Column("pid", sa.Integer),
        sa.Column("expires", sa.Float),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("result", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("work_batches_run", "work_batches", ["run_id", "state"])
    op.create_table(
        "view_leases",
        sa.Column("id", sa.String(40), primary_key=True),
        _corpus(),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
    )


def _derived() -> None:
    op.create_table(
        "entity_names",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("entity", sa.Text, nullable=False),
        *_interval(),
    )
    op.create_index("entity_names_open", "entity_names", ["corpus_id", "until"])
    op.create_table(
        "chunks",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("page_id", sa.Integer, sa.ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("input_key", sa.String(64), nullable=False),
        *_interval(),
    )
    op.create_index("chunks_page", "chunks", ["page_id", "until"])
    op.create_index("chunks_until", "chunks", ["corpus_id", "until"])
    op.create_table(
        "supports",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("page_id", sa.Integer, sa.ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
        sa.Column("chunk_key", sa.Text, nullable=False),
        sa.Column("fact_id", sa.String(64), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("relation", sa.Text, nullable=False),
        sa.Column("object", sa.Text, nullable=False),
        sa.Column("content_key", sa.String(64), nullable=False),
        sa.Column("extractor", sa.Text, nullable=False),
        sa.Column("statement", sa.Text, nullable=False),
        *_interval(),
    )
    op.create_index("supports_fact", "supports", ["corpus_id", "fact_id"])
    op.create_index("supports_object", "supports", ["corpus_id", "object"])
    op.create_index("supports_page", "supports", ["page_id", "until"])
    op.create_index("supports_subject", "supports", ["corpus_id", "subject"])
    op.create_index("supports_until", "supports", ["corpus_id", "until"])
    op.create_table(
        "entity_tokens",
        sa.Column("corpus_id", sa.Integer, sa.ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("token", sa.Text, primary_key=True),
        sa.Column("entity", sa.Text, primary_key=True),
    )
    op.create_table(
        "vectors",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("page_id", sa.Integer, sa.ForeignKey("pages.id", ondelete="CASCADE")),
        sa.Column("ref", sa.Text, nullable=False),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        *_interval(),
        sqlite_autoincrement=True,
    )
    op.create_index("vectors_page", "vectors", ["page_id", "until"])
    op.create_index("vectors_ref", "vectors", ["corpus_id", "kind", "ref"])
    op.create_index("vectors_since", "vectors", ["corpus_id", "kind", "since"])
    op.create_index("vectors_text", "vectors", ["corpus_id", "text_hash"])
    op.create_index("vectors_until", "vectors", ["corpus_id", "until"])
