"""What pages define is found without reading every statement."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Index the supports that state another name; they are few of all."""
    of_definitions = sa.text("extractor = 'definitions:1'")
    op.create_index(
        "supports_definitions",
        "supports",
        ["corpus_id", "until"],
        sqlite_where=of_definitions,
        postgresql_where=of_definitions,
    )
