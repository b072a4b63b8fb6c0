"""Statements that a curator hides: the decisions, and the supports that they keep out of the graph."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make both tables; nothing was hidden before."""
    op.create_table(
        "hidden_statements",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("corpus_id", sa.Integer, sa.ForeignKey("corpora.id", ondelete="CASCADE"), nullable=False),
        sa.Column("source", sa.String(500), nullable=False),
        sa.Column("uri", sa.Text, nullable=False),
        sa.Column("anchor", sa.Text, nullable=False),
        sa.Column("claim", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=False),
        sa.Column("decided", sa.Float, nullable=False),
        sa.UniqueConstraint("corpus_id", "source", "uri", "anchor", "claim"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "hidden_supports",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("corpus_id", sa.Integer, sa.ForeignKey("corpora.id", ondelete="CASCADE"), nullable=False),
        sa.Column("page_id", sa.Integer, sa.ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
        sa.Column("chunk_key", sa.Text, nullable=False),
        sa.Column("fact_id", sa.String(64), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("relation", sa.Text, nullable=False),
        sa.Column("object", sa.Text, nullable=False),
        sa.Column("content_key", sa.String(64), nullable=False),
        sa.Column("extractor", sa.Text, nullable=False),
        sa.Column("statement", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
    op.create_index("hidden_supports_page", "hidden_supports", ["page_id", "until"])
    op.create_index("hidden_supports_until", "hidden_supports", ["corpus_id", "until"])
