"""Passages: what was not understood of a page, with its conditions and names, apart from the statements."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table; pages get their passages when they are next extracted."""
    op.create_table(
        "passages",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("corpus_id", sa.Integer, sa.ForeignKey("corpora.id", ondelete="CASCADE"), nullable=False),
        sa.Column("page_id", sa.Integer, sa.ForeignKey("pages.id", ondelete="CASCADE"), nullable=False),
        sa.Column("chunk_key", sa.Text, nullable=False),
        sa.Column("content_key", sa.String(64), nullable=False),
        sa.Column("extractor", sa.Text, nullable=False),
        sa.Column("passage", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
    op.create_index("passages_page", "passages", ["page_id", "until"])
    op.create_index("passages_until", "passages", ["corpus_id", "until"])
