"""Answers that people judged right or wrong."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the table; nothing was judged before."""
    op.create_table(
        "judged_answers",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("corpus_id", sa.Integer, sa.ForeignKey("corpora.id", ondelete="CASCADE"), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("scenario", sa.Text, nullable=False),
        sa.Column("verdict", sa.String(10), nullable=False),
        sa.Column("expected", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("judged_by", sa.Text, nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.UniqueConstraint("corpus_id", "key"),
        sqlite_autoincrement=True,
    )
