"""A crawl keeps when its last reply came, and no longer when it began: one may take days."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Rename the column: its beginning is the best that is known of a crawl that goes on."""
    op.execute("ALTER TABLE crawls RENAME COLUMN started TO heard")
