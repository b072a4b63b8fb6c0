"""The first schema.

Until the first release the tables are created as they stand in ``indexes.ledger.schema``; the release
freezes them here and every later change is a migration of its own.
"""

from alembic import op

from indexes.ledger.schema import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    metadata.create_all(op.get_bind())
