"""Every table, as the schema says. Once this is released it is frozen: later changes are migrations of their own."""

import uuid

from alembic import op

from clausegraph.indexes.ledger.schema import metadata

revision = "0016"
down_revision = None


def upgrade() -> None:
    """Create every table, and give the ledger its id: copies and backups share it."""
    metadata.create_all(op.get_bind(), checkfirst=False)
    op.bulk_insert(metadata.tables["identity"], [{"id": uuid.uuid4().hex}])
