"""The first schema.

Until the first release the tables are created as they stand in ``indexes.ledger.schema``; the release
freezes them here and every later change is a migration of its own.
"""

import uuid

from alembic import op

from clausegraph.indexes.ledger.schema import identity, metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table, and give the ledger its id: copies and backups share it."""
    metadata.create_all(op.get_bind())
    op.bulk_insert(identity, [{"id": uuid.uuid4().hex}])
