"""Alembic's entry: runs the migrations on the connection that ``indexes.ledger.migrate`` hands over."""

from alembic import context
from sqlalchemy import inspect

from clausegraph.indexes.ledger.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    version_table_schema=inspect(connection).default_schema_name,
    target_metadata=metadata,
    transactional_ddl=False,  # the caller holds the transaction
)
context.run_migrations()
