"""Sources that are fetched: their crawls, and what each address answered."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the two tables."""
    op.create_table(
        "crawls",
        sa.Column("source_id", sa.Integer, sa.ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True),
        _corpus(),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("started", sa.Float, nullable=False),
        sa.Column("ended", sa.Float),
    )
    op.create_table(
        "fetches",
        sa.Column("id", sa.Integer, primary_key=True),
        _corpus(),
        sa.Column("source_id", sa.Integer, sa.ForeignKey("sources.id", ondelete="CASCADE"), nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("crawl", sa.BigInteger, nullable=False),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("status", sa.Integer),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("permanent", sa.Integer, nullable=False),
        sa.Column("uri", sa.Text, nullable=False),
        sa.Column("raw_hash", sa.String(64), nullable=False),
        sa.Column("content_type", sa.String(200), nullable=False),
        sa.Column("etag", sa.Text, nullable=False),
        sa.Column("last_modified", sa.Text, nullable=False),
        sa.Column("stated", sa.Text, nullable=False),
        sa.Column("canonical", sa.Text, nullable=False),
        sa.Column("text_hash", sa.String(64), nullable=False),
        sa.Column("sketch", sa.LargeBinary, nullable=False),
        sa.Column("fetched", sa.Float, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.UniqueConstraint("source_id", "address"),
    )


def _corpus() -> sa.Column[int]:
    return sa.Column("corpus_id", sa.Integer, sa.ForeignKey("corpora.id", ondelete="CASCADE"), nullable=False)
