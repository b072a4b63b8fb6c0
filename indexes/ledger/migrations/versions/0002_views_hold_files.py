"""Views hold their epoch by a lock on a file, no longer by a row."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Drop the leases of views: those of an older ClauseGraph that still runs expire by themselves."""
    op.drop_table("view_leases")
